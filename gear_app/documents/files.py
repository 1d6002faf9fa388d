"""Files of an import, before they are read: uploads, files of a folder, members of archives.

Archives are never trusted: number, names, kinds and sizes of members are checked, and nothing is
unpacked beyond the size that was checked.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast

from gear_app.core.errors import BadInput, Refused
from gear_app.documents.decode import decode, storable
from gear_app.documents.items import MEGABYTE, Limits, Skipped

# Errors of unpacking broken archives.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError)
_HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UTF8 = 0x800  # flag of a member whose name is in UTF-8
_MOST_XML = 150 * MEGABYTE  # of an office file; its libraries unpack it at once
_ENCRYPTED = b"encryption-data"  # in the manifest of LibreOffice's
_OLD = b"\xd0\xcf\x11\xe0"  # first bytes of old office formats, and of those with a password
_PACK_ROWS = re.compile(r"(?i)\.(?:jsonl|csv|tsv|parquet)(?:\.gz)?$")
_PACK = re.compile(
    r"(?:corpus|questions|queries|triples(?:\..+)?|entities(?:\..+)?)\.jsonl(?:\.gz)?"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of an import: a file or folder at `path`; or uploaded `files`, each its name
    and its place on disk; or pasted text in the file `text`, called `title`. `fields` say which
    field of a row holds what (items.ROLES).
    """

    path: str = ""
    files: tuple[tuple[str, str], ...] = ()
    text: str = ""
    title: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class Source(NamedTuple):
    """A file that is not read yet; `error` says why it will not be. `packed`: `size` is that of the
    .gz file.
    """

    name: str
    size: int = 0
    open: Callable[[], BinaryIO] = io.BytesIO
    packed: bool = False
    error: BadInput | None = None

    @property
    def path(self) -> PurePosixPath:
        """Name without the ending .gz."""
        path = PurePosixPath(self.name)
        return path.with_suffix("") if self.packed else path

    @property
    def ending(self) -> str:
        """Ending in small letters."""
        return self.path.suffix.lower()


def sources(origin: Origin, limits: Limits) -> Iterator[Source]:
    """All files of an origin, archives opened, in order. Raises BadInput where nothing is at its
    path.
    """
    path = Path(origin.path)
    if not origin.path:
        for name, place in origin.files:
            yield from opened(on_disk(Path(place), name), limits)
    elif path.is_dir():
        try:
            files = _folder(path, limits)
        except BadInput as error:
            yield Source(path.name, error=error)
        else:
            for source in _without_strangers(files):
                yield from opened(source, limits)
    elif path.is_file():
        yield from opened(on_disk(path, path.name), limits)
    else:
        raise BadInput(f"No such file or folder: {path}")


def on_disk(path: Path, name: str) -> Source:
    """A file of this machine."""
    packed = name.lower().endswith(".gz")
    return Source(storable(name), path.stat().st_size, partial(_open, path, packed), packed)


def in_memory(name: str, content: bytes) -> Source:
    """A file that came with another."""
    packed = name.lower().endswith(".gz")
    reader = partial(_unpack, content) if packed else partial(io.BytesIO, content)
    return Source(storable(name), len(content), reader, packed)


def _unpack(content: bytes) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=io.BytesIO(content)))


def _open(path: Path, packed: bool) -> BinaryIO:
    try:
        return cast("BinaryIO", gzip.open(path) if packed else path.open("rb"))
    except OSError as error:
        raise BadInput(f"it could not be read: {error.strerror}") from error


def load(source: Source, most: int, limits: Limits) -> bytes:
    """Content of a file of at most so many bytes. Raises BadInput, Refused."""
    try:
        with source.open() as file:
            content = file.read(most + 1)
    except (*DAMAGE, zipfile.LargeZipFile) as error:
        raise BadInput("it is broken and cannot be unpacked or read") from error
    if len(content) > most or source.size > most:
        raise Refused(
            f"it is too large: at most {most // MEGABYTE} MB are read at once; "
            + ("make it JSON lines (.jsonl)" if source.ending == ".json" else "split it")
        )
    if source.packed:
        check_ratio(len(content), source.size, limits)
    if not content or content.isspace():
        raise Skipped("it is empty")
    return content


def check_ratio(size: int, packed: int, limits: Limits) -> None:
    """Raise Refused for what unpacks to far more than files do."""
    if size > max(MEGABYTE, limits.ratio * packed) or size > limits.expanded_bytes:
        raise Refused(f"it expands more than {limits.ratio}-fold; that looks like a zip bomb")


def opened(source: Source, limits: Limits) -> Iterator[Source]:
    """Members of an archive; any other file as it is."""
    if source.error is not None or source.ending != ".zip":
        yield source
        return
    try:
        if source.size > limits.file_bytes:
            raise Refused("the archive is too large; unpack it: a folder may be larger")
        with source.open() as file, zipfile.ZipFile(file) as archive:
            yield from _without_strangers(list(_members(source, archive, limits)))
    except BadInput as error:
        yield source._replace(error=error)
    except (*DAMAGE, NotImplementedError) as error:
        broken_archive = BadInput("the archive is broken and cannot be opened")
        broken_archive.__cause__ = error
        yield source._replace(error=broken_archive)


