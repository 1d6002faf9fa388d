"""Values that reading a file gives, ready for a store to keep: documents, passages, questions,
triples and gold.

A passage is referred to by its key. Triples, entities and gold may name passages of other files, or
of the collection.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.core.types import Document, Question, TripleWords

# Title of a gold passage, or a text in it, or both; the same in both where the file does not say
# which it is.
GoldClue = tuple[str, str]
MEGABYTE = 1_000_000
MOST_CHARACTERS = 20_000_000  # of a document
REMARKS = 3  # in the report of a file
Status = Literal["accepted", "skipped", "failed"]


class Skipped(BadInput):
    """A file that is left out on purpose; the message says why."""


class FileReport(NamedTuple):
    """Result of importing one file. The counts are of what was new; `read_as` is the recognised
    format ("a Word document"); `present`: all of it was stored before.
    """

    name: str
    status: Status
    message: str
    documents: int = 0
    passages: int = 0
    questions: int = 0
    read_as: str = ""
    present: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an import."""

    file_bytes: int = 200 * MEGABYTE
    part_characters: int = 8_000_000  # of a file of rows or lines that are in memory at once
    expanded_bytes: int = 50_000 * MEGABYTE  # of an archive, and of a folder
    members: int = 10_000  # of an archive or a folder
    ratio: int = 100  # expanded to compressed, of members beyond a megabyte
    file_s: int = 300  # of reading a file
    file_s_a_megabyte: int = 2  # more, for a large one
    memory_bytes: int = 4_000 * MEGABYTE  # of address space of the process that reads


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage to be stored. `document` is the index of its document in the batch; then `text ==
    document.text[start:end]`. Parts of a long row with the key `x` are `x#1`, `x#2` and so on.
    """

    key: str | None
    title: str
    text: str
    document: int | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class NewTriple(TripleWords):
    """A triple of the passage `passage_key`, with its source sentence if the file has it."""

    passage_key: str
    subject: str
    predicate: str
    object: str
    sentence: str = ""


@dataclass(slots=True)
class Notes:
    """Remarks about a file: sentences, and counts of something with the first example of each."""

    counts: dict[str, tuple[int, str]] = field(default_factory=dict)  # by "noun<tab>rest"

    def add_sentence(self, sentence: str) -> None:
        """Add a sentence, once."""
        self.count("", sentence)

    def count(self, noun: str, rest: str, number: int = 1, example: str = "") -> None:
        """Add to a count; the first example is reported."""
        self.add(Notes({f"{noun}\t{rest}": (number, example)}))

    def add(self, other: Notes) -> None:
        """Add the remarks about another part of the file."""
        for name, (number, example) in other.counts.items():
            before, first = self.counts.get(name, (0, example))
            self.counts[name] = before + number, first

    def sentences(self) -> list[str]:
        """All remarks, in order of their first occurrence."""
        sentences = []
        for name, (number, example) in self.counts.items():
            noun, rest = name.split("\t")
            words = f"{count(number, noun)} {rest}".strip() if noun else rest
            if number and words:
                sentences.append(f"{words} ({example})" if example else words)
        return sentences


@dataclass(slots=True)
class Batch:
    """Contents of a file, or of a part of a large one (`part` counts from 1).

    `gold` are judgements by the ids of questions, which may be of other files: the grade of each
    passage. `clues` describe gold passages that are yet to be found, by the key that stands for
    them in questions. `entities` are the names in passages, by set and key. `status` is not
    "accepted" for a file that is left out, for the reason in `notes`.
    """

    name: str = ""
    part: int = 1
    status: Status = "accepted"
    read_as: str = ""
    documents: list[Document] = field(default_factory=list)
    passages: list[NewPassage] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    triples: dict[str, list[NewTriple]] = field(default_factory=dict)
    entities: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    gold: dict[str, dict[str, int]] = field(default_factory=dict)
    clues: dict[str, GoldClue] = field(default_factory=dict)
    datasets: set[str] = field(default_factory=set)
    notes: Notes = field(default_factory=Notes)


def refused(name: str, error: BadInput, part: int = 1) -> Batch:
    """Batch of a file, or of the rest of one, that is left out because of an error."""
    batch = Batch(name, part, "skipped" if isinstance(error, Skipped) else "failed")
    batch.notes.add_sentence(str(error) if part < 2 else f"left out from part {part} on: {error}")
    return batch


@dataclass(slots=True)
class FileTally:
    """Counts and remarks of one file, added up over its parts. `new` counts documents, passages and
    questions that were not there before, then what belongs to them: triples, entities, gold.
    """

    name: str
    status: Status = "accepted"
    read_as: str = ""
    content: bool = False  # passages or questions, new or not
    new: Notes = field(
        default_factory=lambda: Notes(
            {"document\t": (0, ""), "passage\t": (0, ""), "question\t": (0, "")}
        )
    )
    notes: Notes = field(default_factory=Notes)

    def add(self, batch: Batch) -> None:
        """Add a part."""
        self.content |= bool(batch.passages or batch.questions)
        for name, triples in batch.triples.items():
            self.new.count("triple", f"in the set {name!r}", len({*triples}))
            again = len(triples) - len({*triples})
            self.notes.count("triple", "occurring again in a passage, dropped", again)
        self.new.count("passage", "with entities", sum(map(len, batch.entities.values())))
        self.new.count("question", "with gold", len(batch.gold))
        self.notes.add(batch.notes)

    def report(self) -> FileReport:
        """Report of the file."""
        new, remarks = self.new.sentences(), self.notes.sentences()
        present = self.status == "accepted" and self.content and not new
        if len(remarks) > REMARKS:
            remarks[REMARKS:] = [f"and {len(remarks) - REMARKS} more"]
        if present:
            remarks.insert(0, "everything in it is there already")
        message = "; ".join(filter(None, [", ".join(new), *remarks])) or "there is nothing in it"
        documents, passages, questions, *_ = (number for number, _ in self.new.counts.values())
        return FileReport(
            self.name,
            self.status if new or self.status != "accepted" else "skipped",
            message,
            documents,
            passages,
            questions,
            self.read_as,
            present,
        )


def derived_key(title: str, text: str) -> str:
    """Key of a passage without an id: "p_" and 12 hex digits of the hash of its words."""
    return "p_" + hashlib.sha1(f"{title}\n{text}".encode(), usedforsecurity=False).hexdigest()[:12]


Fields = Mapping[str, str]
# Roles that somebody may give to the fields of a file: `--fields question=q,answers=a`.
ROLES = (
    *("question", "answers", "gold", "text", "title", "id", "type"),
    *("subject", "predicate", "object", "passage"),
)
NO_FIELDS: Fields = {}
