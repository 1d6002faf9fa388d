"""Bytes to text: the encoding of a file, and whether it is text at all."""

from __future__ import annotations

import codecs
import io
import re
from functools import partial
from typing import BinaryIO

from turbohtml.detect import detect

from gear_app.core.errors import BadInput
from gear_app.core.text import count

_GUESS = "read as {}: if letters look wrong, save it as UTF-8 and import it again"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000  # bytes that a guess is made from, around those that are not ASCII
_FOREIGN = re.compile(rb".{0,200}[\x80-\xff].{0,200}")
_BAD = "\ufffd"
_FEW = 0.2  # bytes that are no UTF-8 for each letter beyond ASCII: of other encodings, more are
_PIECE = 1_000_000  # bytes


def decode(content: bytes) -> tuple[str, str]:
    """The text of a file and a remark on its encoding. Raises BadInput for what is not text."""
    encoding, note = encoding_of(io.BytesIO(content))
    return content.decode(encoding, "replace"), note


def encoding_of(file: BinaryIO) -> tuple[str, str]:
    """Encoding of a file, and a remark where it is a guess or does not fit all bytes: by its byte
    order mark; else UTF-8, also where few bytes are none; else a guess. Raises BadInput for what
    is not text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    bad = foreign = 0
    sample = bytearray()
    for piece in iter(partial(file.read, _PIECE), b""):
        for mark, name in _MARKS:
            if file.tell() == len(piece) and piece.startswith(mark):
                return name, ""
        if b"\x00" in piece:
            raise BadInput("it is not text: it contains binary data")
        text = decoder.decode(piece)
        bad += text.count(_BAD) - piece.count(_BAD.encode())
        foreign += len(text) - len(text.encode("ascii", "ignore"))
        if not piece.isascii() and len(sample) < _SAMPLE:
            sample += b"\n".join(_FOREIGN.findall(piece))[:_SAMPLE]
    bad += len(decoder.decode(b"", True))  # of a character that is cut off
    if bad <= _FEW * (foreign - bad):
        note = f"{count(bad, 'byte')} not in the encoding of the others, shown as {_BAD}"
        return "utf-8-sig", note if bad else ""
    match = detect(bytes(sample))
    guessed = match.codec is not None and not str(match.encoding).upper().startswith("UTF")
    name = str(match.encoding) if guessed else "windows-1252"
    return name, _GUESS.format(name)
