"""The files of a build: read in parts, and every passage numbered before anything is extracted.

A file that an import would take is one part, a larger one several. Numbers, keys and documents are
those that a new workspace would give, known from hashes alone; which contents and keys there were
is kept on disk, so that memory does not grow with the texts.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gear_app import ingest
from gear_app.collections.known_passages import KnownPassages, Offer, offer, question_id
from gear_app.errors import BadInput
from gear_app.ingest import Batch, Limits, with_keys
from gear_app.store.disk_map import DiskMap
from gear_app.store.rows import text_hash
from gear_app.types import Passage, Question

KINDS = (".jsonl", ".parquet", ".txt", ".md", ".markdown", ".json", ".csv", ".tsv")
LARGE = Limits().text_bytes  # beyond it an import takes no file, and it is read in parts
PART_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or what it has from `start` to before `end`: bytes of a .jsonl, row groups of a
    .parquet; `end` 0: all of it.
    """

    path: str
    start: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


def parts_of(
    paths: Sequence[str], large: int = LARGE, part_bytes: int = PART_BYTES
) -> list[FilePart]:
    """The parts of files, in order. Raises BadInput for what is no file that can be read."""
    return [part for path in paths for part in _parts(Path(path), large, part_bytes)]


def read_part(part: FilePart) -> Batch:
    """What a part holds, as an import reads it. Raises BadInput where it cannot be used."""
    try:
        content = _content(part)
    except OSError as error:
        raise BadInput(f"{part.path} cannot be read here: {error.strerror}.") from error
    batch = ingest.read_files([(part.name, content)])
    failed = [report for report in batch.reports if report.status == "failed"]
    if failed:
        raise BadInput(f"{part.path} cannot be used: {failed[0].message}.")
    return batch


def _parts(path: Path, large: int, part_bytes: int) -> Iterator[FilePart]:
    whole = path.expanduser().absolute()
    if not whole.is_file():
        raise BadInput(
            f"{path} is no file. A build takes files; name those of a folder one by one."
        )
    kind = whole.suffix.lower()
    if kind not in KINDS:
        raise BadInput(
            f"{path.name}: a build reads {' '.join(KINDS)}. Import others into a workspace and push"
            " them: gear-app index push"
        )
    if whole.stat().st_size <= large:
        yield FilePart(str(whole))
    elif kind == ".jsonl":
        yield from _lines(whole, part_bytes)
    elif kind == ".parquet":
        yield from _row_groups(whole, part_bytes)
    else:
        raise BadInput(
            f"{path.name} is too large to be read at once. Split it, or make it a .jsonl or"
            " .parquet, which are read in parts."
        )


def _lines(path: Path, part_bytes: int) -> Iterator[FilePart]:
    """Parts of a .jsonl that end where a line does."""
    start = 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while start < size:
            file.seek(min(start + part_bytes, size))
            file.readline()
            yield FilePart(str(path), start, file.tell())
            start = file.tell()


def _row_groups(path: Path, part_bytes: int) -> Iterator[FilePart]:
    """Parts of a .parquet of whole row groups, at least one."""
    from pyarrow import parquet

    told = parquet.ParquetFile(path).metadata
    start = taken = 0
    for number in range(told.num_row_groups):
        taken += told.row_group(number).total_byte_size
        if taken >= part_bytes or number == told.num_row_groups - 1:
            yield FilePart(str(path), start, number + 1)
            start, taken = number + 1, 0


def _content(part: FilePart) -> bytes:
    """The bytes of a part, as those of a file of its own."""
    if not part.end:
        return Path(part.path).read_bytes()
    if part.path.lower().endswith(".parquet"):
        from pyarrow import parquet

        groups = parquet.ParquetFile(part.path).read_row_groups(range(part.start, part.end))
        file = io.BytesIO()
        parquet.write_table(groups, file)
        return file.getvalue()
    with Path(part.path).open("rb") as opened:
        opened.seek(part.start)
        return opened.read(part.end - part.start)


@dataclass(frozen=True, slots=True)
class PartContents:
    """What a part holds, without its texts. `documents` are the places of the passages' documents
    among those of the part.
    """

    passages: tuple[Offer, ...]
    documents: tuple[int | None, ...]
    document_hashes: tuple[bytes, ...]
    questions: tuple[Question, ...]
    gold: Mapping[str, Mapping[str, int]]
    max_iterations: int | None
    triples: int

    @property
    def digest(self) -> bytes:
        """Of its passages, by which one sees that a file was changed."""
        return _digest(self.passages)


def contents_of(part: FilePart) -> PartContents:
    """Read a part. Raises BadInput."""
    batch = read_part(part)
    return PartContents(
        tuple(map(offer, batch.passages)),
        tuple(passage.document for passage in batch.passages),
        tuple(text_hash(document.content) for document in batch.documents),
        batch.questions,
        dict(batch.gold),
        batch.max_iterations,
        sum(map(len, batch.triple_sets.values())),
    )


