"""Bytes to text: the encoding of a file, and whether it is text at all."""

from __future__ import annotations

import codecs
import io
import re
from functools import partial
from typing import BinaryIO, NamedTuple

from turbohtml.detect import detect

from gear_app.core.errors import BadInput
from gear_app.core.text import count

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000  # bytes that a guess is made from, around those that are not ASCII
_FOREIGN = re.compile(rb"[\x80-\xff]")
_AROUND = 200  # bytes before one that is not ASCII
_BAD = "\ufffd"
_FEW = 0.2  # bytes that are no UTF-8 for each letter beyond ASCII: of other encodings, more are
_PIECE = 1_000_000  # bytes
_NO_TEXTS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined")
_UNPRINTABLE = bytes([*range(1, 9), *range(14, 27), *range(28, 32)])
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates


class Encoding(NamedTuple):
    """Encoding of a file, and the remark where it is a guess or does not fit all bytes."""

    name: str
    note: str = ""


def decode(content: bytes, declared: str = "") -> tuple[str, str]:
    """The text of a file and a remark on its encoding. Raises BadInput for what is not text."""
    encoding = encoding_of(io.BytesIO(content), declared)
    text = content.decode(encoding.name, "replace")
    if "\x00" in text[:_PIECE]:
        raise BadInput("it is not text: it contains binary data")
    return text, encoding.note


def encoding_of(file: BinaryIO, declared: str = "") -> Encoding:
    """Encoding of a file by its byte order mark; else UTF-8, also where few bytes are none; else
    the one it declares; else a guess. Raises BadInput for what is not text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    size = odd = bad = foreign = 0
    sample = bytearray()
    for piece in iter(partial(file.read, _PIECE), b""):
        for mark, name in _MARKS:
            if not size and piece.startswith(mark):
                return Encoding(name)
        if b"\x00" in piece:
            raise BadInput("it is not text: it contains binary data")
        text = decoder.decode(piece)
        bad += text.count(_BAD) - piece.count(_BAD.encode())
        foreign += len(text) - len(text.encode("ascii", "ignore"))
        size += len(piece)
        odd += len(piece) - len(piece.translate(None, _UNPRINTABLE))
        first = _FOREIGN.search(piece)
        if first and len(sample) < _SAMPLE:
            sample += piece[max(0, first.start() - _AROUND) :][:_SAMPLE]
    if odd > size // 100:
        raise BadInput("it is not text: it contains binary data")
    rest = len(decoder.decode(b"", True))  # of a character that is cut off
    bad, foreign = bad + rest, foreign + rest
    stated = codecs.lookup(declared).name if _is_text_codec(declared) else ""
    if bad <= (1 if stated == "utf-8" else _FEW) * (foreign - bad):
        note = f"{count(bad, 'byte')} not in the encoding of the others, shown as {_BAD}"
        return Encoding("utf-8-sig", note if bad else "")
    if stated not in ("", "utf-8"):
        return Encoding(stated)
    match = detect(bytes(sample))
    name = str(match.encoding)
    if match.codec is None or name.upper().startswith("UTF"):  # it is none, or it were read as such
        name = "windows-1252"
    return Encoding(
        name, f"read as {name}: if letters look wrong, save it as UTF-8 and import it again"
    )


def storable(text: str) -> str:
    """The text with U+FFFD for what no database takes: NUL and lone surrogates."""
    return _UNSTORABLE.sub(_BAD, text)


def _is_text_codec(name: str) -> bool:
    """Whether it is an encoding of texts; others are for names and source code."""
    try:
        return codecs.lookup(name).name not in _NO_TEXTS and bool(b"a".decode(name))
    except (LookupError, ValueError):
        return False
