"""Files of an import, before they are read: uploads, files of a folder, members of archives; and
their bytes as text.

Archives are never trusted: number and sizes of members are checked, nothing is unpacked beyond the
size that was checked, and nothing is written under a member's name.
"""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO, NamedTuple, TextIO, cast

from turbohtml.detect import Detection, detect

from gear_app.core.errors import BadInput, Refused
from gear_app.core.text import count, storable
from gear_app.documents.items import MEGABYTE, Limits, Notes, Skipped

# Signs beyond ASCII where words have them.
_LIKELY = re.compile(
    r"(?![ŒŠŸŽ])(?:(?<=[a-z])[ß-öø-ž\u2019]|[ß-öø-ž](?=[a-z]))|(?<!\w)[À-ÖØ-Þ](?=[a-z])"
    r"|(?<!\w)[“„«¿¡](?=\w)|(?<=[\w.!?])[”»](?!\w)|(?<= )–(?= )|(?<=[a-z])—(?=[a-z])|[°§µ²³½]"
)


def decode(content: bytes) -> tuple[str, list[str]]:
    """The text of a file and remarks on its encoding. Raises BadInput for what is not text."""
    encoding, note = encoding_of(io.BytesIO(content))
    return content.decode(encoding, "replace"), [note] if note else []


def encoding_of(file: BinaryIO) -> tuple[str, str]:
    """Encoding of a file, and a remark where it is a guess or does not fit all bytes: by its byte
    order mark; else UTF-8, also where few bytes are none; else a guess. Raises BadInput for what
    is not text.
    """
    start = file.read(4)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "utf-32" if start in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE) else "utf-16", ""
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    size = foreign = fitting = 0
    sample = bytearray()
    for piece in itertools.chain([start], iter(partial(file.read, MEGABYTE), b"")):
        if b"\x00" in piece:
            raise BadInput("it is not text: it contains binary data")
        text = decoder.decode(piece)
        size, fitting = size + len(piece), fitting + len(text.encode())
        foreign += len(text) - len(text.encode("ascii", "ignore"))
        sample += b"" if piece.isascii() or len(sample) > MEGABYTE else piece
    bad = size - fitting
    if bad <= 0.2 * foreign:  # in other encodings, more bytes are no UTF-8
        return "utf-8-sig", (
            f"{count(bad, 'byte')} not in the encoding of the others, shown as \ufffd"
            if bad
            else ""
        )
    match = detect(bytes(sample), Detection(excluded=frozenset({"UTF-8", "UTF-16LE", "UTF-16BE"})))
    name = "windows-1252" if match.codec is None else str(match.encoding)
    if name in ("windows-1252", "windows-1250"):  # DOS and old Macs had further ones
        texts = {n: bytes(sample).decode(n, "replace") for n in (name, "cp850", "mac-roman")}
        name = max(texts, key=lambda name: len(_LIKELY.findall(texts[name])))
    return name, f"read as {name}: if letters look wrong, save it as UTF-8 and import it again"


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
    """A file that is not read yet, of `size` bytes, `packed` in an archive; `error` says why it
    will not be.
    """

    name: str
    size: int
    packed: int
    reader: Callable[[], BinaryIO]
    error: BadInput | None = None

    @property
    def path(self) -> PurePosixPath:
        """Name without the ending .gz."""
        return PurePosixPath(re.sub(r"(?i)\.gz$", "", self.name))

    @property
    def ending(self) -> str:
        """Ending in small letters."""
        return self.path.suffix.lower()

    def open(self) -> BinaryIO:
        """The content."""
        packed = self.name.lower().endswith(".gz")
        return cast("BinaryIO", gzip.GzipFile(fileobj=self.reader())) if packed else self.reader()


def sources(origin: Origin, limits: Limits, *, unpack: bool = True) -> Iterator[Source]:
    """All files of an origin in order, with `unpack` the members of archives in their place. Raises
    BadInput where nothing is at its path, or a folder holds nothing or too much.
    """
    path = Path(origin.path)
    if not origin.path:
        files = [_on_disk(Path(place), name) for name, place in origin.files]
    elif path.is_dir():
        files = _checked(_folder(path), limits)
    elif path.is_file():
        files = [_on_disk(path, path.name)]
    else:
        raise BadInput(f"No such file or folder: {path}")
    for source in files:
        yield from opened(source, limits) if unpack else (source,)


def _on_disk(path: Path, name: str) -> Source:
    size = path.stat().st_size
    return Source(storable(name), size, size, partial(io.FileIO, path))


def load(source: Source, limits: Limits) -> bytes:
    """Content of a document. Raises BadInput for an office file with a password, Refused for a file
    that is too large or expands too far, Skipped for an empty one.
    """
    with source.open() as file:
        content = file.read(limits.file_bytes + 1)
    _check_ratio(max(source.size, len(content)), source.packed, limits)
    if len(content) > limits.file_bytes:
        raise Refused(
            f"it is too large: at most {limits.file_bytes // MEGABYTE} MB are read at once;"
            " split it"
        )
    if not content or content.isspace():
        raise Skipped("it is empty")
    if content.startswith(b"\xd0\xcf\x11\xe0") and source.ending != ".xls":
        raise BadInput("the file has a password, or is in an old format; save it anew without")
    if zipfile.is_zipfile(office := io.BytesIO(content)):
        members = zipfile.ZipFile(office).infolist()
        _check_ratio(sum(info.file_size for info in members), len(content), limits)
    return content


