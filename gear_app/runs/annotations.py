"""What people judge of a workspace's runs: what there is to judge, what was said of it, and files
of it. Nothing here loads a model.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from gear_app import retrievers
from gear_app.analysis.metrics import found_at
from gear_app.analysis.rankings import CUTS
from gear_app.annotate import exchange
from gear_app.annotate.codebook import CODE_BOOK, Category, Part, offered, own_category
from gear_app.annotate.history import Current, Judged, current, judged, undone
from gear_app.annotate.queue import QueueItem, is_doubled, visible, waiting
from gear_app.annotate.record import JudgedCase, Label, Record, case_row
from gear_app.connection import Connection, Service
from gear_app.errors import BadInput, GearError, Unknown
from gear_app.overrides import settings
from gear_app.runs.request import RunRequest
from gear_app.runs.why_not import WhyNotService
from gear_app.store.rows import RunInfo, now
from gear_app.text import count, normalise_entity

MOST_RUNS = 100_000
FIRST = CUTS[0]
OWNER = "annotations"  # of runs that judgements lacked: whoever sees them made can stop them


@dataclass(slots=True)
class _Known:
    """What was read of a collection: its records as far as a number, and its items at a stamp."""

    last: int = 0
    records: list[Record] = field(default_factory=list)
    heads: Current = field(default_factory=dict)
    stamp: object = None
    items: list[QueueItem] = field(default_factory=list)


class MissingRuns(NamedTuple):
    """The judged cases without a run that can be judged here, by what became of the newest run of
    each. `cases` have none or one that ended without a ranking, which is among `failed`, or among
    `stopped` where somebody cancelled it: these are to be made. `going` wait or are made.
    `unmarked` are done, but no gold of their questions is known.
    """

    cases: tuple[JudgedCase, ...]
    failed: tuple[RunInfo, ...]
    stopped: tuple[RunInfo, ...]
    going: tuple[RunInfo, ...]
    unmarked: tuple[RunInfo, ...]


class AnnotationService(Service):
    """A workspace's judgements. What was read once is kept: records and rankings never change."""

    def __init__(self, connection: Connection, why_not: WhyNotService) -> None:
        super().__init__(connection)
        self._why_not = why_not
        self._known: dict[int, _Known] = {}
        self._rankings: dict[int, tuple[str, ...]] = {}
        self._causes: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def items(self, collection: str) -> list[QueueItem]:
        """What can be judged: the newest finished run of each case, if its gold is known, by
        question and method. Raises Unknown.
        """
        row = self._store.collections.get(collection)
        with self._lock:
            known = self._known.setdefault(row.id, _Known())
            questions = self._store.questions.of(row.id)
            stamp = (*self._store.runs.stamp(row.id), tuple(one.type for one in questions))
            if known.stamp != stamp:
                types = {normalise_entity(one.question): one.type or "" for one in questions}
                known.items = self._items(row.id, types)
                known.stamp = stamp
            return list(known.items)

    def _items(self, collection_id: int, types: dict[str, str]) -> list[QueueItem]:
        found: dict[str, QueueItem] = {}
        for run in self._store.runs.recent(collection_id, MOST_RUNS):
            if run.state != "done" or not run.gold:
                continue
            case = case_of(run)
            if case.id in found:  # the newest come first
                continue
            first = self._first(run.number)
            found[case.id] = QueueItem(
                case.id,
                run.id,
                run.question,
                run.method,
                types.get(normalise_entity(run.question), ""),
                len(set(run.gold)),
                found_at(first, run.gold, FIRST),
            )
        return sorted(found.values(), key=lambda item: (item.question, item.method))

    def _first(self, number: int) -> tuple[str, ...]:
        """The keys of a finished run's first passages."""
        if number not in self._rankings:
            self._rankings[number] = tuple(self._store.events.ranked_keys(number)[:FIRST])
        return self._rankings[number]

    def records(self, collection: str) -> list[Record]:
        """Every record of a collection, oldest first. Raises Unknown."""
        return list(self._read(collection).records)

    def heads(self, collection: str) -> Current:
        """What everybody says now of what. Raises Unknown."""
        return self._read(collection).heads

    def _read(self, collection: str) -> _Known:
        row = self._store.collections.get(collection)
        with self._lock:
            known = self._known.setdefault(row.id, _Known())
            new = self._store.judgements.of(row.id, known.last)
            if new:
                known.last = new[-1][0]
                known.records = [*known.records, *(record for _, record in new)]
                known.heads = current(known.records)
            return known

    def share(self, collection: str) -> float:
        """The share of its cases that two people judge without seeing each other's labels."""
        return self._store.judgements.share(self._store.collections.get(collection).id)

    def set_share(self, collection: str, share: float, *, uncover: bool = False) -> None:
        """Let two people judge this share of the cases, from 0 to 1.

        Raises BadInput where a smaller one would show the label of a case that still waits for its
        second, unless it is to `uncover` it.
        """
        if not 0 <= share <= 1:
            raise BadInput(f"The share that two people judge is from 0 to 100 %, not {share:.0%}.")
        heads, now_ = self.heads(collection), self.share(collection)
        shown = {one for one in waiting(heads, now_) if not is_doubled(one, share)}
        if shown and not uncover:
            raise BadInput(
                f"{count(len(shown), 'run')} that two are to judge would no longer be hidden, and"
                " the label of one of them be seen by the other. Have them judged first, or uncover"
                f" them: gear-app annotations --collection {collection} --double {share * 100:g}"
            )
        self._store.judgements.set_share(self._store.collections.get(collection).id, share)

    def seen(self, collection: str, annotator: str) -> Current:
        """What everybody says now, as far as this annotator may see it (queue.visible)."""
        heads, share = self.heads(collection), self.share(collection)
        there = {item.case for item in self.items(collection)}
        # What has no run here and never can, for a language model wrote it, nobody here will judge.
        doubled = {
            key.case
            for key, record in heads.items()
            if is_doubled(key.case, share) and (key.case in there or not record.case.run)
        }
        return visible(heads, annotator, doubled)

    def hidden(self, collection: str, annotator: str) -> int:
        """How many cases have labels that this annotator may not see yet."""
        return len(
            {
                key.case
                for key in self.heads(collection).keys() - self.seen(collection, annotator).keys()
            }
        )

    def _handed(self, collection: str, viewer: str | None) -> list[Record]:
        """The records that go into a file: all, or those that a viewer may see."""
        records = self.records(collection)
        if viewer is None:
            return records
        seen = self.seen(collection, viewer)
        return [record for record in records if judged(record) in seen]

    def history(self, collection: str, case: str, annotator: str) -> list[Record]:
        """One person's records of a case, oldest first, her decisions left out."""
        row = self._store.collections.get(collection)
        found = self._store.judgements.history(row.id, case, annotator)
        return [record for record in found if not record.adjudicates]

    def commit(
        self, run_id: str, annotator: str, label: Label, *, adjudicates: bool = False
    ) -> Record | None:
        """Append what somebody says now of a run; None where she said the same before. Raises
        BadInput without a name, and Unknown.
        """
        run = self._store.runs.get(run_id)
        if not annotator.strip():
            raise BadInput("Say who judges: type your name.")
        if run.collection_id is None:
            raise Unknown("collection", run.collection, [])
        case = case_of(run)
        before = self.heads(run.collection).get(Judged(case.id, annotator, adjudicates))
        if before is not None and before.label == label:
            return None
        return self._append(
            run, Record(case, annotator, now(), label, adjudicates, before.id if before else "")
        )

    def undo(self, run_id: str, annotator: str) -> Record | None:
        """Append what takes back the newest of somebody's records of a run; None where there is
        none.
        """
        run = self._store.runs.get(run_id)
        case = case_of(run)
        back = undone(self.history(run.collection, case.id, annotator))
        if back is None:
            return None
        label, supersedes, restores = back
        return self._append(run, Record(case, annotator, now(), label, False, supersedes, restores))

    def _append(self, run: RunInfo, record: Record) -> Record:
        seen = replace(
            record, run=run.id, corpus=run.corpus_hash, code=run.versions.get("gear_app", "")
        )
        assert run.collection_id is not None
        self._store.judgements.append(run.collection_id, seen)
        return seen

    def causes(self, run_id: str) -> tuple[str, ...]:
        """What why-not suggests for each gold passage that a run misses, in the order of its gold;
        none where it cannot be told.
        """
        run = self._store.runs.get(run_id)
        known = run_id, run.gold
        if known not in self._causes:
            first = self._first(run.number)
            missed = [key for key in run.gold if not found_at(first, [key], FIRST)]
            try:
                answers = [self._why_not.explain(run_id, key, FIRST, deep=False) for key in missed]
            except GearError:
                return ()
            self._causes[known] = tuple(answer.cause.value for answer in answers)
        return self._causes[known]

    def categories(self) -> list[Category]:
        """The categories beside those of the papers."""
        return self._store.judgements.categories()

    def offered(self, method: str, said: Collection[str] = ()) -> list[Category]:
        """The categories to choose among for a run of a method: of parts that it has, and those
        that were `said` of it already, by key.
        """
        own = self.categories()
        fitting = offered(method, own, _lacking(method))
        before = [one for one in (*CODE_BOOK, *own) if one.key in said and one not in fitting]
        return [*fitting, *before]

    def add_category(self, name: str, definition: str, author: str) -> Category:
        """Write a category down. Raises BadInput."""
        category = own_category(name, definition)
        if category.key in {one.key for one in self.categories()}:
            raise BadInput(f"{category.name!r} is in the code book already.")
        self._store.judgements.add_category(category, author)
        return category

    def json_lines(self, collection: str, viewer: str | None = None) -> Iterator[str]:
        """The whole history with the runs and own categories, to be written to a file; for a viewer
        without what is hidden from her.
        """
        records = self._handed(collection, viewer)
        used = {record.label.category for record in records}
        own = [one for one in self.categories() if one.key in used]
        cases = {record.case.id for record in records}
        runs = (self._run_row(item) for item in self.items(collection) if item.case in cases)
        return exchange.json_lines(records, own, runs)

    def _run_row(self, item: QueueItem) -> dict[str, Any]:
        """A run for those who read the file without the program."""
        run = self._store.runs.get(item.run)
        return {
            "run": run.id,
            "case": case_row(case_of(run)),
            "question": run.question,
            "type": item.type,
            "method": run.method,
            "gold": list(run.gold),
            "answers": list(run.answers),
            "ranking": self._store.events.ranked_keys(run.number)[: run.k],
            "gold_in_first_5": item.found,
            "iterations": run.iterations,
            "corpus": run.corpus_hash,
            "versions": dict(run.versions),
        }

    def csv(self, collection: str, viewer: str | None = None) -> str:
        """What everybody says now, as a table for spreadsheets; for a viewer without what is hidden
        from her.
        """
        names = {one.key: one.name for one in (*CODE_BOOK, *self.categories())}
        found = {item.case: (item.found, item.gold) for item in self.items(collection)}
        return exchange.table(self._handed(collection, viewer), names, found)

    def import_lines(self, collection: str, lines: Iterable[str]) -> int:
        """Add the records of a file that are not there yet; how many these are. Their runs may come
        later. Raises BadInput before anything is stored, and Unknown.
        """
        row = self._store.collections.get(collection)
        handed = exchange.read(lines)
        with self._store.transaction():
            for category in handed.categories:
                self._store.judgements.add_category(category, "")
            return self._store.judgements.add(row.id, handed.records)

    def requests(self, collection: str) -> list[RunRequest]:
        """What asks for the runs of the cases that are to be made (missing_runs)."""
        return [
            RunRequest(
                case.question,
                collection,
                case.method,
                case.triples or None,
                dict(case.settings),
                case.k,
                case.reader,
                OWNER,
            )
            for case in self.missing_runs(collection).cases
        ]

    def missing_runs(self, collection: str) -> MissingRuns:
        """What became of the runs of the cases that are `missing`. Raises Unknown."""
        missing = self.missing(collection)
        if not missing:
            return MissingRuns((), (), (), (), ())
        self.connection.mark_interrupted()
        row = self._store.collections.get(collection)
        newest: dict[str, RunInfo] = {}
        for run in self._store.runs.of_questions(row.id, [case.question for case in missing]):
            newest.setdefault(case_of(run).id, run)
        cases = list[JudgedCase]()
        failed, stopped, going, unmarked = (list[RunInfo]() for _ in range(4))
        for case in missing:
            found = newest.get(case.id)
            if found is not None and found.going:
                going.append(found)
            elif found is not None and found.state == "done" and not self._gold(row.id, case):
                unmarked.append(found)
            else:
                cases.append(case)
                if found is not None and found.state != "done":
                    (stopped if found.state == "cancelled" else failed).append(found)
        return MissingRuns(
            tuple(cases), tuple(failed), tuple(stopped), tuple(going), tuple(unmarked)
        )

    def _gold(self, collection_id: int, case: JudgedCase) -> bool:
        """Whether a run made now would know gold."""
        question = self._store.questions.find(collection_id, case.question)
        return question is not None and bool(question.supporting_keys)

    def missing(self, collection: str) -> list[JudgedCase]:
        """The cases that were judged and have no run here yet, which can be made without a language
        model.
        """
        there = {item.case for item in self.items(collection)}
        cases = {record.case.id: record.case for record in self.records(collection)}
        return [case for id_, case in cases.items() if id_ not in there and not case.run]


@lru_cache(maxsize=256)
def _lacking(method: str) -> frozenset[Part]:
    """The parts that a method has not; none of a method that this program does not know."""
    try:
        reads = retrievers.method_of(method).reads
        parts: dict[Part, bool] = {
            "reader": reads,
            "triples": retrievers.uses_triples(method, reader=reads),
        }
    except GearError:
        return frozenset()
    return frozenset(part for part, there in parts.items() if not there)


@lru_cache(maxsize=256)
def _defaults(method: str) -> Mapping[str, str]:
    """A method's own settings; none for a method that is no more."""
    try:
        return {k: str(v) for k, v in settings(retrievers.config_for(method)).items()}
    except GearError:
        return {}


def case_of(run: RunInfo) -> JudgedCase:
    """What a run is of: its question and method, and what is set otherwise than by default."""
    own = _defaults(run.method)
    changed = {
        name: str(value) for name, value in run.config.items() if own.get(name) != str(value)
    }
    return JudgedCase(
        run.question,
        run.method,
        tuple(sorted(changed.items())),
        run.reader,
        run.triple_set or "",
        run.k,
        run.id if run.model else "",
    )