def _members(source: Source, archive: zipfile.ZipFile, limits: Limits) -> Iterator[Source]:
    members = [info for info in archive.infolist() if not info.is_dir()]
    if not members:
        raise Skipped("there are no files in it")
    if len(members) > limits.members:
        raise Refused(
            f"the archive has {len(members):,} members; at most {limits.members:,} are taken"
        )
    check_sizes(members, limits)
    for name, info in sorted(zip(_names(members), members, strict=True), key=lambda pair: pair[0]):
        packed = name.lower().endswith(".gz")
        size = info.compress_size if packed else info.file_size
        reader = partial(_open_member, archive, info, packed)
        member = Source(storable(f"{source.name}/{name}"), size, reader, packed)
        yield member._replace(error=_member_error(info))


def check_sizes(members: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Raise Refused where members expand to more than is allowed."""
    if sum(info.file_size for info in members) > limits.expanded_bytes:
        raise Refused(f"the archive expands to more than {limits.expanded_bytes // MEGABYTE:,} MB")
    for info in members:
        check_ratio(info.file_size, info.compress_size, limits)


def _open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, packed: bool) -> BinaryIO:
    member = archive.open(info)
    return cast("BinaryIO", gzip.GzipFile(fileobj=member) if packed else member)


def _names(members: list[zipfile.ZipInfo]) -> list[str]:
    """Names of members. Those not marked as UTF-8 were read as cp437; where that gives signs and
    not letters, they are read in the encoding that fits all of them best.
    """
    names = [info.filename for info in members]
    odd = [
        number
        for number, info in enumerate(members)
        if not info.flag_bits & _UTF8 and not all(c.isascii() or c.isalpha() for c in names[number])
    ]
    raw = "\n".join(names[number] for number in odd).encode("cp437", "replace")
    for number, name in zip(odd, decode(raw)[0].split("\n") if odd else (), strict=False):
        names[number] = name
    return names


def _member_error(info: zipfile.ZipInfo) -> BadInput | None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0].endswith(":"):
        return Refused("its name leads out of the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        return Refused("it is a symbolic link")
    if any(part in _HIDDEN or part.startswith(".") for part in path.parts):
        return Skipped("a hidden file")
    if path.suffix.lower() == ".zip":
        return Refused("an archive inside an archive; unpack it first")
    if info.flag_bits & 1:
        return BadInput("it is encrypted; pack it without a password")
    if info.compress_type not in _METHODS:
        return Refused("it is packed in an unusual way; pack it as an ordinary zip")
    return None


def _folder(folder: Path, limits: Limits) -> list[Source]:
    """Files of a folder. Raises Skipped where there are none, Refused beyond the limits."""
    files: list[Source] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if path.is_file() and not path.is_symlink() and not name.startswith("."):
                files.append(on_disk(path, path.relative_to(folder).as_posix()))
        if len(files) > limits.members:
            raise Refused(
                f"the folder holds more than {limits.members:,} files; import its parts one by one"
            )
    if not files:
        raise Skipped("the folder is empty")
    if sum(source.size for source in files) > limits.expanded_bytes:
        raise Refused(
            f"the folder holds more than {limits.expanded_bytes // MEGABYTE:,} MB; import its parts"
            " one by one"
        )
    return files


def _without_strangers(files: list[Source]) -> Iterator[Source]:
    """The files; those in the folder of a pack that are no part of it have an error."""
    paths = [PurePosixPath(source.name) for source in files]
    packs = {path.parent for path in paths if _PACK.fullmatch(path.name)}
    packs |= {path.parent.parent for path in paths if path.match("queries/*.parquet")}  # MTEB
    for source, path in zip(files, paths, strict=True):
        part = _PACK_ROWS.search(path.name) or is_qrels(source.path)
        if path.parent in packs and not part and source.error is None:
            yield source._replace(error=Skipped("not a part of the pack it lies in"))
        else:
            yield source


def is_qrels(path: PurePosixPath) -> bool:
    """Whether a file is one of judgements by its name, as `qrels/test.tsv`, `qrels.dev.tsv`."""
    words = re.split(r"[-._]", path.stem.lower())
    named = path.suffix.lower() == ".qrels" or "qrels" in (path.parent.name.lower(), *words)
    return named and path.suffix.lower() in (".tsv", ".txt", ".qrels")


# Office files: libraries open these zips without bounds


def check_office(content: bytes, limits: Limits) -> None:
    """Raise BadInput for an office file that is broken or has a password, Refused for one that is
    too large.
    """
    if content.startswith(_OLD):
        raise BadInput("the file has a password, or is in an old format; save it anew without")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            manifest = "META-INF/manifest.xml"
            if manifest in archive.namelist() and _ENCRYPTED in archive.read(manifest):
                raise BadInput("the file has a password; save it without one")
    except (*DAMAGE, NotImplementedError) as error:
        raise broken("file") from error
    parts = [info for info in members if info.filename.endswith((".xml", ".rels", ".html", ".bin"))]
    check_sizes(parts, limits)
    if sum(info.file_size for info in parts) > _MOST_XML or len(members) > limits.members:
        raise Refused("the file is too large; split it, or save it as PDF")


def parse_xml(part: bytes) -> Any:  # noqa: ANN401 - lxml says nothing of its types
    """A part of a file in XML. Entities are not replaced: a few can stand for gigabytes, or for
    other files.
    """
    from lxml import etree  # late: few files have such parts

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(part, parser)


def broken(what: str) -> BadInput:
    """Error of a file that its library cannot make sense of."""
    return BadInput(f"the {what} is broken and cannot be read; open it and save it anew, or as PDF")
