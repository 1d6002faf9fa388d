"""What several files held becomes one batch: each content once, names checked, and a sentence a
file.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Generic, Literal, NamedTuple, TypeVar

from gear_app.bounds import MOST_QUESTION
from gear_app.errors import BadInput
from gear_app.ingest.batch import (
    Batch,
    ChangedIds,
    FileReport,
    NewEntities,
    NewPassage,
    NewTriple,
    Skipped,
    content_hash,
    derived_key,
    own_ids,
    with_keys,
)
from gear_app.ingest.contents import Contents, Notes
from gear_app.ingest.decode import storable
from gear_app.ingest.gold import FoundGold, GoldSearch, Sought, with_found
from gear_app.ingest.openie import IMPORTED
from gear_app.ingest.question_rows import HOTPOT, TWO_WIKI
from gear_app.text import count, normalise_entity
from gear_app.types import Document, Question

LONGEST_NAME = 1_000
MOST_TRIPLES = 1_000  # of one passage in one set
SETS_SHOWN = 3
_OTHER_GRADE = "other than before on the same passage: the last one counts"
_ONCE = "occurring again, stored once"
_NEW = ("document", "passage", "question")
Places = tuple[int | str, ...]  # a file, by its number, and the folders that it lies in
T = TypeVar("T")


class Ids(Generic[T]):
    """What ids mean where several files give the same one to different things: in the file that
    brought a thing, and in its folder, that; everywhere else the first that had the id.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[T, Places]] = {}  # with the file that gave it
        self._own: dict[tuple[int | str, str], T] = {}  # by file or folder, and id

    def __contains__(self, id_: object) -> bool:
        return id_ in self._first

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def give(self, id_: str, meaning: T, places: Places) -> None:
        """Let the id mean this, as a file says that lies there."""
        first, of_first = self._first.setdefault(id_, (meaning, places))
        if first != meaning:
            for place in places:
                if place not in of_first:
                    self._own.setdefault((place, id_), meaning)

    def meaning(self, id_: str, places: Places = ()) -> T | None:
        """What the id means to a file that lies there; None where nothing has it."""
        for place in places if self._own else ():
            if (place, id_) in self._own:
                return self._own[place, id_]
        first = self._first.get(id_)
        return first[0] if first else None

    def free(self, id_: str, file: str) -> str:
        """The id of its own that a thing gets where its id means something else."""
        return next(own for own in own_ids(id_, file) if own not in self)


@dataclass(slots=True)
class FileTally:
    """What a file held, as its report tells it; the slices of a large file are added up. `lines`
    are those of the slices before the one that is added.
    """

    new: Counter[str] = field(default_factory=Counter)  # documents, passages, questions
    triples: Counter[str] = field(default_factory=Counter)  # that are new, by set
    judged: int | None = None  # questions with gold in a file of judgments
    entities: int = 0  # passages whose names it has
    dropped: Notes = field(default_factory=Notes)
    renamed: ChangedIds = field(default_factory=ChangedIds)
    notes: Notes = field(default_factory=Notes)
    lines: int = 0
    read_as: str = ""

    def add(self, contents: Contents) -> None:
        """Add what was remarked on while contents were read."""
        self.read_as = self.read_as or contents.read_as
        self.notes.add(contents.notes, self.lines)

    def report(self, name: str, same: str) -> FileReport:
        """The report of the file; `same` is the one that brought its text before, or ""."""
        counts = [count(self.new[what], what) for what in _NEW if self.new[what]]
        of_sets = [f"{count(n, 'triple')} in the set {set_!r}" for set_, n in self.triples.items()]
        if len(of_sets) > SETS_SHOWN:
            of_sets[SETS_SHOWN:] = [f"and more in {count(len(of_sets) - SETS_SHOWN, 'set')}"]
        counts += of_sets
        counts += [] if self.judged is None else [f"gold of {count(self.judged, 'question')}"]
        counts += [f"entities of {count(self.entities, 'passage')}"] if self.entities else []
        remarks = [*self.dropped.sentences(), *self.renamed.words(), *self.notes.sentences()]
        if not counts:
            why = same_words(same) if same else "; ".join(remarks)
            why = storable(why) or "there is nothing in it"
            return FileReport(name, "skipped", why, read_as=self.read_as)
        told = storable("; ".join([", ".join(counts), *remarks]))
        documents, passages, questions = (self.new[what] for what in _NEW)
        return FileReport(name, "accepted", told, documents, passages, questions, self.read_as)


