"""Archives are opened in memory and never trusted: sizes, ratios, names and kinds of members are checked first."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest.batch import MEGABYTE, Limits, Skipped

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC = b"\x1f\x8b"
_HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")


class Member(NamedTuple):
    """A file in an archive: its content, or why there is none."""

    name: str
    content: bytes = b""
    trouble: BadInput | None = None


def is_zip(content: bytes) -> bool:
    """Whether it begins like a zip archive (a Word file does, too)."""
    return content.startswith(ZIP_MAGIC)


def is_docx(content: bytes) -> bool:
    """Whether it is a zip archive with the parts of a Word file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "[Content_Types].xml" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError):
        return False


def checked(content: bytes, limits: Limits) -> zipfile.ZipFile:
    """The archive, opened, when the sizes it states are within the limits.

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
        raise Refused(f"the archive expands to {megabytes(expanded)}; at most {megabytes(limits.expanded_bytes)} are taken")
    for member in members:
        if member.file_size > max(MEGABYTE, limits.ratio * member.compress_size):
            raise Refused(f"{member.filename} expands more than {limits.ratio}-fold; that looks like a zip bomb")
    return archive


def members(content: bytes, limits: Limits) -> Iterator[Member]:
    """The files of an archive, by name, folders left out; a bad member does not spoil the others.

    Raises BadInput or Refused when the archive as a whole cannot be used.
    """
    with checked(content, limits) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            if not info.is_dir():
                yield _member(archive, info)


def gunzip(content: bytes, limits: Limits) -> bytes:
    """What a .gz file holds, all of its parts. Raises BadInput when broken, Refused beyond the limits."""
    result = bytearray()
    rest = content
    while rest.startswith(GZIP_MAGIC):
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
    return f"{size / MEGABYTE:,.0f} MB"


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    try:
        _admit(info)
        return Member(info.filename, archive.read(info))
    except BadInput as error:
        return Member(info.filename, trouble=error)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
        return Member(info.filename, trouble=BadInput("it is broken in the archive and cannot be read"))


def _admit(info: zipfile.ZipInfo) -> None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or path.parts[0].endswith(":"):
        raise Refused("its name leads out of the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Refused("it is a symbolic link")
    if any(part in _HIDDEN or part.startswith(".") for part in path.parts):
        raise Skipped("a hidden file")
    if info.flag_bits & 1:
        raise BadInput("it is encrypted; pack it without a password")
