"""What comes out of reading files: values without ids, ready for a store to keep.

A passage is referred to by its key. Triples, entities and gold may name keys that are not in the
batch: they mean passages that the collection holds already.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest.gold import Sought
from gear_app.text import count
from gear_app.types import Document, Question, TripleWords

MEGABYTE = 1_000_000
MOST_CHARACTERS = 20_000_000  # of a document
# A thousand words with the white space after them: a long text is never in memory word by word.
_WORDS = re.compile(r"(?:\S++\s*+){1,1000}")
_MARKS = re.compile(r"[^\w\s\x00-\u02ff]{31,}")


class Skipped(BadInput):
    """A file that was left out on purpose; the message says why."""


class FileReport(NamedTuple):
    """What became of one file. The counts are of what was new in it; `read_as` is what it was taken
    for ("a Word document"), "" where it was not read. `present`: all of it was stored before.
    """

    name: str
    status: Literal["accepted", "skipped", "failed"]
    message: str
    documents: int = 0
    passages: int = 0
    questions: int = 0
    read_as: str = ""
    present: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What an import may cost. `ratio` is asked only of archive members that expand to more than a
    megabyte.
    """

    file_bytes: int = 200 * MEGABYTE
    text_bytes: int = 110 * MEGABYTE  # of a file that is all text; others are mostly pictures
    slice_bytes: int = 16 * MEGABYTE  # of a file of lines that is read at once; 0: all of it
    characters: int = 110_000_000  # of text in memory
    expanded_bytes: int = 50_000 * MEGABYTE  # everything packed, also in what was packed itself
    members: int = 10_000  # of one archive; files of one folder
    folder_bytes: int = 50_000 * MEGABYTE
    ratio: int = 100  # expanded to compressed; plain text seldom goes beyond 10
    cpu_s: int = 120  # of computing for one file
    cpu_s_a_megabyte: int = 1  # more, for a large file
    silent_s: int = 900  # without news from the process that reads, as from a disk that hangs
    memory_bytes: int = 4_000 * MEGABYTE  # of address space of the process that reads


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage to be kept. `document` is its document's place in the batch; then `text ==
    document.text[start:end]`.

    `key` is None where nothing names it. Parts of a long row that was named `x` are `x#1`, `x#2`, …
    """

    key: str | None
    title: str
    text: str
    document: int | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class NewTriple(TripleWords):
    """A ready-made triple of the passage `passage_key`; `sentence` is its source where the file
    tells it.
    """

    passage_key: str
    subject: str
    predicate: str
    object: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class NewEntities:
    """The names found in one passage by the run that made a triple set; () says that it was read in
    vain.
    """

    passage_key: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that was read, each content once. `triple_sets` and `entities` go by the set's
    name.

    `aliases` are ids under which a passage came again, with the key under which it is kept.
    `max_iterations` is 2 when all questions are HotpotQA's or 2WikiMultiHopQA's (GEAR App. B.1),
    else None. `gold` are judgments of questions which are not in the batch: by their ids the grade
    of each passage, which is gold where it is above 0. `sought` is gold of its questions that was
    not found in it, by the keys that stand for it; `beside` are keys of passages that lay beside
    questions, which a corpus may have, too.

    `part` is above 0 where it is a slice of one large file, numbered from 1: then the only report
    tells of all of the file up to here.
    """

    documents: tuple[Document, ...] = ()
    passages: tuple[NewPassage, ...] = ()
    questions: tuple[Question, ...] = ()
    triple_sets: Mapping[str, tuple[NewTriple, ...]] = field(default_factory=dict)
    entities: Mapping[str, tuple[NewEntities, ...]] = field(default_factory=dict)
    max_iterations: int | None = None
    reports: tuple[FileReport, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    sought: Mapping[str, Sought] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    part: int = 0


def admit(characters: int) -> None:
    """Raise Refused where a document of so many characters is too long."""
    if characters > MOST_CHARACTERS:
        raise Refused(f"it has more than {MOST_CHARACTERS:,} characters of text; split it")


def derived_key(title: str, text: str) -> str:
    """The key of a passage that has none: "p_" and 12 hex digits, the same wherever the same words
    come from.
    """
    return "p_" + hashlib.sha1(f"{title}\n{text}".encode(), usedforsecurity=False).hexdigest()[:12]


def own_ids(id_: str, file: str) -> Iterator[str]:
    """The ids, the best first, for what a file calls by an id that belongs to something else."""
    own = id_ if id_.startswith(f"{file}:") else f"{file}:{id_}"
    yield own
    yield from (f"{own}-{number}" for number in itertools.count(2))


class ChangedIds:
    """The ids of their own that passages and questions of a file got: how many, and the first."""

    def __init__(self) -> None:
        self._ids: dict[str, tuple[int, str]] = {}

    def add(self, what: str, id_: str) -> None:
        """A passage or a question was kept under this id."""
        number, first = self._ids.get(what, (0, id_))
        self._ids[what] = number + 1, first

    def words(self) -> Iterator[str]:
        """What is said of them."""
        for what, (number, first) in self._ids.items():
            more = " and so on" if number > 1 else ""
            yield f"{count(number, what)} with the id of another, kept as {first!r}{more}"


def with_keys(question: Question, key: Callable[[str], str]) -> Question:
    """The question with the keys that `key` gives for those of its gold passages."""
    hops = tuple(
        dataclasses.replace(hop, supporting_key=key(hop.supporting_key))
        for hop in question.decomposition
    )
    gold: dict[str, int] = {}
    for given, grade in question.grades.items():
        gold[key(given)] = max(grade, gold.get(key(given), 0))
    return dataclasses.replace(question.with_gold(gold), decomposition=hops)


def content_hash(title: str, text: str) -> bytes:
    """Equal for the same content: title and text after NFC with runs of white space as one
    space.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in (title, text):
        for some in _WORDS.finditer(part):
            digest.update(" ".join([*_composed(some[0]).split(), ""]).encode())
        digest.update(b"\n")
    return digest.digest()


def _composed(text: str) -> str:
    """The text after NFC. Composing takes the square of the marks in a row; no script has more than
    30 of them, and runs of what might be more are parted (Unicode Standard Annex 15, section 13).
    """
    return text if text.isascii() else unicodedata.normalize("NFC", _MARKS.sub(_parted, text))


def _parted(run: re.Match[str]) -> str:
    marks = run[0]
    return "\u034f".join(marks[start : start + 30] for start in range(0, len(marks), 30))
