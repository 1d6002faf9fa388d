"""Files that cost a naive reader minutes or gigabytes, made in a moment."""

from __future__ import annotations

import gzip
import itertools
import struct
import zlib
from collections.abc import Iterator, Mapping

from tests.ingest.make import make_word, make_zip, members, pdf_of


def deflated(block: bytes, times: int) -> bytes:
    """The block `times` times, as one raw deflate stream; it is compressed only once."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
    return piece * times + zlib.compressobj(9, zlib.DEFLATED, -15).flush()


def packed(name: str, stream: bytes, stated: int) -> bytes:
    """An archive of one member, whose size is said to be `stated`."""
    sizes = struct.pack("<3I", 0, len(stream), stated)
    named = struct.pack("<2H", len(name), 0)
    local = b"PK\3\4" + struct.pack("<5H", 20, 0, 8, 0, 0) + sizes + named + name.encode()
    entry = b"PK\1\2" + struct.pack("<6H", 20, 20, 0, 8, 0, 0) + sizes + named
    entry += struct.pack("<3H2I", 0, 0, 0, 0, 0) + name.encode()
    end = struct.pack("<4H2IH", 0, 0, 1, 1, len(entry), len(local) + len(stream), 0)
    return local + stream + entry + b"PK\5\6" + end


def understating(name: str, size: int = 2_000_000_000, factor: int = 1_000_000) -> bytes:
    """An archive of one member that is `factor` times as large as it says."""
    return packed(name, deflated(b"word " * 200_000, size // 1_000_000), size // factor)


def gzip_bomb(size: int) -> bytes:
    """A gzip file that expands to `size` bytes and states another size at its end."""
    head = gzip.compress(b"")[:10]
    return head + deflated(b"word " * 200_000, size // 1_000_000) + bytes(8)


def with_member(archive: bytes, name: str, stream: bytes, stated: int) -> bytes:
    """The archive with one member more, packed as `stream`, said to be of size `stated`."""
    other = packed(name, stream, stated)
    data, entries = _parts(archive)
    more, entry = _parts(other)
    offset = struct.pack("<I", len(data))
    entry = entry[:42] + offset + entry[46:]
    number = archive[-12:-10]
    count = struct.unpack("<H", number)[0] + 1
    directory = entries + entry
    end = struct.pack("<4H2IH", 0, 0, count, count, len(directory), len(data) + len(more), 0)
    return data + more + directory + b"PK\5\6" + end


def large_word(megabytes: int, stated: int | None = None) -> bytes:
    """A Word file whose text takes so many megabytes of XML."""
    parts = members(make_word(b""))
    start, end = parts.pop("word/document.xml").split(b"<w:sectPr/>")
    paragraphs = (f"<w:p><w:r><w:t>Boat {n} is in.</w:t></w:r></w:p>" for n in itertools.count())
    block = b"".join(_up_to(1_000_000, paragraphs))
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = compressor.compress(start) + compressor.flush(zlib.Z_FULL_FLUSH)
    body = deflated(block, megabytes)[:-2]  # without the block that ends it
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    last = compressor.compress(end) + compressor.flush()
    size = len(start) + len(block) * megabytes + len(end)
    stated = size if stated is None else stated
    return with_member(make_zip(parts), "word/document.xml", first + body + last, stated)


def raw_pdf(
    pages: list[bytes], forms: Mapping[str, bytes] | None = None, character_map: bytes = b""
) -> bytes:
    """A PDF file with these instructions for its pages, and for the forms that they may show."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]

    def add(content: bytes) -> int:
        objects.append(content)
        return len(objects)

    def stream(data: bytes, entries: bytes = b"") -> int:
        short = zlib.compress(data)
        head = b"<<%s/Filter/FlateDecode/Length %d>>" % (entries, len(short))
        return add(head + b"stream\n" + short + b"\nendstream")

    mapped = b"/ToUnicode %d 0 R" % stream(character_map) if character_map else b""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding%s>>" % mapped
    fonts = b"/Font<</F1 %d 0 R>>" % add(font)
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<%s>>" % fonts
    numbers = {name: stream(data, form) for name, data in (forms or {}).items()}
    shown = b"".join(b"/%s %d 0 R" % (name.encode(), n) for name, n in numbers.items())
    resources = b"/Resources<<%s/XObject<<%s>>>>" % (fonts, shown)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]%s/Contents %d 0 R>>"
    kids = [add(page % (resources, stream(data))) for data in pages]
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), listed)
    return pdf_of(objects)


def _parts(archive: bytes) -> tuple[bytes, bytes]:
    """What an archive holds, and its directory."""
    size, start = struct.unpack("<2I", archive[-10:-2])
    return archive[:start], archive[start : start + size]


def _up_to(size: int, pieces: Iterator[str]) -> Iterator[bytes]:
    for piece in pieces:
        size -= len(piece)
        if size < 0:
            return
        yield piece.encode()
