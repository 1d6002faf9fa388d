"""The ways in: uploads, a path, pasted text. Whatever is wrong with a file ends up in its
report.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive, chat, datasets, qrels, rows
from gear_app.ingest.archive import Begin, SizeBudget, Source
from gear_app.ingest.batch import MEGABYTE, Batch, FileReport, Limits, Skipped
from gear_app.ingest.contents import Contents, document, of_blocks
from gear_app.ingest.decode import decode, decoded, storable
from gear_app.ingest.documents import first_heading
from gear_app.ingest.merge import Merger
from gear_app.ingest.readers import DOCUMENTS, TEXTS, advice

_ROWS = (".csv", ".tsv", ".jsonl", ".json", ".qrels")
_USERS, _MOST_USERS = "users.json", 20 * MEGABYTE  # of Slack's exports
_BESIDE_MESSAGES = ("channels.json", "groups.json", "dms.json", "mpims.json", "canvases.json")
_PLAIN = (*TEXTS, "")
_ARCHIVES = (".zip", ".gz")
_PACK = re.compile(
    r"(?:corpus|questions|queries|triples(?:\..+)?|entities(?:\..+)?)\.jsonl(?:\.gz)?"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What is to be read: a file or folder at `path`, or uploaded `files`, each with its name and
    where it lies now, or a pasted text, which lies in the file `text` and is called `title`.
    """

    path: str = ""
    files: tuple[tuple[str, str], ...] = ()
    text: str = ""
    title: str = ""


def read_origin(
    origin: Origin, limits: Limits | None = None, begin: Begin = lambda source: None
) -> Batch:
    """Everything an origin holds. Raises BadInput when there is nothing at its path.

    `begin` is told of every file before it is read, and may refuse it by raising BadInput.
    """
    budget = SizeBudget(limits or Limits(), begin)
    if origin.path:
        return _read_path(Path(origin.path), budget)
    if origin.text:
        return read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
    merger = Merger()
    for name, path in origin.files:
        _take(merger, _source(Path(path), name, budget.limits), budget)
    return merger.batch()


def is_light(origin: Origin) -> bool:
    """Whether reading it costs next to nothing: a megabyte at most, of text and rows only.

    Everything else is read in a process of its own, which can be stopped (ingest.process).
    """
    try:
        sources = _sources(origin)
    except (BadInput, OSError):
        return True  # which the reading will say
    small = sum(source.size for source in sources) <= MEGABYTE
    return small and all(_is_light(PurePosixPath(s.name).suffix.lower()) for s in sources)


def _is_light(kind: str) -> bool:
    return kind in (*_PLAIN, *_ROWS) or (kind in DOCUMENTS and DOCUMENTS[kind].light)


def read_files(files: Iterable[tuple[str, bytes]], limits: Limits | None = None) -> Batch:
    """Uploads as (name, content), archives opened, in the order given."""
    merger = Merger()
    budget = SizeBudget(limits or Limits())
    for name, content in files:
        _take(merger, Source(storable(name), len(content), partial(bytes, content)), budget)
    return merger.batch()


def read_path(path: Path, limits: Limits | None = None) -> Batch:
    """A file, a pack, or a folder of files and packs, by name; links to other places are not
    followed.

    Raises BadInput when there is no such path.
    """
    return _read_path(path, SizeBudget(limits or Limits()))


def _read_path(path: Path, budget: SizeBudget) -> Batch:
    merger = Merger()
    if path.is_dir():
        try:
            _take_all(merger, _folder(path, budget.limits), budget)
        except Skipped as error:
            merger.reports.append(FileReport(path.name, "skipped", str(error)))
        except Refused as error:
            merger.reports.append(FileReport(path.name, "failed", str(error)))
    elif path.is_file():
        _take(merger, _source(path, path.name, budget.limits), budget)
    else:
        raise BadInput(f"No such file or folder: {path}")
    return merger.batch()


