"""Bytes to text: what encoding it is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from turbohtml.detect import detect

from gear_app.errors import BadInput

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
_PIECE = 1_000_000  # bytes that are looked at together
_NO_TEXTS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined")
_UNPRINTABLE = [chr(code) for code in (*range(1, 9), *range(14, 27), *range(28, 32))]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates


class Decoded(NamedTuple):
    """A text, and what is to be said of how it was read where that was a guess."""

    text: str
    note: str


def decode(content: bytes, declared: str = "") -> str:
    """The text of a file, line ends as they are. Raises BadInput for what is not text."""
    return decoded(content, declared).text


def decoded(content: bytes, declared: str = "") -> Decoded:
    """The same, with a note: a byte order mark decides; else UTF-8; else the encoding the file
    declares, where it does; else a guess over all of it. Raises BadInput.
    """
    text, guess = _decoded(content, declared)
    if "\x00" in text or sum(map(text.count, _UNPRINTABLE)) > len(text) // 100:
        raise BadInput("it is not text: it contains binary data")
    told = f"read as {guess}: if letters look wrong, save it as UTF-8 and import it again"
    return Decoded(text, told if guess else "")


def is_utf8(content: bytes) -> bool:
    """Whether it is text in UTF-8, as `decode` would take it; looked at piece by piece, since a
    large text can take four times the memory of its bytes.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), _PIECE):
            decoder.decode(content[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    odd = sum(content.count(one.encode()) for one in _UNPRINTABLE)
    return b"\x00" not in content and odd <= len(content) // 100


def storable(text: str) -> str:
    """The text with what no database takes (NUL, lone surrogates, both possible in JSON) as
    U+FFFD.
    """
    return _UNSTORABLE.sub("\ufffd", text)


def _decoded(content: bytes, declared: str) -> tuple[str, str]:
    """The text, and the encoding where it was guessed."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _strictly(content, encoding), ""
    if b"\x00" in content:
        raise BadInput("it is not text: it contains binary data")
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError:
        if declared and _known(declared):
            return _strictly(content, declared), ""
    return guessed(content)


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
        return _strictly(content, "cp1252"), "windows-1252"
    if str(match.encoding).upper().startswith("UTF"):  # which it is not, or it were read as such
        return _strictly(content, "cp1252"), "windows-1252"
    eastern = match.encoding == "windows-1250"
    if eastern and not re.search(r"[^\x00-\xff]", _POUNDS.sub("", text)):
        return _strictly(content, "cp1252"), "windows-1252"
    return text, str(match.encoding)


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"it is not text that can be read: tried UTF-8 and {encoding}; save it as UTF-8"
        ) from error


def _known(encoding: str) -> bool:
    """Whether it is an encoding of texts. Some codecs are for names and source code; of a long text
    they take the square.
    """
    try:
        return codecs.lookup(encoding).name not in _NO_TEXTS and bool(b"a".decode(encoding))
    except (LookupError, ValueError):  # also for codecs that do not give text
        return False