class _File(NamedTuple):
    """A file whose passages and questions are joined with those of the others."""

    name: str
    places: Places
    contents: Contents
    tally: FileTally


class Merger:
    """Takes the contents of files one by one and hands out the batch, after which it is empty.
    `reports` may be added to in between.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._documents: list[Document] = []
        self._passages: list[NewPassage] = []
        self._questions: dict[str, tuple[Question, Places]] = {}
        self._triples: dict[str, dict[NewTriple, None]] = {}
        self._triples_of: dict[str, Counter[str]] = {}  # how many, by set and passage
        self._entities: dict[str, dict[str, dict[str, None]]] = {}  # names by set and passage
        self._gold: dict[str, dict[str, int]] = {}  # of judgments, by question
        self._datasets: set[str] = set()
        # Content to the file that brought it, and to the places of its passages.
        self._seen_documents: dict[bytes, tuple[str, list[int]]] = {}
        self._seen_passages: dict[bytes, int] = {}  # content to place
        self._keys = Ids[int]()  # the place of the passage, also of one that was there already
        self._ids = Ids[str]()  # of questions: the id under which it is kept
        self._files: dict[int, _File] = {}  # by the place of the report
        self.reports: list[FileReport] = []

    def add(self, name: str, contents: Contents, tally: FileTally | None = None) -> None:
        """Join the documents, passages and questions that the file `name` held. What names them is
        joined when all are known: judgments may be read before what they judge. `tally` is of the
        slices of the file before this one.
        """
        number = len(self.reports)
        folders = [str(folder) for folder in PurePosixPath(name).parents]
        file = _File(name, (number, *folders), contents, tally or FileTally())
        file.tally.add(contents)
        before = len(self._documents), len(self._passages), len(self._questions)
        same = self._add_passages(file)
        for question in contents.questions:
            self._question(question, file)
        contents.passages.clear()  # all that are kept are in the batch
        self._datasets |= contents.datasets
        after = len(self._documents), len(self._passages), len(self._questions)
        for what, now, then in zip(_NEW, after, before, strict=True):
            file.tally.new[what] += now - then
        self.reports.append(FileReport(name, "skipped", same))
        self._files[number] = file

    def refuse(self, name: str, error: BadInput) -> None:
        """Report a file of which nothing is taken."""
        status: Literal["skipped", "failed"] = "skipped" if isinstance(error, Skipped) else "failed"
        self.reports.append(FileReport(name, status, str(error)))

    def batch(self) -> Batch:
        """Everything, with the reports. Triples, entities and gold name the passages that were
        kept.
        """
        found, sought = self._find_gold()
        for place, file in self._files.items():
            of_file = {key: one for key, one in file.contents.sought.items() if key in sought}
            if any(key in found.keys for key in of_file):  # else the collection may have it
                file.tally.notes.say(found.words(of_file, "in what was read with it"))
            self.reports[place] = self._report(file, self.reports[place].message)
        questions = tuple(
            self._with_kept_keys(with_found(question, found.keys), places)
            for question, places in self._questions.values()
        )
        batch = Batch(
            tuple(self._documents),
            tuple(self._passages),
            questions,
            {name: tuple(triples) for name, triples in self._triples.items()},
            {
                self._set_of_entities(name): tuple(
                    NewEntities(key, tuple(names)) for key, names in items.items()
                )
                for name, items in self._entities.items()
            },
            2 if self._datasets and self._datasets <= {HOTPOT, TWO_WIKI} else None,
            tuple(self.reports),
            {key: kept for key in self._keys if (kept := self._kept(key)) != key},
            {id_: judged for id_, judged in self._gold.items() if id_ not in self._questions},
            {key: one for key, one in sought.items() if key not in found.keys},
            frozenset[str]().union(*(file.contents.beside for file in self._files.values())),
        )
        self._clear()
        return batch

    def _add_passages(self, file: _File) -> str:
        """Join a file's documents and passages; the file that brought the text of its first
        document before, else "".
        """
        documents, seen = file.contents.documents, list[tuple[str, list[int]]]()
        kept = list[int | None]()  # the places of its documents that are new
        for document in documents:
            content = content_hash("", document.content)
            new = content not in self._seen_documents
            seen.append(self._seen_documents.setdefault(content, (file.name, [])))
            kept.append(len(self._documents) if new else None)
            if new:
                self._documents.append(document)
            else:
                file.tally.dropped.count("document", "with the text of one before it, stored once")
        numbers = [0] * len(documents)  # of the next passage of each
        for passage in file.contents.passages:
            if passage.document is None:
                self._passage(passage, file)
                continue
            number, places = numbers[passage.document], seen[passage.document][1]
            numbers[passage.document] += 1
            place = kept[passage.document]
            if place is not None:
                places.append(self._passage(dataclasses.replace(passage, document=place), file))
            elif passage.key and number < len(places):
                self._name(passage.key, places[number], file)
        return seen[0][0] if kept and kept[0] is None else ""

    def _passage(self, passage: NewPassage, file: _File) -> int:
        """Join a passage; its place, or that of the one with the same content."""
        content = content_hash(passage.title, passage.text)
        place = self._seen_passages.get(content)
        if place is not None:
            file.tally.dropped.count("passage", _ONCE)
            if passage.key:
                self._name(passage.key, place, file)
            return place
        place = self._seen_passages[content] = len(self._passages)
        self._passages.append(passage)
        if passage.key and passage.key in self._keys:
            own = self._keys.free(passage.key, file.name)
            file.tally.renamed.add("passage", own)
            self._passages[place] = dataclasses.replace(passage, key=own)
            self._keys.give(own, place, file.places)
        if passage.key:
            self._keys.give(passage.key, place, file.places)
        return place

    def _name(self, key: str, place: int, file: _File) -> None:
        """Let the key mean the passage at `place`; a passage without a key takes it."""
        if self._passages[place].key is None and key not in self._keys:
            self._passages[place] = dataclasses.replace(self._passages[place], key=key)
        self._keys.give(key, place, file.places)

    def _question(self, question: Question, file: _File) -> None:
        if len(question.question) > MOST_QUESTION:
            file.tally.dropped.count(
                "question", f"left out: more than {MOST_QUESTION:,} characters"
            )
            return
        there = self._ids.meaning(question.id, file.places)
        if there and self._questions[there][0].question == question.question:
            file.tally.dropped.count("question", _ONCE)
            return
        id_ = question.id
        if id_ in self._ids:
            id_ = self._ids.free(id_, file.name)
            file.tally.renamed.add("question", id_)
            self._ids.give(id_, id_, file.places)
        self._ids.give(question.id, id_, file.places)
        self._questions[id_] = dataclasses.replace(question, id=id_), file.places

    def _add_triples(self, set_name: str, triples: Sequence[NewTriple], file: _File) -> int:
        """Add triples to a set; how many were new."""
        dropped = file.tally.dropped.count
        kept = self._triples.setdefault(set_name, {})
        of_passage = self._triples_of.setdefault(set_name, Counter())
        before = len(kept)
        for given in triples:
            key = self._kept(given.passage_key, file.places)
            triple = dataclasses.replace(given, passage_key=key)
            if max(len(triple.subject), len(triple.object)) > LONGEST_NAME:
                dropped("triple", f"dropped: a name of more than {LONGEST_NAME:,} characters")
            elif not (normalise_entity(triple.subject) and normalise_entity(triple.object)):
                dropped("triple", "dropped: a name without letters or digits")
            elif triple in kept:
                dropped("triple", "occurring again in a passage, dropped")
            elif of_passage[triple.passage_key] == MOST_TRIPLES:
                dropped("triple", f"left out: a passage may have {MOST_TRIPLES:,} in a set")
            else:
                of_passage[triple.passage_key] += 1
                kept[triple] = None
        return len(kept) - before

    def _add_entities(self, set_name: str, entities: Sequence[NewEntities], file: _File) -> int:
        kept = self._entities.setdefault(set_name, {})
        for item in entities:
            names = kept.setdefault(self._kept(item.passage_key, file.places), {})
            names.update(dict.fromkeys(filter(_is_name, item.names)))
        return len(entities)

    def _set_of_entities(self, name: str) -> str:
        """Entities whose file names no set belong to the only set of triples, where there is
        one.
        """
        unnamed = name == IMPORTED and name not in self._triples
        return next(iter(self._triples)) if unnamed and len(self._triples) == 1 else name

    def _kept(self, key: str, places: Places = ()) -> str:
        """The key under which the passage is kept that a file there means by this key; the key
        itself where none is known.
        """
        place = self._keys.meaning(key, places)
        return key if place is None else self._passages[place].key or key

    def _with_kept_keys(self, question: Question, places: Places) -> Question:
        kept = with_keys(question, lambda key: self._kept(key, places))
        return kept.with_gold(kept.grades | self._gold.get(question.id, {}))

    def _find_gold(self) -> tuple[FoundGold, dict[str, Sought]]:
        """What the passages have of the gold that none of them is called by, and all of that. A
        passage that is gold gets a key, where it has none.
        """
        sought = {
            key: one
            for file in self._files.values()
            for key, one in file.contents.sought.items()
            if key not in self._keys and f"{key}#1" not in self._keys
        }
        if not sought or not self._passages:
            return FoundGold({}), sought
        search, without_key = GoldSearch(sought), dict[str, int]()
        for place, passage in enumerate(self._passages):
            key = passage.key or derived_key(passage.title, passage.text)
            if passage.key is None:
                without_key[key] = place
            search.look(key, passage.title, passage.text)
        found = search.found()
        for key in {key for keys in found.keys.values() for key in keys} & without_key.keys():
            place = without_key[key]
            self._passages[place] = dataclasses.replace(self._passages[place], key=key)
            self._keys.give(key, place, ())
        return found, sought

    def _add_judgments(self, file: _File) -> None:
        """Keep what a file of judgments says of the questions and passages that it means."""
        for question_id, grades in file.contents.gold.items():
            id_ = self._ids.meaning(question_id, file.places) or question_id
            judged = self._gold.setdefault(id_, {})
            for key, grade in grades:
                kept = self._kept(key, file.places)
                if judged.setdefault(kept, grade) != grade:
                    file.tally.dropped.count("judgment", _OTHER_GRADE)
                judged[kept] = grade

    def _report(self, file: _File, same: str) -> FileReport:
        """Join what names passages and questions, and report on all of the file."""
        contents, tally = file.contents, file.tally
        self._add_judgments(file)
        for set_name, triples in contents.triples.items():
            new = self._add_triples(set_name, triples, file)
            if triples:
                tally.triples[set_name] += new
        for set_name, entities in contents.entities.items():
            tally.entities += self._add_entities(set_name, entities, file)
        if contents.gold:
            judged = [grades for grades in contents.gold.values() if any(g > 0 for _, g in grades)]
            tally.judged = (tally.judged or 0) + len(judged)
        return tally.report(file.name, same)


def same_words(other: str) -> str:
    """What is said of a file with the text of another."""
    return f"the same text as {other}; stored once"


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and bool(normalise_entity(name))
