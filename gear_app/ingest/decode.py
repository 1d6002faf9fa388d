"""Bytes to text: what encoding it is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from gear_app.errors import BadInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A guess over all encodings mistakes short Western texts for Eastern European ones, so it is asked
# only where more than this share of the bytes is not ASCII, and only about these.
_MOSTLY_FOREIGN = 0.25
_GUESSES = ["cp1251", "cp1253", "koi8_r", "cp932", "gb18030", "big5", "euc_kr"]
_SAMPLE = 100_000  # bytes that a guess is made from
_PIECE = 1_000_000  # bytes that are looked at together
_NO_TEXTS = ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined")
_UNPRINTABLE = [chr(code) for code in (*range(1, 9), *range(14, 27), *range(28, 32))]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates


def decode(content: bytes, declared: str = "") -> str:
    """The text of a file, line ends as they are.

    A byte order mark decides; else UTF-8; else the encoding the file declares, where it does; else
    a guess where many bytes are foreign; else Windows' cp1252. Raises BadInput for what is not
    text.
    """
    text = _decoded(content, declared)
    if "\x00" in text or sum(map(text.count, _UNPRINTABLE)) > len(text) // 100:
        raise BadInput("it is not text: it contains binary data")
    return text


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


def _decoded(content: bytes, declared: str) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _strictly(content, encoding)
    if b"\x00" in content:
        raise BadInput("it is not text: it contains binary data")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _strictly(content, declared if declared and _known(declared) else _guess(content))


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"it is not text that can be read: tried UTF-8 and {encoding}; save it as UTF-8"
        ) from error


def _guess(content: bytes) -> str:
    sample = content[:_SAMPLE]
    if len(sample) < len(content):
        sample = sample[: max(sample.rfind(b"\n"), sample.rfind(b" ")) + 1] or sample
    foreign = sum(1 for byte in sample if byte > 127)
    if foreign <= _MOSTLY_FOREIGN * len(sample):
        return "cp1252"
    best = from_bytes(sample, cp_isolation=_GUESSES).best()
    return best.encoding if best else "cp1252"


def _known(encoding: str) -> bool:
    """Whether it is an encoding of texts. Some codecs are for names and source code; of a long text
    they take the square.
    """
    try:
        return codecs.lookup(encoding).name not in _NO_TEXTS and bool(b"a".decode(encoding))
    except (LookupError, UnicodeError):  # also for codecs that do not give text
        return False
