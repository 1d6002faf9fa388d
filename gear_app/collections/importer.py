"""Storing what was read: each content once, ids unique, and for every file what became of it."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from gear_app.collections.known_passages import KnownPassages, offer, question_id
from gear_app.collections.overview import missing_gold
from gear_app.corpus.mention_arrays import keep_mentions
from gear_app.corpus.provenance import extraction, refused_words, store_triples
from gear_app.errors import NotReady
from gear_app.ingest import (
    Batch,
    FileReport,
    NewPassage,
    NewTriple,
    renamed_words,
    with_keys,
)
from gear_app.store import Store
from gear_app.store.imports import ImportProgress
from gear_app.store.rows import CollectionRow
from gear_app.text import count
from gear_app.types import Passage, Question, Span

PASSAGES_AT_ONCE = 2000  # a transaction: others wait for it, and a kill loses no more
T = TypeVar("T")
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
    """One batch on its way into a collection, chunk by chunk, each in a transaction of its own.

    It may be repeated, and two may go into one collection at once: what is there already is looked
    up inside the transaction that stores the rest. `progress` goes on from an earlier attempt, and
    what that stored counts as stored by this import.
    """

    def __init__(
        self,
        store: Store,
        collection: CollectionRow,
        batch: Batch,
        job_id: int | None = None,
        progress: ImportProgress | None = None,
    ) -> None:
        """Store nothing yet. With a `job_id` the progress is kept with that job."""
        self._store, self._collection, self._batch = store, collection, batch
        self._job_id = job_id
        self._progress = progress or ImportProgress()
        self._reports = Reports(batch, self._progress)
        self._known_at: int | None = None  # the revision at which these were looked up
        self._known = KnownPassages({}, {})
        # The keys that the batch's ids mean, where those are others.
        self._key_of: dict[str, str] = {}

    def run(self) -> list[FileReport]:
        """Store everything; the reports of the batch, with what turned out to be there already."""
        for _ in self.steps():
            pass
        return self.reports()

    def steps(self) -> Iterator[int]:
        """Store a chunk at each step; how many passages of the batch have been gone through."""
        self._key_of = self._store.passages.aliases(self._collection.id)
        gone_through = 0
        for some in self._by_document():
            with self._store.transaction():
                self._keep_passages(self._fresh_passages(some))
            while keep_mentions(self._store, self._collection.id):
                yield gone_through
            gone_through += len(some)
            yield gone_through
        with self._store.transaction():
            self._look_up()
            again = {given: self._key(key) for given, key in self._batch.aliases.items()}
            self._keep_meanings(again)
            self._keep_all_questions()
        for name in dict.fromkeys([*self._batch.triple_sets, *self._batch.entities]):
            for _ in self._keep_triples(name):
                yield gone_through

    @property
    def has_content(self) -> bool:
        """Whether there is anything in the batch that a collection keeps."""
        batch = self._batch
        return bool(
            batch.passages or batch.questions or batch.triple_sets or batch.entities or batch.gold
        )

    def reports(self) -> list[FileReport]:
        """What became of each file, once all steps are done."""
        return self._reports.final()

    def _by_document(self) -> Iterator[list[_Candidate]]:
        """About as many passages as go into a transaction; no document is parted, so that a kill
        leaves none half-stored.
        """
        some: list[_Candidate] = []
        for item in map(_Candidate, self._batch.passages, self._reports.file_of):
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
        self._look_up()
        there = self._known_documents(some)
        fresh: list[_Fresh] = []
        meant: dict[str, str] = {}
        for passage, file in some:
            given, span = passage.key, Span(passage.start, passage.end)
            if passage.document in there:
                key = there[passage.document].get(span)
            else:
                new, key = self._known.admit(offer(passage), self._reports.name(file))
                if new:
                    fresh.append(_Fresh(passage, key, file))
                if new and given and given != key:
                    self._reports.rename("passage", key, file)
            if given and key:
                meant[given] = key
        self._keep_meanings(meant)
        return fresh

    def _keep_meanings(self, meant: Mapping[str, str]) -> None:
        """Let ids of the batch mean the passages with these keys; where they are free in the
        collection, for later imports, too.
        """
        self._key_of |= meant
        free = {given: key for given, key in meant.items() if self._known.name(given, key)}
        self._store.passages.add_aliases(self._collection.id, free.items())

    def _look_up(self) -> None:
        """What the collection has; again where somebody else has changed it since."""
        changed_at = self._now().passages_revision
        if changed_at != self._known_at:
            self._known = KnownPassages(*self._store.passages.known(self._collection.id))
            self._known_at = changed_at

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
        self._known_at = revision
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
                ids[place] = self._store.documents.add(self._collection.id, document, revision)
                self._reports.count_stored(file, document=True)
        return ids

    def _keep_all_questions(self) -> None:
        """Keep questions and judgments, and say what gold of theirs is not in the collection."""
        if not (self._batch.questions or self._batch.gold):
            return
        before = {q.id: q for q in self._store.questions.of(self._collection.id)}
        self._keep_gold(before)
        kept = self._keep_questions(before) if self._batch.questions else []
        named = self._batch.gold.keys() | {question.id for question in kept}
        missing = missing_gold(self._store, self._collection, named)
        if missing.passages:
            self._reports.remark(missing.words)

    def _keep_questions(self, before: Mapping[str, Question]) -> list[Question]:
        kept = self._kept_questions(before)
        self._store.questions.save(self._collection.id, kept)
        limits = {self._batch.max_iterations}
        if before.keys() - self._progress.questions:
            limits.add(self._collection.max_iterations)
        self._store.collections.set_max_iterations(
            self._collection.id, limits.pop() if len(limits) == 1 else None
        )
        self._progress.questions += [q.id for q in kept if q.id not in before]
        self._note()
        return kept

    def _keep_gold(self, there: Mapping[str, Question]) -> None:
        """Add judged gold to questions that the collection has."""
        for id_, grades in self._batch.gold.items():
            if id_ in there:
                judged = {self._key(key): grade for key, grade in grades.items()}
                question = there[id_].with_gold(there[id_].grades | judged)
                self._store.questions.set_gold(self._collection.id, id_, question.grades)
        missing = len(self._batch.gold.keys() - there.keys())
        if missing:
            self._reports.remark(
                f"{count(missing, 'question')} with gold not there: import the questions, too"
            )

    def _kept_questions(self, before: Mapping[str, Question]) -> list[Question]:
        """The questions of the batch as they are stored; one whose id belongs to another question
        gets an id of its own.
        """
        kept: list[Question] = []
        words = {one.id: one.question for one in [*self._batch.questions, *before.values()]}
        files = self._reports.file_of_question
        for question, file in zip(self._batch.questions, files, strict=True):
            id_ = question_id(question, self._reports.name(file), words)
            if id_ != question.id and id_ not in before:
                self._reports.rename("question", id_, file)
            kept.append(dataclasses.replace(with_keys(question, self._key), id=id_))
        return kept

    def _keep_triples(self, name: str) -> Iterator[None]:
        """Store a set's triples and entities, some passages' at each step."""
        triples = self._batch.triple_sets.get(name, ())
        names = {
            self._key(item.passage_key): item.names for item in self._batch.entities.get(name, ())
        }
        of: dict[str, list[NewTriple]] = {key: [] for key in names}
        for triple in triples:
            of.setdefault(self._key(triple.passage_key), []).append(triple)
        set_id = self._ensure_set(name)
        passages = self._store.passages.by_key(self._collection.id, list(of))
        if len(passages) < len(of):
            missing = f"{len(of) - len(passages)} of {len(of)}"
            self._reports.remark(f"{missing} passages with triples are not in the collection")
        guessed = not any(triple.sentence for triple in triples)
        refused = 0
        for some in _chunks(list(passages.values()), PASSAGES_AT_ONCE):
            made = [(p.id, extraction(p, of[p.key], names.get(p.key, ()), guessed)) for p in some]
            with self._store.transaction():
                before = self._now().revision
                refused += store_triples(
                    self._store, self._collection.id, set_id, made, "import", closest=guessed
                )
                after = self._now().revision
                if after != before:
                    self._note(after)
            yield
        if refused:
            self._reports.remark(refused_words(refused))

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

    def _key(self, key: str) -> str:
        return self._key_of.get(key, key)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


class Reports:
    """The reports of a batch; remarks and counts are collected by the file's place among them."""

    def __init__(self, batch: Batch, progress: ImportProgress) -> None:
        """Nothing is remarked yet. What is stored is counted in `progress`, from what is there."""
        self._reports = batch.reports
        self._remarks: dict[int, list[str]] = {}
        self._renamed: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._progress = progress
        accepted = [place for place, r in enumerate(batch.reports) if r.status == "accepted"]
        self._last_accepted = accepted[-1] if accepted else 0
        # Of every passage and question its file's place: they come in the files' order.
        of_each = batch.reports
        self.file_of = _files([one.passages for one in of_each], len(batch.passages))
        self.file_of_question = _files([one.questions for one in of_each], len(batch.questions))

    def name(self, file: int) -> str:
        """What a file is called."""
        return self._reports[file].name if self._reports else ""

    def remark(self, text: str, file: int | None = None) -> None:
        """Say something about a file; without one, about the last that was accepted."""
        place = self._last_accepted if file is None else file
        self._remarks.setdefault(place, []).append(text)

    def rename(self, what: str, id_: str, file: int) -> None:
        """Say that a passage or a question of a file got this id of its own."""
        self._renamed[file, what].append(id_)

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
        remarks = [
            renamed_words(ids, what) for (file, what), ids in self._renamed.items() if file == place
        ]
        remarks += self._remarks.get(place, [])
        if report.passages and not passages and not remarks:
            remarks = ["everything in it is there already"]
        more = [f"and {len(remarks) - SHOWN} more"] if len(remarks) > SHOWN else []
        return report._replace(
            status="accepted" if passages or not report.passages else "skipped",
            message="; ".join(filter(None, [report.message, *remarks[:SHOWN], *more])),
            passages=passages,
            documents=self._progress.documents.get(place, 0),
        )


def _files(counts: Sequence[int], total: int) -> list[int]:
    """For each of so many things the place of its file, which brought as many as it counts."""
    files = [place for place, count in enumerate(counts) for _ in range(count)]
    return (files + [max(0, len(counts) - 1)] * total)[:total]
