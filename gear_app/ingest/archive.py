"""Archives are opened in memory and never trusted: sizes, ratios, names and kinds of members are
checked first, and what is packed is unpacked in pieces, no further than it is allowed to go.
"""

from __future__ import annotations

import gzip
import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import IO, Any, BinaryIO, NamedTuple, cast

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.batch import MEGABYTE, Limits, Skipped
from gear_app.ingest.decode import guessed

_GZIP = b"\x1f\x8b\x08"  # what every part of a gzip file begins with
_MEMBER = b"PK\x01\x02"  # what every entry of a zip's directory begins with
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = MEGABYTE
_UTF8 = 0x800  # the flag of a member whose name is so encoded
# Raised by reading what is packed and broken.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError)
_HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")


class Source(NamedTuple):
    """A file that has not been read: its size in bytes, and how to open it. That and reading raise
    BadInput or OSError.
    """

    name: str
    size: int
    open: Callable[[], BinaryIO]


Begin = Callable[[Source], None]


class SizeBudget:
    """The limits of one import, how many bytes may still come out of what is packed, however deep
    it lies, and how much text is held.
    """

    def __init__(self, limits: Limits, begin: Begin = lambda source: None) -> None:
        """`begin` is told of every file before it is read, and may raise BadInput."""
        self.limits = limits
        self.left = limits.expanded_bytes
        self.begin = begin
        self.fields: Mapping[str, str] = {}  # what somebody says that rows call them
        self._characters = 0

    def spend(self, expanded: int, packed: int) -> None:
        """Count what `packed` bytes, which were counted where they came from, expanded to."""
        self.left = max(0, self.left - max(0, expanded - packed))

    def hold(self, characters: int) -> None:
        """Count text that is kept until all is read. Raises Refused where it is too much."""
        if self.is_full(characters):
            raise Refused(
                f"this import would hold more than {self.limits.characters:,} characters of text"
                " with it; import it apart from the others"
            )
        self._characters += characters

    def is_full(self, characters: int) -> bool:
        """Whether so much more text would be too much."""
        return self._characters + characters > self.limits.characters

    def release(self) -> None:
        """Forget the text that was held."""
        self._characters = 0

    def most(self) -> str:
        """What is left, for people."""
        spent = self.left < self.limits.expanded_bytes
        return f"{megabytes(self.left)} {'more are taken in this import' if spent else 'are taken'}"


def checked(content: bytes, budget: SizeBudget) -> zipfile.ZipFile:
    """The archive, opened, when the sizes it states are within the limits; a Word file is one, too.

    `pieces` reads no more of a member than the size stated. Raises BadInput, Refused.
    """
    limits = budget.limits
    # Opening makes an object of every entry, before they could be counted. Archives packed in this
    # one without compression have entries, too, hence the factor.
    if content.count(_MEMBER) > 10 * limits.members:
        raise Refused(f"the archive has far more than {limits.members:,} members; unpack it first")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError) as error:
        raise BadInput("the archive is broken and cannot be opened") from error
    members = archive.infolist()
    if len(members) > limits.members:
        raise Refused(
            f"the archive has {len(members):,} members; at most {limits.members:,} are taken"
        )
    expanded = sum(member.file_size for member in members)
    if expanded > budget.left:
        raise Refused(f"the archive expands to {megabytes(expanded)}; at most {budget.most()}")
    for member in members:
        if member.file_size > max(MEGABYTE, limits.ratio * member.compress_size):
            raise Refused(
                f"{member.filename} expands more than {limits.ratio}-fold; that looks like a zip"
                " bomb"
            )
    budget.spend(expanded, len(content))
    return archive


def members(name: str, content: bytes, budget: SizeBudget) -> list[Source]:
    """The files of the archive `name`, in the order of their names, folders left out.

    A bad member does not spoil the others. Raises BadInput or Refused when the archive as a whole
    cannot be used.
    """
    opened = checked(content, budget)
    files = [info for info in opened.infolist() if not info.is_dir()]
    if not files:
        raise Skipped("there are no files in it")
    named = sorted(zip(_names(files), files, strict=True), key=lambda pair: pair[0])
    return [
        Source(f"{name}/{path}", info.file_size, partial(_opened, opened, info))
        for path, info in named
    ]


def _names(files: list[zipfile.ZipInfo]) -> list[str]:
    """What the members are called. Names that are not marked as UTF-8 are read as cp437; those of
    which that makes signs, and not letters, in the encoding that fits all of them best.
    """
    names = [info.filename for info in files]
    odd = [
        number
        for number, info in enumerate(files)
        if not info.flag_bits & _UTF8 and not all(c.isascii() or c.isalpha() for c in names[number])
    ]
    raw = "\n".join(names[number] for number in odd).encode("cp437", "replace")
    for number, name in zip(odd, guessed(raw)[0].split("\n") if odd else (), strict=False):
        names[number] = name
    return names


