"""Storing what was read: each content once, ids unique, and for every file what became of it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from gear_app.collections.known_passages import KnownPassages, LookUp, offer, question_id
from gear_app.collections.overview import missing_gold
from gear_app.corpus.provenance import extraction, refused_words, store_triples
from gear_app.errors import NotReady
from gear_app.ingest import (
    Batch,
    ChangedIds,
    FileReport,
    GoldSearch,
    NewPassage,
    NewTriple,
    content_hash,
    with_found,
    with_keys,
)
from gear_app.store import Store
from gear_app.store.disk_map import DiskMap
from gear_app.store.imports import ImportProgress
from gear_app.store.rows import CollectionRow
from gear_app.text import count
from gear_app.types import PASTED, Passage, Question, Span

PASSAGES_AT_ONCE = 2000  # a transaction: others wait for it, and a kill loses no more
T = TypeVar("T")
SURE_TEXT = 40  # characters, with which a text is no other's
SHOWN = 3  # remarks about a file


class _Candidate(NamedTuple):
    """A passage of the batch, with its file's place among the reports."""

    passage: NewPassage
    file: int


class _Fresh(NamedTuple):
    """A passage that is not in the collection yet, with the key it gets and its file's place."""

    passage: NewPassage
    key: str
    file: int


class BatchImport:
    """Batches on their way into a collection, chunk by chunk, each in a transaction of its own: the
    passages of all, then what names them. One batch is in memory at a time, and nothing that grows
    with the collection.

    It may be repeated, and two may go into one collection at once: what is there already is looked
    up inside the transaction that stores the rest. `progress` goes on from an earlier attempt, and
    what that stored counts as stored by this import.
    """

    def __init__(
        self,
        store: Store,
        collection: CollectionRow,
        batches: Sequence[Batch],
        job_id: int | None = None,
        progress: ImportProgress | None = None,
    ) -> None:
        """With a `job_id` the progress is kept with that job."""
        self._store, self._collection, self._batches = store, collection, batches
        self._job_id = job_id
        self._progress = progress or ImportProgress()
        self._reports = Reports(self._progress)
        self._batch, self._at = Batch(), -1
        self._known = KnownPassages({}, {})  # of the chunk that is stored
        # The keys that ids mean, where those are others and no alias tells them: by the place of
        # the file, or "" where other files of this import mean them, too, and the id.
        self._key_of = DiskMap()
        self._same: dict[str | None, str] = {}  # of passages beside questions, those there
        self._last_before = store.passages.last(collection.id)
        self._limits: set[int | None] = set()
        self.has_content = False  # anything that a collection keeps

    def run(self) -> list[FileReport]:
        """Store everything; the reports, with what turned out to be there already."""
        for _ in self.steps():
            pass
        return self.reports()

    def steps(self) -> Iterator[int]:
        """Store a chunk at each step; how many passages have been gone through."""
        gone_through = 0
        asked, judged, told = list[int](), list[int](), list[int]()
        for number in range(len(self._batches)):
            batch = self._enter(number)
            asked += [number] if batch.questions else []
            judged += [number] if batch.gold else []
            told += [number] if batch.triple_sets or batch.entities else []
            self.has_content |= bool(batch.passages)
            for beside in (False, True):
                self._same = self._texts_there(batch) if beside and batch.beside else {}
                for some in self._by_document(beside=beside):
                    with self._store.transaction():
                        self._keep_passages(self._fresh_passages(some))
                    gone_through += len(some)
                    yield gone_through
            self._keep_aliases()
        self.has_content |= bool(asked or judged or told)
        self._keep_questions_and_gold(asked, judged)
        for number in told:
            batch = self._enter(number)
            for name in dict.fromkeys([*batch.triple_sets, *batch.entities]):
                for _ in self._keep_triples(name):
                    yield gone_through

    def reports(self) -> list[FileReport]:
        """What became of each file, once all steps are done."""
        return self._reports.final()

    def _enter(self, number: int) -> Batch:
        """Go on with the batch of this number."""
        if number != self._at:
            self._batch = Batch()  # the one before is not in memory beside it
            self._batch, self._at = self._batches[number], number
        self._reports.enter(number, self._batch)
        return self._batch

    def _by_document(self, *, beside: bool) -> Iterator[list[_Candidate]]:
        """About as many passages as go into a transaction, those beside questions or all others; no
        document is parted, so that a kill leaves none half-stored.
        """
        some: list[_Candidate] = []
        for item in map(_Candidate, self._batch.passages, self._reports.file_of):
            if (item.passage.key in self._batch.beside) != beside:
                continue
            document = item.passage.document
            same = document is not None and some and document == some[-1].passage.document
            if len(some) >= PASSAGES_AT_ONCE and not same:
                yield some
                some = []
            some.append(item)
        if some:
            yield some

    def _fresh_passages(self, some: Sequence[_Candidate]) -> list[_Fresh]:
        """Those of `some` that the collection does not have, inside the transaction that stores
        them.
        """
        there = self._known_documents(some)
        offers = [offer(passage) for passage, _ in some]
        self._look_up([one.key or one.derived for one in offers], [one.hash for one in offers])
        fresh: list[_Fresh] = []
        meant: dict[str, str] = {}
        for (passage, file), offered in zip(some, offers, strict=True):
            given, span = passage.key, Span(passage.start, passage.end)
            key = self._same.get(given)
            if passage.document in there:
                key = there[passage.document].get(span)
            elif key is None:
                new, key = self._known.admit(offered, self._reports.name(file))
                if new:
                    fresh.append(_Fresh(passage, key, file))
                if new and given and given != key:
                    self._reports.rename("passage", key, file)
            if given and key:
                meant[given] = key
        self._keep_meanings(meant)
        return fresh

    def _texts_there(self, batch: Batch) -> dict[str | None, str]:
        """Of the passages beside questions the keys of those in the collection with the same text
        under another title. Those that this import brought are asked only where the batch has a
        corpus, too.
        """
        own = {
            content_hash("", one.text): one.key
            for one in batch.passages
            if one.key in batch.beside and len(one.text) >= SURE_TEXT
        }
        with_corpus = any(one.key not in batch.beside for one in batch.passages)
        last = None if with_corpus else self._last_before
        there: dict[str | None, str] = {}
        for passage in self._passages_there(last) if own else ():
            key = own.get(content_hash("", passage.text))
            if key and passage.key not in batch.beside:
                there.setdefault(key, passage.key)
        if there:
            self._reports.remark(f"{count(len(there), 'passage')} there already by the same text")
        return there

    def _passages_there(self, last: int | None = None) -> Iterator[Passage]:
        """The passages of the collection, up to this id."""
        at = 0
        while some := self._store.passages.after(self._collection.id, at, PASSAGES_AT_ONCE):
            for passage in some:
                if last is not None and passage.id > last:
                    return
                yield passage
            at = some[-1].id

    def _keep_aliases(self) -> None:
        """Keep the ids under which passages of the batch came again."""
        aliases = list(self._batch.aliases.items())
        for some in _chunks(aliases, PASSAGES_AT_ONCE):
            with self._store.transaction():
                meant = self._meant(key for _, key in some)
                again = {given: meant.get(key, key) for given, key in some}
                self._look_up([*again, *again.values()])
                self._keep_meanings(again)

    def _keep_meanings(self, meant: Mapping[str, str]) -> None:
        """Let ids of the batch mean the passages with these keys; where they are free in the
        collection, for later imports, too.
        """
        others = {given: key for given, key in meant.items() if given != key}
        free = {given: key for given, key in others.items() if self._known.name(given, key)}
        self._store.passages.add_aliases(self._collection.id, free.items())
        for given in others.keys() - free.keys():
            self._key_of[f"{self._reports.first}\n{given}"] = others[given]
            if not self._came_with_this(given):
                self._key_of.setdefault(f"\n{given}", others[given])

    def _came_with_this(self, id_: str) -> bool:
        """Whether the passage that has the id in the collection is one of this import."""
        return self._store.passages.added(self._collection.id, id_) in self._progress.revisions

    def _meant(self, ids: Iterable[str]) -> dict[str, str]:
        """The keys that these ids of the batch mean, of those that mean others."""
        some = list(dict.fromkeys(ids))
        keys = self._store.passages.aliases(self._collection.id, some)
        for id_ in some if len(self._key_of) else ():
            own = self._key_of.get(f"{self._reports.first}\n{id_}")
            key = own or self._key_of.get(f"\n{id_}")
            if key:
                keys[id_] = key
        return keys

    def _look_up(self, keys: Sequence[str], hashes: Sequence[bytes] = ()) -> None:
        """What the collection has under these keys and hashes at this moment."""
        self._now()
        of = self._collection.id
        self._known = KnownPassages(
            LookUp(partial(self._store.passages.hashes_of, of), keys),
            LookUp(partial(self._store.passages.keys_of, of), hashes),
        )

    def _now(self) -> CollectionRow:
        """The collection as it is at this moment. Raises NotReady where it is gone."""
        row = self._store.collections.by_id(self._collection.id)
        if row is None:
            raise NotReady(f"The collection {self._collection.name!r} was deleted meanwhile.")
        return row

    def _known_documents(self, some: Sequence[_Candidate]) -> dict[int | None, dict[Span, str]]:
        """Places of the documents whose text the collection has, under whatever name; of each the
        keys of its passages by where they are in it.
        """
        there: dict[int | None, dict[Span, str]] = {}
        file_of = {item.passage.document: item.file for item in some}
        for place, file in file_of.items():
            if place is None:
                continue
            document = self._batch.documents[place]
            same = self._store.documents.same(self._collection.id, document)
            if same is not None:
                stored = self._store.passages.of_document(same.id)
                there[place] = {Span(one.start, one.end): one.key for one in stored}
                if same.added not in self._progress.revisions:
                    self._reports.remark(f"the same text is there already, as {same.title!r}", file)
        return there

    def _keep_passages(self, fresh: Sequence[_Fresh]) -> None:
        if not fresh:
            return
        revision = self._store.collections.raise_revision(self._collection.id, passages=True)
        ids = self._keep_documents(fresh, revision)
        self._store.passages.add(
            self._collection.id,
            [
                Passage(0, key, p.title, p.text, ids.get(p.document), p.start, p.end)
                for p, key, _ in fresh
            ],
            revision,
        )
        for _, _, file in fresh:
            self._reports.count_stored(file)
        self._note(revision)

    def _keep_documents(self, fresh: Sequence[_Fresh], revision: int) -> dict[int | None, int]:
        ids: dict[int | None, int] = {}
        for passage, _, file in fresh:
            place = passage.document
            if place is not None and place not in ids:
                document = self._batch.documents[place]
                self._remark_on_older(document.source, file, revision)
                ids[place] = self._store.documents.add(self._collection.id, document, revision)
                self._reports.count_stored(file, document=True)
        return ids

    def _remark_on_older(self, source: str, file: int, revision: int) -> None:
        """Say where an earlier import brought another text of the same name."""
        own = {revision, *self._progress.revisions}
        if source == PASTED:
            return
        there = self._store.documents.added_from(self._collection.id, source)
        if len(there) == 1 and there[0] not in own:
            self._reports.remark(
                "an older text of this name is there: take this one in its place on Collections, or"
                " keep both",
                file,
            )

    def _keep_questions_and_gold(self, asked: Sequence[int], judged: Sequence[int]) -> None:
        """Keep the questions of the batches with these numbers, then judgments of others, and say
        what gold of theirs is not in the collection.
        """
        named: set[str] = set()
        there = self._store.passages.counts(self._collection.id).questions
        if there > len(self._progress.questions):
            self._limits.add(self._now().max_iterations)
        for number in asked:
            self._enter(number)
            found = self._find_gold()
            with self._store.transaction():
                named.update(question.id for question in self._keep_questions(found))
        for number in judged:
            named.update(self._enter(number).gold)
            with self._store.transaction():
                self._keep_gold()
        if named and (missing := missing_gold(self._store, self._collection, named)).passages:
            self._reports.remark(missing.words)

    def _find_gold(self) -> dict[str, tuple[str, ...]]:
        """What the collection has of gold that the batch's questions name by title or text."""
        of, names = self._collection.id, list(self._batch.sought)
        there = self._store.passages.hashes_of(of, names)
        sought = {name: self._batch.sought[name] for name in names if name not in there}
        if not sought:
            return {}
        search = GoldSearch(sought)
        for passage in self._passages_there():
            search.look(passage.key, passage.title, passage.text)
        found = search.found()
        if words := found.words(sought, "in the collection"):
            self._reports.remark(words)
        return found.keys

    def _keep_questions(self, found: Mapping[str, tuple[str, ...]]) -> list[Question]:
        """Keep the questions of the batch, with the gold that was found; one whose id belongs to
        another question gets an id of its own.
        """
        of = self._collection.id
        questions = [with_found(question, found) for question in self._batch.questions]
        ids = [question.id for question in questions]
        before = self._store.questions.words(of, ids)
        words = LookUp(partial(self._store.questions.words, of), ids)
        for question in questions:
            words[question.id] = before.get(question.id, question.question)
        meant = self._meant(key for question in questions for key in _keys_in(question))
        kept: list[Question] = []
        for question, file in zip(questions, self._reports.file_of_question, strict=True):
            there = self._store.questions.words
            id_ = question_id(question, self._reports.name(file), words)
            if id_ != question.id and id_ not in there(of, [id_]):
                self._reports.rename("question", id_, file)
            named = with_keys(question, lambda key: meant.get(key, key))
            kept.append(dataclasses.replace(named, id=id_))
        before = self._store.questions.words(of, [question.id for question in kept])
        self._store.questions.save(of, kept)
        self._limits.add(self._batch.max_iterations)
        limit = next(iter(self._limits)) if len(self._limits) == 1 else None
        self._store.collections.set_max_iterations(of, limit)
        self._progress.questions += [q.id for q in kept if q.id not in before]
        new = set(self._progress.questions)
        for question, file in zip(kept, self._reports.file_of_question, strict=True):
            self._reports.asked[file] += question.id in new
        self._note()
        return kept

    def _keep_gold(self) -> None:
        """Add judged gold to questions that the collection has."""
        there = self._store.questions.some(self._collection.id, list(self._batch.gold))
        meant = self._meant(key for grades in self._batch.gold.values() for key in grades)
        for id_, question in there.items():
            judged = {meant.get(key, key): g for key, g in self._batch.gold[id_].items()}
            grades = question.with_gold(question.grades | judged).grades
            self._store.questions.set_gold(self._collection.id, id_, grades)
        self._reports.lack("question", len(self._batch.gold) - len(there), len(self._batch.gold))

    def _keep_triples(self, name: str) -> Iterator[None]:
        """Store a set's triples and entities, some passages' at each step."""
        triples = self._batch.triple_sets.get(name, ())
        entities = self._batch.entities.get(name, ())
        meant = self._meant(
            [triple.passage_key for triple in triples] + [item.passage_key for item in entities]
        )
        names = {meant.get(item.passage_key, item.passage_key): item.names for item in entities}
        of: dict[str, list[NewTriple]] = {key: [] for key in names}
        for triple in triples:
            key = meant.get(triple.passage_key, triple.passage_key)
            of.setdefault(key, []).append(triple)
        set_id = self._ensure_set(name)
        passages = self._store.passages.by_key(self._collection.id, list(of))
        self._reports.lack("passage", len(of) - len(passages), len(of))
        guessed = not any(triple.sentence for triple in triples)
        for some in _chunks(list(passages.values()), PASSAGES_AT_ONCE):
            made = [(p.id, extraction(p, of[p.key], names.get(p.key, ()), guessed)) for p in some]
            with self._store.transaction():
                before = self._now().revision
                refused = store_triples(
                    self._store, self._collection.id, set_id, made, "import", closest=guessed
                )
                after = self._now().revision
                if after != before:
                    self._note(after)
            self._reports.lack("triple", refused, refused)
            yield

    def _ensure_set(self, name: str) -> int:
        with self._store.transaction():
            there = self._store.collections.find_set(self._collection.id, name)
            set_ = self._store.collections.ensure_set(self._collection.id, name, "import")
            if there is None:
                self._progress.made_sets.append(set_.id)
                self._note()
        return set_.id

    def _note(self, revision: int | None = None) -> None:
        """Keep how far it came, in the transaction that stored it."""
        if revision is not None and revision not in self._progress.revisions:
            self._progress.revisions.append(revision)
        if self._job_id is not None:
            self._store.imports.note(self._job_id, self._progress)


