"""The ways in: uploads, a path, pasted text. Whatever is wrong with a file ends up in its
report.
"""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive, datasets, qrels, rows
from gear_app.ingest.archive import Begin, SizeBudget, Source
from gear_app.ingest.batch import MEGABYTE, Batch, Limits, Skipped
from gear_app.ingest.contents import Contents, document, first_heading, of_blocks
from gear_app.ingest.decode import decode, decoded, storable
from gear_app.ingest.merge import FileTally, Merger
from gear_app.ingest.readers import DOCUMENTS, TEXTS, advice
from gear_app.ingest.slices import has_slices, slices
from gear_app.types import PASTED

_ROWS = (".csv", ".tsv", ".jsonl", ".json", ".qrels")
_PLAIN = (*TEXTS, "")
_ARCHIVES = (".zip", ".gz")
# What to do with a file that is too large.
_WAYS_OUT = {
    ".json": "make it JSON lines (.jsonl), which may be of any size",
    ".zip": "unpack it: a folder may be larger",
    **dict.fromkeys((".jsonl", ".csv", ".tsv", ".txt"), "save it as UTF-8, or split it"),
}
_PACK_ROWS = re.compile(r"(?i)\.(?:jsonl(?:\.gz)?|parquet)$")
_PACK = re.compile(
    r"(?:corpus|questions|queries|triples(?:\..+)?|entities(?:\..+)?)\.jsonl(?:\.gz)?"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What is to be read: a file or folder at `path`, or uploaded `files`, each with its name and
    where it lies now, or a pasted text, which lies in the file `text` and is called `title`.
    `fields` say what rows call a question, its answers and so on (forms.ROLES).
    """

    path: str = ""
    files: tuple[tuple[str, str], ...] = ()
    text: str = ""
    title: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class FirstSlice(NamedTuple):
    """As what the first slice of a large file was read: a text of this title, rows of this kind."""

    title: str = ""
    kind: str = ""


FIRST = FirstSlice()


def read_origin(
    origin: Origin, limits: Limits | None = None, begin: Begin = lambda source: None
) -> Iterator[Batch]:
    """Everything an origin holds: large files of lines slice by slice, all others together. Raises
    BadInput when there is nothing at its path.

    `begin` is told of every file before it is read, and of every slice, and may refuse it by
    raising BadInput.
    """
    budget, merger = SizeBudget(limits or Limits(), begin), Merger()
    budget.fields = dict(origin.fields)
    if origin.text:
        yield read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
        return
    try:
        sources = _sources(origin, budget.limits)
    except (Skipped, Refused) as error:
        merger.refuse(Path(origin.path).name, error)
        sources = []
    if origin.path and Path(origin.path).is_dir():
        yield from _take_all(merger, sources, budget)
    else:
        for source in sources:
            yield from _take(merger, source, budget)
    if merger.reports:
        yield merger.batch()


def is_light(origin: Origin) -> bool:
    """Whether reading it costs next to nothing: a megabyte at most, of text and rows only.

    Everything else is read in a process of its own, which can be stopped (ingest.process).
    """
    try:
        sources = _sources(origin, Limits())
    except (BadInput, OSError):
        return True  # which the reading will say
    kinds = {PurePosixPath(source.name).suffix.lower() for source in sources}
    light = (*_PLAIN, *_ROWS, *(kind for kind, reader in DOCUMENTS.items() if reader.light))
    return sum(source.size for source in sources) <= MEGABYTE and kinds <= set(light)


def read_files(files: Iterable[tuple[str, bytes]], limits: Limits | None = None) -> Batch:
    """Uploads as (name, content), archives opened, in the order given, each as a whole."""
    merger, budget = Merger(), SizeBudget(_whole(limits))
    for name, content in files:
        source = Source(storable(name), len(content), partial(io.BytesIO, content))
        for _ in _take(merger, source, budget):
            pass
    return merger.batch()


def read_path(path: Path, limits: Limits | None = None) -> Batch:
    """A file, a pack, or a folder of files and packs, by name, each file as a whole; links to other
    places are not followed.

    Raises BadInput when there is no such path.
    """
    (batch,) = read_origin(Origin(path=str(path)), _whole(limits))
    return batch


def _whole(limits: Limits | None) -> Limits:
    return replace(limits or Limits(), slice_bytes=0)


def _sources(origin: Origin, limits: Limits) -> list[Source]:
    """The files of an origin; none of them is read. Raises BadInput, Skipped, Refused."""
    if not (origin.path or origin.text):
        return [_source(Path(path), name) for name, path in origin.files]
    path = Path(origin.path or origin.text)
    if path.is_dir():
        return _folder(path, limits)
    if not path.is_file():
        raise BadInput(f"No such file or folder: {path}")
    return [_source(path, path.name)]


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it takes its heading, else its first words."""
    merger = Merger()
    name = title.strip() or first_heading(text) or " ".join(text.split(None, 8)[:8])[:80]
    try:
        if not text.strip():
            raise Skipped("it is empty")
        merger.add(name, document(name, text, PASTED))
    except BadInput as error:
        merger.refuse(name or PASTED, error)
    return merger.batch()


def _take_all(merger: Merger, sources: list[Source], budget: SizeBudget) -> Iterator[Batch]:
    """Take files that lie in folders; beside the files of a pack, only rows and
    judgments are read.
    """
    paths = [PurePosixPath(source.name) for source in sources]
    packs = {path.parent for path in paths if _PACK.fullmatch(path.name)}
    packs |= {path.parent.parent for path in paths if path.match("queries/*.parquet")}  # MTEB
    for source in sources:
        path = PurePosixPath(source.name)
        rows_too = _PACK_ROWS.search(path.name) or qrels.is_qrels(path)
        if path.parent in packs and not rows_too:
            merger.refuse(source.name, Skipped("not a part of the pack it lies in"))
        else:
            yield from _take(merger, source, budget)


def _take(merger: Merger, source: Source, budget: SizeBudget) -> Iterator[Batch]:
    """Join a file with those before it; the batches of its slices, where it is large, and of the
    files before it, where they are too much text together.
    """
    try:
        budget.begin(source)
        if source.name.lower().endswith(".zip"):
            members = archive.members(source.name, _loaded(source, budget), budget)
            yield from _take_all(merger, members, budget)
        elif budget.limits.slice_bytes and has_slices(_unpacked_path(source)):
            yield from _take_slices(merger, source, budget)
        else:
            yield from _join(merger, source.name, _contents(source, budget), budget)
    except BadInput as error:
        merger.refuse(source.name, error)
    except MemoryError:
        merger.refuse(source.name, Refused(too_much_memory(budget.limits)))


def _join(merger: Merger, name: str, contents: Contents, budget: SizeBudget) -> Iterator[Batch]:
    if budget.limits.slice_bytes and merger.reports and budget.is_full(contents.characters):
        yield merger.batch()
        budget.release()
    budget.hold(contents.characters)
    merger.add(name, contents)
    for attached_name, attached in contents.attached:
        path = storable(f"{name}/{attached_name}")
        yield from _take(merger, Source(path, len(attached), partial(io.BytesIO, attached)), budget)


def _take_slices(merger: Merger, source: Source, budget: SizeBudget) -> Iterator[Batch]:
    """Join a file of lines with those before it where it is small; else a batch of each slice."""
    path = _unpacked_path(source)
    with _opened(source, budget) as file:
        parts = slices(path, file, budget.limits)
        first, second = next(parts, b""), next(parts, None)
        if second is None:
            contents = _read(source.name, path, first, budget)
            yield from _join(merger, source.name, contents, budget)
        elif path.suffix.lower() == ".jsonl" and rows.json_lines(first) is None:
            yield from _join(merger, source.name, _contents(source, budget), budget)
        else:
            yield from _slices(source, path, itertools.chain([first, second], parts), budget)


def _slices(
    source: Source, path: PurePosixPath, parts: Iterator[bytes], budget: SizeBudget
) -> Iterator[Batch]:
    """The batch of every slice, read as the first. What is wrong with the first is wrong with the
    file; another that cannot be read is left out, with a sentence.
    """
    tally, first = FileTally(), FIRST
    for number in itertools.count(1):
        content, contents, what = b"", Contents(), f"all from part {number} on"
        try:
            content, what = next(parts, b""), f"part {number}"
            if not content:
                return
            if number > 1 and content.isspace():
                continue
            budget.begin(source._replace(size=len(content)))
            contents = _read(source.name, path, content, budget, first)
        except (BadInput, MemoryError) as error:
            if number == 1:
                raise
            why = str(error) or too_much_memory(budget.limits)
            contents.notes.say(f"{what} left out: {why}")
        if number == 1:
            title = next((document.title for document in contents.documents), "")
            first = FirstSlice(title, contents.kind)
        if path.suffix.lower() in _PLAIN or contents.kind == rows.TABLE:
            whole = contents.documents
            whole[:] = [replace(one, title=f"{one.title} (part {number})") for one in whole]
        merger = Merger()
        merger.add(source.name, contents, tally)
        tally.lines += content.count(b"\n")
        yield replace(merger.batch(), part=number)


def too_much_memory(limits: Limits) -> str:
    """Why a file that needs more memory than the limit is left out."""
    most = archive.megabytes(limits.memory_bytes)
    return f"reading it takes more than {most} of memory; import it in parts"


def _unpacked_path(source: Source) -> PurePosixPath:
    """The path of a file, of one packed as .gz that of what is in it."""
    path = PurePosixPath(source.name)
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


@contextmanager
def _opened(source: Source, budget: SizeBudget) -> Iterator[BinaryIO]:
    """The file, unpacked where it is a .gz. Raises BadInput where it cannot be read."""
    try:
        with source.open() as file:
            packed = source.name.lower().endswith(".gz")
            yield archive.gunzip(file, source.size, budget) if packed else file
    except OSError as error:
        raise BadInput(f"it could not be read: {error.strerror}") from error


def _loaded(source: Source, budget: SizeBudget) -> bytes:
    path, limits = _unpacked_path(source), budget.limits
    packed = path.name != PurePosixPath(source.name).name
    kind = path.suffix.lower()
    if kind not in (*_PLAIN, *DOCUMENTS, *_ROWS, *_ARCHIVES, ".parquet"):
        raise Skipped(advice(kind))
    pictures = kind in _ARCHIVES or (kind in DOCUMENTS and DOCUMENTS[kind].pictures)
    most = limits.file_bytes if pictures else min(limits.file_bytes, limits.text_bytes)
    _admit(source.size, limits.file_bytes if packed else most, path)
    with _opened(source, budget) as file:
        content = file.read(most + 1)
    if packed and len(content) > most:
        raise Refused(f"it expands to more than {archive.megabytes(most)}; split it")
    _admit(len(content), most, path)  # special files have no size, others grow
    if not packed:
        if len(content) - source.size > budget.left:
            raise Refused(f"it is larger than it was said to be; at most {budget.most()}")
        budget.spend(len(content), source.size)
    if not content or content.isspace():
        raise Skipped("it is empty")
    return content


def _admit(size: int, most: int, path: PurePosixPath) -> None:
    if size > most:
        raise Refused(
            f"it is too large: {archive.megabytes(size)}; at most {archive.megabytes(most)} are"
            f" taken; {_WAYS_OUT.get(path.suffix.lower(), 'split it')}"
        )


def _contents(source: Source, budget: SizeBudget) -> Contents:
    """What is in a file, read as a whole."""
    return _read(source.name, _unpacked_path(source), _loaded(source, budget), budget)


def _read(
    name: str, path: PurePosixPath, content: bytes, budget: SizeBudget, first: FirstSlice = FIRST
) -> Contents:
    """What is in a file called `name`, which is of the kind that `path` tells; `first` is what its
    first slice was recognised as.
    """
    if not content or content.isspace():
        raise Skipped("it is empty")
    kind = path.suffix.lower()
    title, read_as = " ".join(path.stem.replace("_", " ").split()), ""
    if qrels.is_qrels(path):
        contents, read_as = qrels.read_qrels(decode(content)), "relevance judgments"
    elif kind in DOCUMENTS:
        contents, read_as = _document(name, title, kind, content, budget), DOCUMENTS[kind].what
    elif kind == ".parquet":
        contents = datasets.read_parquet(content, name, title, first.kind, budget.fields)
        read_as = f"Parquet, {_as_rows(contents)}"
    elif kind == ".jsonl" or kind == ".json":
        contents = _of_json(name, title, content, first, budget)
        read_as = f"JSON, {_as_rows(contents)}"
    elif kind in _ARCHIVES:
        raise Refused("an archive inside an archive; unpack it first")
    else:
        text = decoded(content)
        if kind in (".csv", ".tsv"):
            contents = datasets.read_table(text.text, name, title, first.kind, budget.fields)
        else:
            title = first.title or first_heading(text.text) or title
            contents = document(title, text.text, name)
        contents.notes.encoding(text)
    contents.read_as = contents.read_as or read_as
    return contents


def _as_rows(contents: Contents) -> str:
    """As what rows were read."""
    articles = {rows.CORPUS: "a corpus", rows.TABLE: "a table"}
    return articles.get(contents.kind, contents.kind) or "passages"


def _document(name: str, title: str, kind: str, content: bytes, budget: SizeBudget) -> Contents:
    if DOCUMENTS[kind].packed and content.startswith(b"PK"):
        archive.checked(content, budget).close()
    read = DOCUMENTS[kind].read(content)
    if not read.blocks and not read.attached:
        raise Skipped("; ".join(["there is no text in it", *read.report()]))
    return of_blocks(read, title, name)


def _of_json(
    name: str, title: str, content: bytes, first: FirstSlice, budget: SizeBudget
) -> Contents:
    lines = rows.json_lines(content)
    if lines is not None:
        return datasets.read_lines(lines, name, title, first.kind, budget.fields)
    text = decoded(content)
    contents = datasets.read_json(text.text, name, title, first.kind, budget.fields)
    contents.notes.encoding(text)
    return contents


def _folder(folder: Path, limits: Limits) -> list[Source]:
    """The folder's files. Raises Skipped where there are none, Refused beyond the limits."""
    sources = list(itertools.islice(_files_in(folder), limits.members + 1))
    if not sources:
        raise Skipped("the folder is empty")
    if len(sources) > limits.members:
        raise Refused(
            f"the folder holds more than {limits.members:,} files; import its parts one by one"
        )
    size = sum(source.size for source in sources)
    if size > limits.folder_bytes:
        most = archive.megabytes(limits.folder_bytes)
        raise Refused(
            f"the folder holds {archive.megabytes(size)}; at most {most} are taken; import its"
            " parts one by one"
        )
    return sources


def _files_in(folder: Path) -> Iterator[Source]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            if path.is_file() and not path.is_symlink() and not name.startswith("."):
                yield _source(path, path.relative_to(folder).as_posix())


def _source(path: Path, name: str) -> Source:
    return Source(storable(name), path.stat().st_size, lambda: path.open("rb"))