@dataclass(frozen=True, slots=True)
class NumberedPart:
    """A part and which of its passages are kept: their numbers (0: left out), the numbers of its
    documents, and the keys that are neither given nor made of the words alone.
    """

    part: FilePart
    digest: bytes
    numbers: NDArray[np.int64]
    documents: NDArray[np.int64]
    keys: Mapping[int, str]


def passages_of(numbered: NumberedPart) -> Iterator[Passage]:
    """The passages of a part that are kept, by number. Raises BadInput where its file is not as it
    was when it was numbered.
    """
    batch = read_part(numbered.part)
    offers = tuple(map(offer, batch.passages))
    if _digest(offers) != numbered.digest:
        raise BadInput(
            f"{numbered.part.path} was changed while it was read. Run the same command again."
        )
    rows = zip(batch.passages, offers, numbered.numbers.tolist(), strict=True)
    for place, (passage, offered, number) in enumerate(rows):
        if number:
            document = None
            if passage.document is not None:
                document = int(numbered.documents[passage.document])
            key = numbered.keys.get(place) or offered.key or offered.derived
            yield Passage(
                number, key, passage.title, passage.text, document, passage.start, passage.end
            )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many passages were there already, and how many triples came with files; and of those
    that are in, how many had the key of another and got one of their own.
    """

    same: int = 0
    renamed: int = 0
    triples: int = 0


@dataclass(slots=True)
class Numbering:
    """Takes the contents of parts one by one, in order, and numbers what is new in each."""

    passages: int = 0
    documents: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    _questions: dict[str, Question] = field(default_factory=dict)
    _limits: set[int | None] = field(default_factory=set)
    _key_of_hash: DiskMap = field(default_factory=DiskMap)
    _aliases: DiskMap = field(default_factory=DiskMap)
    _own: dict[tuple[str, str], str] = field(default_factory=dict)  # by file and key
    _texts: DiskMap = field(default_factory=DiskMap)
    _known: KnownPassages = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        self._known = KnownPassages(DiskMap(), self._key_of_hash)

    def number(self, part: FilePart, contents: PartContents) -> NumberedPart:
        """Number what a part has and no part before it."""
        new_texts = [hash_ not in self._texts for hash_ in contents.document_hashes]
        numbers = np.zeros(len(contents.passages), np.int64)
        documents = np.zeros(len(contents.document_hashes), np.int64)
        keys: dict[int, str] = {}
        same = renamed = 0
        pairs = zip(contents.passages, contents.documents, strict=True)
        for place, (offered, document) in enumerate(pairs):
            if document is not None and not new_texts[document]:
                same += 1
                continue
            new, key = self._known.admit(offered, part.name)
            same += not new
            if offered.key and offered.key != key:
                renamed += new
                self._own[part.path, offered.key] = key
                if self._known.name(offered.key, key):
                    self._aliases[offered.key] = key
            if new:
                self.passages += 1
                numbers[place] = self.passages
                if key not in (offered.key, offered.derived):
                    keys[place] = key
                if document is not None and not documents[document]:
                    self.documents += 1
                    documents[document] = self.documents
                    self._texts[contents.document_hashes[document]] = ""
        before = self.left_out
        self.left_out = LeftOut(
            before.same + same, before.renamed + renamed, before.triples + contents.triples
        )
        self._keep_questions(part, contents)
        return NumberedPart(part, contents.digest, numbers, documents, keys)

    @property
    def questions(self) -> list[Question]:
        """The questions that came with the files, in order."""
        return list(self._questions.values())

    @property
    def max_iterations(self) -> int | None:
        """The limit of iterations, where all files with questions have the same."""
        return next(iter(self._limits)) if len(self._limits) == 1 else None

    def _keep_questions(self, part: FilePart, contents: PartContents) -> None:
        def key(given: str) -> str:
            return self._own.get((part.path, given)) or str(self._aliases.get(given, given))

        for id_, grades in contents.gold.items():
            there = self._questions.get(id_)
            if there is not None:
                judged = {key(given): grade for given, grade in grades.items()}
                self._questions[id_] = there.with_gold(there.grades | judged)
        if contents.questions:
            self._limits.add(contents.max_iterations)
        words = {one.id: one.question for one in contents.questions}
        words |= {id_: one.question for id_, one in self._questions.items()}
        for question in contents.questions:
            id_ = question_id(question, part.name, words)
            self._questions[id_] = replace(with_keys(question, key), id=id_)


def _digest(offers: tuple[Offer, ...]) -> bytes:
    hashes = b"".join((one.key or "").encode() + b"\n" + one.hash for one in offers)
    return hashlib.blake2b(hashes, digest_size=16).digest()
