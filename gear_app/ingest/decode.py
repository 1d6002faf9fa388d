"""Bytes to text: what encoding it is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

from turbohtml.detect import detect

from gear_app.errors import BadInput
from gear_app.text import count

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000  # bytes that a guess is made from, around those that are not ASCII
_FOREIGN = re.compile(rb"[\x80-\xff]")
_AROUND = 200  # bytes on each side of one that is not ASCII
_POUNDS = re.compile(r"[\u0141](?![^\W\d_])")  # what "£5" would be in Eastern Europe
_BAD = "\ufffd"
BAD_BYTES = f"not in the encoding of the others, shown as {_BAD}"
_FEW = 0.2  # bytes that are no UTF-8 for each letter beyond ASCII: of other encodings, more are
_PIECE = 1_000_000  # bytes that are looked at together
_NO_TEXTS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined")
_UNPRINTABLE = [chr(code) for code in (*range(1, 9), *range(14, 27), *range(28, 32))]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates


class Decoded(NamedTuple):
    """A text, what is said where its encoding is a guess, and how many bytes are not in it."""

    text: str
    guess: str = ""
    bad: int = 0

    @property
    def note(self) -> str:
        """What is to be said of how it was read."""
        return self.guess or (f"{count(self.bad, 'byte')} {BAD_BYTES}" if self.bad else "")


def decode(content: bytes, declared: str = "") -> str:
    """The text of a file, line ends as they are. Raises BadInput for what is not text."""
    return decoded(content, declared).text


def decoded(content: bytes, declared: str = "") -> Decoded:
    """The same, with a note: a byte order mark decides; else UTF-8, where few bytes are none, too;
    else the encoding the file declares, where it fits; else a guess over all of it. Raises
    BadInput.
    """
    found = _decoded(content, declared)
    if "\x00" in found.text or sum(map(found.text.count, _UNPRINTABLE)) > len(found.text) // 100:
        raise BadInput("it is not text: it contains binary data")
    return found


def faults_in_utf8(content: bytes) -> int | None:
    """How many bytes are no UTF-8 in what `decode` takes as that; None for any other file. Looked
    at piece by piece, since a large text can take four times the memory of its bytes.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    ends = range(_PIECE, len(content) + _PIECE, _PIECE)
    texts = (decoder.decode(content[end - _PIECE : end], end >= len(content)) for end in ends)
    bad, foreign = map(sum, zip((0, 0), *map(_counts, texts), strict=True))
    bad -= content.count(_BAD.encode())
    odd = sum(content.count(one.encode()) for one in _UNPRINTABLE)
    is_text = b"\x00" not in content and odd <= len(content) // 100
    return bad if is_text and bad <= _FEW * (foreign - bad) else None


def storable(text: str) -> str:
    """The text with what no database takes (NUL, lone surrogates, both possible in JSON) as
    U+FFFD.
    """
    return _UNSTORABLE.sub("\ufffd", text)


def _decoded(content: bytes, declared: str) -> Decoded:
    marked = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    if not marked and b"\x00" in content:
        raise BadInput("it is not text: it contains binary data")
    stated = marked or (declared if _known(declared) else "")
    for encoding, most in ((marked or "utf-8", _FEW), (stated, 1)):
        found = _nearly(content, encoding, most) if encoding else None
        if found is not None:
            return found
    if marked:
        raise BadInput(f"it is not text that can be read: tried {marked}; save it as UTF-8")
    text, guess = guessed(content)
    return Decoded(
        text, f"read as {guess}: if letters look wrong, save it as UTF-8 and import it again"
    )


def _nearly(content: bytes, encoding: str, most: float) -> Decoded | None:
    """The text in an encoding, where at most so many bytes are none of it, to those of its letters
    beyond ASCII.
    """
    with suppress(UnicodeDecodeError):
        return Decoded(content.decode(encoding))
    text = content.decode(encoding, "replace")
    bad, foreign = _counts(text)
    bad -= content.count(_BAD.encode()) if encoding == "utf-8" else 0
    return Decoded(text, bad=bad) if bad <= most * (foreign - bad) else None


def _counts(text: str) -> tuple[int, int]:
    """How many characters stand for bytes that are none, and how many are not ASCII."""
    return text.count(_BAD), len(text) - len(text.encode("ascii", "ignore"))


def guessed(content: bytes) -> tuple[str, str]:
    """The text of bytes in an encoding that nothing tells, and the name of the one that fits best,
    as windows-1252 where none does. Raises BadInput.
    """
    pieces: list[bytes] = []
    size = place = 0
    while size < _SAMPLE and (found := _FOREIGN.search(content, place)):
        start, place = max(place, found.start() - _AROUND), found.end() + _AROUND
        pieces.append(content[start:place])
        size += len(pieces[-1])
    match = detect(b"".join(pieces))
    try:
        text = content.decode(match.codec or "cp1252")
    except (LookupError, UnicodeDecodeError):
        return _western(content)
    if str(match.encoding).upper().startswith("UTF"):  # which it is not, or it were read as such
        return _western(content)
    eastern = match.encoding == "windows-1250"
    if eastern and not re.search(r"[^\x00-\xff]", _POUNDS.sub("", text)):
        return _western(content)
    return text, str(match.encoding)


def _western(content: bytes) -> tuple[str, str]:
    try:
        return content.decode("cp1252"), "windows-1252"
    except UnicodeDecodeError as error:
        raise BadInput(
            "it is not text that can be read: tried UTF-8 and cp1252; save it as UTF-8"
        ) from error


def _known(encoding: str) -> bool:
    """Whether it is an encoding of texts. Some codecs are for names and source code; of a long text
    they take the square.
    """
    try:
        return codecs.lookup(encoding).name not in _NO_TEXTS and bool(b"a".decode(encoding))
    except (LookupError, ValueError):  # also for codecs that do not give text
        return False
