"""Labels of a workspace's runs: the runs that can be judged, what people said of them, and files.
Nothing here loads a model.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from gear_app import methods as retrievers
from gear_app.annotation import exchange
from gear_app.annotation.codebook import Category, Part, code_book, offered, own_category
from gear_app.annotation.queue import QueueItem, visible
from gear_app.annotation.record import (
    Case,
    Key,
    Label,
    Labels,
    Record,
    case_row,
    from_row,
    latest,
    person,
    to_row,
)
from gear_app.core.errors import BadInput, GearError, Unknown
from gear_app.core.overrides import settings
from gear_app.core.text import count, normalise_entity
from gear_app.store.rows import RunInfo, now
from gear_app.trace.metrics import found_at
from gear_app.trace.rankings import CUTS
from gear_app.trace.timeline import failure_of
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.runs.why_not import WhyNotService

MOST_RUNS = 100_000
FIRST = CUTS[0]
OWNER = "annotations"  # of runs that are made because somebody judged them elsewhere


class AnnotationService(Service):
    """A workspace's labels. Rankings never change, so what was read of them is kept."""

    def __init__(self, connection: Connection, why_not: WhyNotService) -> None:
        super().__init__(connection)
        self._why_not = why_not
        self._items: dict[int, tuple[object, list[QueueItem]]] = {}
        self._labels: dict[int, tuple[int, dict[Key, Record]]] = {}
        self._rankings: dict[int, tuple[str, ...]] = {}
        self._causes: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    def items(self, collection: str) -> list[QueueItem]:
        """The newest finished run of each case, if its gold is known, by question and method.
        Raises Unknown.
        """
        row = self._store.collections.get(collection)
        questions = self._store.questions.of(row.id)
        types = {normalise_entity(question.question): question.type or "" for question in questions}
        stamp = (self._store.runs.stamp(row.id), types)
        if self._items.get(row.id, (None, []))[0] != stamp:
            self._items[row.id] = stamp, self._read_items(row.id, types)
        return self._items[row.id][1]

    def _read_items(self, collection_id: int, types: Mapping[str, str]) -> list[QueueItem]:
        items: dict[str, QueueItem] = {}
        for run in self._store.runs.recent(collection_id, MOST_RUNS):
            case = case_of(run).id
            if run.message and failure_of([e.event for e in self._store.events.of(run.number)]):
                continue  # its model failed: the ranking is not its method's
            if run.state == "done" and run.gold and case not in items:  # the newest run comes first
                type_ = types.get(normalise_entity(run.question), "")
                retrieved = found_at(self._first(run.number), run.gold, FIRST)
                items[case] = QueueItem(
                    case, run.id, run.question, run.method, type_, len(set(run.gold)), retrieved
                )
        return sorted(items.values(), key=lambda item: (item.question, item.method))

    def _first(self, number: int) -> tuple[str, ...]:
        if number not in self._rankings:
            self._rankings[number] = tuple(self._store.events.ranked_keys(number)[:FIRST])
        return self._rankings[number]

    def labels(self, collection: str) -> Labels:
        """Everybody's labels and decisions. Raises Unknown."""
        row = self._store.collections.get(collection)
        last, labels = self._labels.get(row.id, (0, {}))
        if new := self._store.labels.of(row.id, last):
            records = [from_row(json.loads(text)) for _, text in new]
            labels = labels | {record.key: record for record in records}
            self._labels[row.id] = new[-1][0], labels
        return labels

    def save(self, collection_id: int, records: Iterable[Record]) -> None:
        """Store records, each in the place of an earlier one of the same key."""
        rows = [(*record.key, json.dumps(to_row(record))) for record in records]
        self._store.labels.save(collection_id, rows)

    def seen(self, collection: str, annotator: str) -> Labels:
        """The labels that an annotator may see (queue.visible)."""
        return visible(self.labels(collection), annotator)

    def hidden(self, collection: str, annotator: str) -> frozenset[str]:
        """The cases with labels that an annotator may not see yet."""
        hidden = self.labels(collection).keys() - self.seen(collection, annotator).keys()
        return frozenset(key.case for key in hidden)

    def commit(
        self, run_id: str, annotator: str, label: Label, *, adjudicates: bool = False
    ) -> Record | None:
        """Save a person's label of a run in the place of an earlier one; None where they are equal.
        Raises BadInput without a name, and Unknown.
        """
        run = self._store.runs.get(run_id)
        if run.collection_id is None:
            raise Unknown("collection", run.collection, [])
        versions = run.versions.get("gear_app", "")
        record = Record(
            case_of(run),
            person(annotator),
            now(),
            label,
            adjudicates,
            run.id,
            run.corpus_hash,
            versions,
        )
        before = self.labels(run.collection).get(record.key)
        if before is not None and before.label == label:
            return None
        self.save(run.collection_id, [record])
        return record

    def causes(self, run_id: str) -> tuple[str, ...]:
        """The cause that why-not suggests for each gold passage that a run misses, in the order of
        its gold; none where it cannot be computed.
        """
        run = self._store.runs.get(run_id)
        key = run_id, run.gold
        if key not in self._causes:
            first = self._first(run.number)
            missed = [gold for gold in run.gold if not found_at(first, [gold], FIRST)]
            try:
                answers = [self._why_not.explain(run_id, gold, FIRST) for gold in missed]
            except GearError:
                return ()
            self._causes[key] = tuple(answer.cause.value for answer in answers)
        return self._causes[key]

    def categories(self) -> list[Category]:
        """People's own categories."""
        return self._store.labels.categories()

    def offered(self, method: str, used: Collection[str] = ()) -> list[Category]:
        """The categories to choose from for a run of a method, and those that were `used` for it
        already, by key.
        """
        custom = self.categories()
        fitting = offered(method, custom, _lacking(method))
        rest = (category for category in code_book(custom) if category not in fitting)
        return [*fitting, *(category for category in rest if category.key in used)]

    def add_category(self, name: str, definition: str, author: str) -> Category:
        """Store a person's own category. Raises BadInput."""
        category = own_category(name, definition)
        if category.key in {existing.key for existing in self.categories()}:
            raise BadInput(f"{category.name!r} is in the code book already.")
        self._store.labels.add_category(category, author)
        return category

    def _exported(self, collection: str, viewer: str | None) -> list[Record]:
        labels = self.labels(collection)
        return list((labels if viewer is None else visible(labels, viewer)).values())

    def json_lines(self, collection: str, viewer: str | None = None) -> Iterator[str]:
        """All labels with their runs and own categories as lines of a file; for a viewer without
        hidden ones.
        """
        records = self._exported(collection, viewer)
        used = {record.label.category for record in records}
        custom = [category for category in self.categories() if category.key in used]
        cases = {record.case.id for record in records}
        runs = (self._run_row(item) for item in self.items(collection) if item.case in cases)
        return exchange.json_lines(records, custom, runs)

    def _run_row(self, item: QueueItem) -> dict[str, Any]:
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
        """All labels as a table for spreadsheets; for a viewer without hidden ones."""
        names = {category.key: category.name for category in code_book(self.categories())}
        recalls = {item.case: (item.found, item.gold) for item in self.items(collection)}
        return exchange.table(self._exported(collection, viewer), names, recalls)

    def import_lines(self, collection: str, lines: Iterable[str]) -> exchange.Imported:
        """Add the labels of a file that are later than those stored; their runs may come later.
        Raises BadInput before anything is stored, also for labels of another collection, and
        Unknown.
        """
        row = self._store.collections.get(collection)
        file = exchange.read(lines)
        judged = {record.case.question for record in file.records}
        questions = {
            normalise_entity(question.question) for question in self._store.questions.of(row.id)
        }
        questions |= {
            normalise_entity(run.question)
            for run in self._store.runs.of_questions(row.id, [*judged])
        }
        foreign = sum(normalise_entity(question) not in questions for question in judged)
        if judged and foreign == len(judged):
            raise BadInput(
                f"None of its {count(foreign, 'question')} is in {collection!r}. Choose the"
                " collection whose runs were judged, or import its questions first."
            )
        with self._store.transaction():
            for category in file.categories:
                self._store.labels.add_category(category, "")
            stored = self.labels(collection)
            new = [
                record
                for key, record in latest(file.records).items()
                if key not in stored or stored[key].at < record.at
            ]
            self.save(row.id, new)
        return exchange.Imported(len(new), foreign)

    def requests(self, collection: str) -> list[RunRequest]:
        """Requests for the runs of judged cases that have none here: those whose gold is known and
        that ask no language model.
        """
        row = self._store.collections.get(collection)
        present = {item.case for item in self.items(collection)}
        gold = {
            normalise_entity(question.question)
            for question in self._store.questions.of(row.id)
            if question.supporting_keys
        }
        cases = {record.case.id: record.case for record in self.labels(collection).values()}
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
            for id_, case in cases.items()
            if id_ not in present and not case.run and normalise_entity(case.question) in gold
        ]


@lru_cache(maxsize=256)
def _lacking(method: str) -> frozenset[Part]:
    """The parts that a method does not have; none for an unknown method."""
    try:
        reads = retrievers.method_of(method).reads()
        triples = retrievers.uses_triples(method, reader=reads)
    except GearError:
        return frozenset()
    parts: dict[Part, bool] = {"reader": reads, "triples": triples}
    return frozenset(part for part, present in parts.items() if not present)


@lru_cache(maxsize=256)
def _defaults(method: str) -> Mapping[str, str]:
    try:
        return {k: str(v) for k, v in settings(retrievers.config_for(method)).items()}
    except GearError:
        return {}


def case_of(run: RunInfo) -> Case:
    """The case of a run: its question, its method, and the settings that are not the defaults."""
    defaults = _defaults(run.method)
    changed = {
        name: str(value) for name, value in run.config.items() if defaults.get(name) != str(value)
    }
    return Case(
        run.question,
        run.method,
        tuple(sorted(changed.items())),
        run.reader,
        run.triple_set or "",
        run.k,
        run.id if run.model else "",
    )