def _keys_in(question: Question) -> Iterator[str]:
    """The keys of passages that a question names."""
    yield from question.grades
    yield from (hop.supporting_key for hop in question.decomposition)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


class Reports:
    """The reports of batches, one a file; remarks and counts are collected by the file's place."""

    def __init__(self, progress: ImportProgress) -> None:
        """What is stored is counted in `progress`, from what is there."""
        self._reports: list[FileReport] = []
        self._remarks: dict[int, dict[str, None]] = {}
        self._renamed: dict[int, ChangedIds] = {}
        self._lacking: dict[int, Counter[str]] = {}
        self.asked: Counter[int] = Counter()  # questions that are new, by the file's place
        self._progress = progress
        self._firsts: list[int] = []  # the place of each batch's first file
        self.first = 0
        # Of every passage and question of the batch its file's place; they come in its order.
        self.file_of: list[int] = []
        self.file_of_question: list[int] = []

    def enter(self, number: int, batch: Batch) -> None:
        """Go on with the files of the batch of this number."""
        if number == len(self._firsts):
            first = len(self._reports) - (batch.part > 1)  # the same file as before
            self._firsts.append(first)
            self._reports[first:] = batch.reports
        self.first = self._firsts[number]
        reports = batch.reports
        places = range(self.first, self.first + max(1, len(reports)))
        self.file_of = _files(places, [one.passages for one in reports], len(batch.passages))
        self.file_of_question = _files(
            places, [one.questions for one in reports], len(batch.questions)
        )
        accepted = [
            place for place, one in zip(places, reports, strict=False) if one.status == "accepted"
        ]
        self._last_accepted = accepted[-1] if accepted else self.first

    def name(self, file: int) -> str:
        """What a file is called."""
        return self._reports[file].name if self._reports else ""

    def remark(self, text: str, file: int | None = None) -> None:
        """Say something about a file, once; without one, about the last that was accepted."""
        place = self._last_accepted if file is None else file
        self._remarks.setdefault(place, {})[text] = None

    def rename(self, what: str, id_: str, file: int) -> None:
        """Say that a passage or a question of a file got this id of its own."""
        self._renamed.setdefault(file, ChangedIds()).add(what, id_)

    def lack(self, what: str, number: int, of: int) -> None:
        """Count what the last file that was accepted names in vain: questions of gold, passages of
        triples, triples that stay out.
        """
        lacking = self._lacking.setdefault(self._last_accepted, Counter())
        lacking[what] += number
        lacking[f"of {what}"] += of

    def count_stored(self, file: int, *, document: bool = False) -> None:
        """Count a passage, or a document, that was new."""
        counts = self._progress.documents if document else self._progress.passages
        counts[file] = counts.get(file, 0) + 1

    def final(self) -> list[FileReport]:
        """The reports, in order."""
        return [self._final(place, report) for place, report in enumerate(self._reports)]

    def _final(self, place: int, report: FileReport) -> FileReport:
        if report.status != "accepted":
            return report
        passages = self._progress.passages.get(place, 0)
        remarks = list(self._renamed.get(place, ChangedIds()).words())
        remarks += self._remarks.get(place, ())
        remarks += _lacking_words(self._lacking.get(place, Counter()))
        present = bool(report.passages) and not (passages or self.asked[place])
        if present and not remarks:
            remarks = ["everything in it is there already"]
        more = [f"and {len(remarks) - SHOWN} more"] if len(remarks) > SHOWN else []
        return report._replace(
            status="skipped" if present else "accepted",
            message="; ".join(filter(None, [report.message, *remarks[:SHOWN], *more])),
            passages=passages,
            documents=self._progress.documents.get(place, 0),
            present=present,
        )


def _lacking_words(lacking: Counter[str]) -> Iterator[str]:
    """What is said of what a file names in vain."""
    if lacking["question"]:
        questions = count(lacking["question"], "question")
        yield f"{questions} with gold not there: import the questions, too"
    if lacking["passage"]:
        of = f"{lacking['passage']} of {lacking['of passage']}"
        yield f"{of} passages with triples are not in the collection"
    if lacking["triple"]:
        yield refused_words(lacking["triple"])


def _files(places: Sequence[int], counts: Sequence[int], total: int) -> list[int]:
    """For each of so many things the place of its file, which brought as many as it counts."""
    files: list[int] = []
    for place, number in zip(places, counts, strict=False):
        files += [place] * min(number, total)
    return (files + [places[-1]] * total)[:total]