def _sources(origin: Origin) -> list[Source]:
    """The files of an origin; none of them is read."""
    limits, path = Limits(), Path(origin.path or origin.text)
    if origin.files:
        return [_source(Path(path), name, limits) for name, path in origin.files]
    if path.is_dir():
        return _folder(path, limits)
    return [_source(path, path.name, limits)]


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it takes its heading, else its first words."""
    merger = Merger()
    name = title.strip() or first_heading(text) or " ".join(text.split(None, 8)[:8])[:80]
    if not text.strip():
        merger.reports.append(FileReport(name or "pasted text", "skipped", "it is empty"))
        return merger.batch()
    try:
        merger.add(name, document(name, text, "pasted text"))
    except Refused as error:
        merger.reports.append(FileReport(name, "failed", str(error)))
    return merger.batch()


def _take_all(merger: Merger, sources: list[Source], budget: SizeBudget) -> None:
    """Take files that lie in folders; beside the files of a pack, nothing else is read."""
    packs = {
        PurePosixPath(s.name).parent for s in sources if _PACK.fullmatch(PurePosixPath(s.name).name)
    }
    users = [source for source in sources if PurePosixPath(source.name).name == _USERS]
    for source in users:
        with suppress(BadInput):
            budget.people |= chat.people(source.load() if source.size <= _MOST_USERS else b"")
    for source in sources:
        path = PurePosixPath(source.name)
        judged = qrels.is_qrels(path)
        if path.parent in packs and not (judged or _PACK.fullmatch(path.name)):
            merger.reports.append(
                FileReport(source.name, "skipped", "not a part of the pack it lies in")
            )
        else:
            _take(merger, source, budget)


def _take(merger: Merger, source: Source, budget: SizeBudget) -> None:
    try:
        budget.begin(source)
        if source.name.lower().endswith(".zip"):
            members = archive.members(source.name, _loaded(source, budget), budget)
            _take_all(merger, members, budget)
        else:
            contents = _contents(source.name, _loaded(source, budget), budget)
            budget.hold(contents.characters)
            merger.add(source.name, contents)
            for name, attached in contents.attached:
                path = storable(f"{source.name}/{name}")
                _take(merger, Source(path, len(attached), partial(bytes, attached)), budget)
    except Skipped as error:
        merger.reports.append(FileReport(source.name, "skipped", str(error)))
    except BadInput as error:
        merger.reports.append(FileReport(source.name, "failed", str(error)))
    except MemoryError:
        merger.reports.append(FileReport(source.name, "failed", too_much_memory(budget.limits)))


def too_much_memory(limits: Limits) -> str:
    """Why a file that needs more memory than the limit is left out."""
    most = archive.megabytes(limits.memory_bytes)
    return f"reading it takes more than {most} of memory; import it in parts"


def _loaded(source: Source, budget: SizeBudget) -> bytes:
    path = PurePosixPath(source.name)
    _admit_kind(path)
    most = _most(path, budget.limits)
    _admit(source.size, most)
    content = source.load()
    _admit(len(content), most)  # special files have no size, others grow
    if len(content) - source.size > budget.left:
        raise Refused(f"it is larger than it was said to be; at most {budget.most()}")
    budget.spend(len(content), source.size)
    if not content or content.isspace():
        raise Skipped("it is empty")
    return content


def _admit_kind(path: PurePosixPath) -> None:
    kind = path.suffix.lower()
    if kind not in (*_PLAIN, *DOCUMENTS, *_ROWS, *_ARCHIVES, ".parquet"):
        raise Skipped(advice(kind))


def _most(path: PurePosixPath, limits: Limits) -> int:
    """The bytes that are taken of a file of this name."""
    kind = path.suffix.lower()
    pictures = kind in _ARCHIVES or (kind in DOCUMENTS and DOCUMENTS[kind].pictures)
    return limits.file_bytes if pictures else min(limits.file_bytes, limits.text_bytes)


def _admit(size: int, most: int) -> None:
    if size > most:
        raise Refused(
            f"it is too large: {archive.megabytes(size)}; at most {archive.megabytes(most)} are"
            " taken; split it"
        )


def _contents(name: str, content: bytes, budget: SizeBudget) -> Contents:
    path = PurePosixPath(name)
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
        _admit_kind(path)
        content = archive.gunzip(content, budget, _most(path, budget.limits))
    kind = path.suffix.lower()
    title = " ".join(path.stem.replace("_", " ").split())
    if qrels.is_qrels(path):
        return qrels.read_qrels(decode(content))
    if kind in _PLAIN:
        text, note = decoded(content)
        contents = document(first_heading(text) or title, text, name)
        contents.notes += [note] if note else []
        return contents
    if kind in DOCUMENTS:
        if DOCUMENTS[kind].packed and content.startswith(b"PK"):
            archive.checked(content, budget).close()
        read = DOCUMENTS[kind].read(content)
        if not read.blocks and not read.attached:
            raise Skipped("; ".join(["there is no text in it", *read.report()]))
        return of_blocks(read, title, name)
    if kind in (".csv", ".tsv"):
        text, note = decoded(content)
        contents = datasets.read_table(text, name, title)
        contents.notes += [note] if note else []
        return contents
    if kind == ".json" and path.name == _USERS and budget.people:
        raise Skipped(f"names of {len(budget.people):,} people, taken for the messages beside it")
    if kind == ".json" and path.name in _BESIDE_MESSAGES and budget.people:
        raise Skipped("says what channels there are; their messages lie in their folders")
    if kind == ".json" and (talk := chat.read_chat(content, budget.people)):
        talk.title = talk.title or " ".join(filter(None, [path.parent.name, title]))
        return of_blocks(talk, title, name)
    if kind in (".json", ".jsonl"):
        lines = rows.json_lines(content)
        if lines is not None:
            return datasets.read_lines(lines, name, title)
        text = decode(content)
        del content  # a large file is not there twice while it is read
        return datasets.read_json(text, name, title)
    if kind == ".parquet":
        return datasets.read_parquet(content, name, title)
    raise Refused("an archive inside an archive; unpack it first")


def _folder(folder: Path, limits: Limits) -> list[Source]:
    """The folder's files. Raises Skipped where there are none, Refused beyond the limits."""
    sources = list(itertools.islice(_files_in(folder, limits), limits.members + 1))
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


def _files_in(folder: Path, limits: Limits) -> Iterator[Source]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            if path.is_file() and not path.is_symlink() and not name.startswith("."):
                yield _source(path, path.relative_to(folder).as_posix(), limits)


def _source(path: Path, name: str, limits: Limits) -> Source:
    def load() -> bytes:
        try:
            with path.open("rb") as file:
                return file.read(_most(PurePosixPath(path), limits) + 1)
        except OSError as error:
            raise BadInput(f"it could not be read: {error.strerror}") from error

    return Source(storable(name), path.stat().st_size, load)