def pieces(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """What a member holds, a megabyte at a time, up to the size it states. Raises one of DAMAGE.

    Only reading with a size is safe: without one, zipfile unpacks up to 2 GB before it cuts the
    result to the size stated, and it does so for other methods than the usual one in any case.
    """
    with _member(opened, info) as member:
        yield from iter(partial(member.read, _PIECE), b"")


def _member(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type not in _METHODS:
        raise Refused(f"{info.filename} is packed in an unusual way; pack it as an ordinary zip")
    return opened.open(info)


def gunzip(file: BinaryIO, size: int, budget: SizeBudget) -> BinaryIO:
    """What a .gz file of so many bytes holds, all of its parts, as it is read: raises BadInput when
    broken, Refused beyond the limits.
    """
    pieces = iter(partial(file.read, _PIECE), b"")
    first = next(pieces, b"")
    if not first.startswith(_GZIP):
        raise BadInput("it is not a gzip file, although it is called one")
    parts = first.count(_GZIP) + sum(piece.count(_GZIP) for piece in pieces)
    if parts > budget.limits.members:
        raise Refused(
            f"the gzip file has more than {budget.limits.members:,} parts; unpack it first"
        )
    file.seek(0)

    def admit(taken: int, ended: bool) -> None:
        sensible = max(MEGABYTE, budget.limits.ratio * size)
        if taken > sensible:
            raise Refused(f"it expands to more than {megabytes(sensible)}; that looks like a bomb")
        if taken > budget.left:
            raise Refused(f"it expands to more than is allowed; at most {budget.most()}")
        if ended:
            budget.spend(taken, size)

    opened = cast("BinaryIO", gzip.GzipFile(fileobj=file))
    cut, broken = "the gzip file is cut off", "the gzip file is broken and cannot be opened"
    return _buffered(_Unpacked(opened, admit, cut, broken))


class _Unpacked(io.RawIOBase):
    """What is packed, read in pieces. `admit` is told how many bytes came, and whether these are
    all, and raises Refused where they are too many; `cut` and `broken` are said where it is so.
    """

    def __init__(
        self, file: BinaryIO, admit: Callable[[int, bool], None], cut: str, broken: str
    ) -> None:
        self._file, self._admit = file, admit
        self._cut, self._broken = cut, broken
        self._taken = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._taken = self._file.seek(offset, whence)
        return self._taken

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401
        try:
            some = self._file.read(min(_PIECE, len(buffer)))
        except EOFError as error:
            raise BadInput(self._cut) from error
        except DAMAGE as error:
            raise BadInput(self._broken) from error
        buffer[: len(some)] = some
        self._taken += len(some)
        self._admit(self._taken, not some)
        return len(some)


def _buffered(raw: io.RawIOBase) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(raw))


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / MEGABYTE:,.0f} MB" if size >= 10 * MEGABYTE else f"{size / MEGABYTE:.1f} MB"


def _opened(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    _admit(info)
    broken = "it is broken in the archive and cannot be read"
    try:
        member = cast("BinaryIO", _member(opened, info))
    except DAMAGE as error:
        raise BadInput(broken) from error
    # What members say that they hold was looked at before; they give no more.
    return _buffered(_Unpacked(member, lambda taken, ended: None, broken, broken))


def _admit(info: zipfile.ZipInfo) -> None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0].endswith(":"):
        raise Refused("its name leads out of the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Refused("it is a symbolic link")
    if any(part in _HIDDEN or part.startswith(".") for part in path.parts):
        raise Skipped("a hidden file")
    if path.suffix.lower() == ".zip":
        raise Refused("an archive inside an archive; unpack it first")
    if info.flag_bits & 1:
        raise BadInput("it is encrypted; pack it without a password")


# Office files: libraries open these zips without bounds, so they get a copy of what is read of it

MOST_EXPANDED = 500 * MEGABYTE
_OLD = b"\xd0\xcf\x11\xe0"  # how files of old formats begin, and those with a password
_ENCRYPTED = b"encryption-data"  # in the manifest of LibreOffice's
_NOT_READ = ("media/", "embeddings/", "fonts/")


def admit_format(content: bytes, what: str) -> None:
    """Raise BadInput for what is no zip because it has a password, or is too old."""
    if content.startswith(_OLD):
        raise BadInput(f"the {what} has a password, or is in an old format; save it anew without")


def xml(part: bytes) -> Any:  # noqa: ANN401 - lxml says nothing of its types
    """A part of a file in XML. Entities are not replaced: a few of them can stand for gigabytes, or
    for other files.
    """
    from lxml import etree  # late: few files have such parts

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(part, parser)


def unpacked(content: bytes, what: str) -> io.BytesIO:
    """The zip `content`, which archive.checked has seen, without compression; pictures, embedded
    files and fonts are in it with their names only. `what` is what the zip is, in messages. Raises
    BadInput where it is broken, Refused where it is too large.
    """
    admit_format(content, what)
    copy = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(copy, "w") as target:
            left = MOST_EXPANDED
            for name in dict.fromkeys(source.namelist()):
                info = source.getinfo(name)
                left -= info.file_size
                if left < 0:
                    raise Refused(f"the {what} expands to more than {megabytes(MOST_EXPANDED)}")
                with target.open(name, "w") as member:
                    for piece in _pieces(source, info):
                        if name == "META-INF/manifest.xml" and _ENCRYPTED in piece:
                            raise BadInput(f"the {what} has a password; save it without one")
                        member.write(piece)
    except archive.DAMAGE as error:
        raise broken(what) from error
    copy.seek(0)
    return copy


def _pieces(source: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    if not any(folder in info.filename for folder in _NOT_READ):
        yield from archive.pieces(source, info)


def broken(what: str) -> BadInput:
    """What is said of a file that its library cannot make sense of."""
    return BadInput(f"the {what} is broken and cannot be read; open it and save it anew, or as PDF")