def open_text(source: Source, limits: Limits, notes: Notes) -> TextIO:
    """A file as a stream of text. Raises BadInput for what is not text, Skipped where it is
    empty.
    """
    _check_ratio(source.size, source.packed, limits)
    file = source.open()
    encoding, note = encoding_of(file)
    _check_ratio(file.tell(), source.packed, limits)
    if not file.tell():
        raise Skipped("it is empty")
    notes.add_sentence(note)
    file.seek(0)
    return io.TextIOWrapper(file, encoding, "replace", newline="")


def _check_ratio(size: int, packed: int, limits: Limits) -> None:
    if size > max(MEGABYTE, limits.ratio * packed) or size > limits.expanded_bytes:
        raise Refused(f"it expands more than {limits.ratio}-fold; that looks like a zip bomb")


def opened(source: Source, limits: Limits) -> Iterator[Source]:
    """Members of an archive; any other file as it is."""
    if source.error is not None or source.ending != ".zip":
        yield source
        return
    nested = Refused("an archive inside an archive; unpack it first")
    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            infos = [
                info
                for info in archive.infolist()
                if not (info.is_dir() or _is_hidden(PurePosixPath(info.filename)))
            ][: limits.members + 1]  # one too many is refused
            members = [
                Source(
                    storable(f"{source.name}/{name}"),
                    info.file_size,
                    info.compress_size,
                    cast("Callable[[], BinaryIO]", partial(archive.open, info)),
                    nested if name.lower().endswith(".zip") else None,
                )
                for name, info in sorted(_readable_names(infos), key=lambda member: member[0])
            ]
            yield from _checked(members, limits)
    except BadInput as error:
        yield source._replace(error=error)
    except Exception as error:
        yield source._replace(error=BadInput(f"the archive is broken: {error}"))


def _readable_names(infos: list[zipfile.ZipInfo]) -> list[tuple[str, zipfile.ZipInfo]]:
    """Members of an archive by their names, of which those with frames (║) are in an encoding that
    it does not state; flag 0x800 states UTF-8.
    """
    framed = {
        info: info.filename.encode("cp437", "replace")
        for info in infos
        if re.search("[\u2500-\u25a0]", info.filename) and not info.flag_bits & 0x800
    }
    encoding, _ = encoding_of(io.BytesIO(b"\n".join(framed.values())))
    return [
        (framed[info].decode(encoding, "replace") if info in framed else info.filename, info)
        for info in infos
    ]


def _is_hidden(path: PurePath) -> bool:
    return any(re.match(r"\.|(?:__MACOSX|Thumbs\.db|desktop\.ini)$", part) for part in path.parts)


def _folder(folder: Path) -> list[Source]:
    places = [(path.relative_to(folder), path) for path in folder.rglob("*")]
    return [
        _on_disk(path, name.as_posix())
        for name, path in sorted(places, key=lambda place: (place[0].parent.parts, place[0].name))
        if path.is_file() and not (path.is_symlink() or _is_hidden(name))
    ]


def _checked(files: list[Source], limits: Limits) -> list[Source]:
    """Files of a folder or archive; next to a pack only those that are a part of it will be read.
    Raises Skipped and Refused.
    """
    if not files:
        raise Skipped("the folder or archive is empty")
    if len(files) > limits.members or sum(s.size for s in files) > limits.expanded_bytes:
        raise Refused(
            f"the folder or archive holds more than {limits.members:,} files or"
            f" {limits.expanded_bytes // MEGABYTE:,} MB; import its parts one by one"
        )
    paths = [PurePosixPath(source.name) for source in files]
    packs = {path.parent for path in paths if _PACK.fullmatch(path.name)}
    packs |= {path.parent.parent for path in paths if path.match("queries/*.parquet")}  # MTEB
    return [
        source._replace(error=source.error or Skipped("not a part of the pack it lies in"))
        if path.parent in packs
        and not (
            re.search(r"(?i)\.(?:jsonl|csv|tsv|parquet)(?:\.gz)?$", path.name)
            or is_qrels(source.path)
        )
        else source
        for source, path in zip(files, paths, strict=True)
    ]


def is_qrels(path: PurePosixPath) -> bool:
    """Whether a file is one of judgements by its name, as `qrels/test.tsv`, `qrels.dev.tsv`."""
    return "qrels" in "/".join(path.parts[-2:]) and path.suffix.lower() in (
        ".tsv",
        ".txt",
        ".qrels",
    )


def is_named(path: PurePosixPath, *words: str) -> bool:
    """Whether one of the words is in the name of a file or its folder."""
    return not {*words}.isdisjoint(re.split(r"[-._/]", "/".join(path.parts[-2:]).lower()))
