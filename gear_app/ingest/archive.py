"""Archives are opened in memory and never trusted: sizes, ratios, names and kinds of members are checked first."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest.batch import MEGABYTE, Limits, Skipped

_GZIP = b"\x1f\x8b"
_HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")


class Source(NamedTuple):
    """A file that has not been read: its size in bytes, and how to read it, which raises BadInput."""

    name: str
    size: int
    load: Callable[[], bytes]


def checked(content: bytes, limits: Limits) -> zipfile.ZipFile:
    """The archive, opened, when the sizes it states are within the limits; a Word file is one, too.

    zipfile never reads more of a member than the size stated. Raises BadInput, Refused.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError) as error:
        raise BadInput("the archive is broken and cannot be opened") from error
    members = archive.infolist()
    if len(members) > limits.members:
        raise Refused(f"the archive has {len(members):,} members; at most {limits.members:,} are taken")
    expanded = sum(member.file_size for member in members)
    if expanded > limits.expanded_bytes:
        raise Refused(
            f"the archive expands to {megabytes(expanded)}; at most {megabytes(limits.expanded_bytes)} are taken"
        )
    for member in members:
        if member.file_size > max(MEGABYTE, limits.ratio * member.compress_size):
            raise Refused(f"{member.filename} expands more than {limits.ratio}-fold; that looks like a zip bomb")
    return archive


def members(name: str, content: bytes, limits: Limits) -> list[Source]:
    """The files of the archive `name`, in the order of their names, folders left out.

    A bad member does not spoil the others. Raises BadInput or Refused when the archive as a whole cannot be used.
    """
    opened = checked(content, limits)
    files = sorted((info for info in opened.infolist() if not info.is_dir()), key=lambda info: info.filename)
    if not files:
        raise Skipped("there are no files in it")
    return [Source(f"{name}/{info.filename}", info.file_size, partial(_read, opened, info)) for info in files]


def gunzip(content: bytes, limits: Limits) -> bytes:
    """What a .gz file holds, all of its parts. Raises BadInput when broken, Refused beyond the limits."""
    if not content.startswith(_GZIP):
        raise BadInput("it is not a gzip file, although it is called one")
    result = bytearray()
    rest = content
    while rest.startswith(_GZIP):
        machine = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            result += machine.decompress(rest, limits.expanded_bytes + 1 - len(result))
        except zlib.error as error:
            raise BadInput("the gzip file is broken and cannot be opened") from error
        if len(result) > limits.expanded_bytes or len(result) > max(MEGABYTE, limits.ratio * len(content)):
            raise Refused(f"it expands to more than {megabytes(len(result))}; that looks like a bomb")
        if not machine.eof:
            raise BadInput("the gzip file is cut off")
        rest = machine.unused_data
    return bytes(result)


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / MEGABYTE:,.0f} MB" if size >= 10 * MEGABYTE else f"{size / MEGABYTE:.1f} MB"


def _read(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    _admit(info)
    try:
        return opened.read(info)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError) as error:
        raise BadInput("it is broken in the archive and cannot be read") from error


def _admit(info: zipfile.ZipInfo) -> None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or path.parts[0].endswith(":"):
        raise Refused("its name leads out of the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Refused("it is a symbolic link")
    if any(part in _HIDDEN or part.startswith(".") for part in path.parts):
        raise Skipped("a hidden file")
    if path.suffix.lower() == ".zip":
        raise Refused("an archive inside an archive; unpack it first")
    if info.flag_bits & 1:
        raise BadInput("it is encrypted; pack it without a password")
