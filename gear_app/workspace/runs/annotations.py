"""Labels of a workspace's runs: the runs that can be judged, what people said of them, and files.
Nothing here loads a model.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gear_app import methods as retrievers
from gear_app.annotation import exchange
from gear_app.annotation.codebook import Category, Part, code_book, offered, own_category
from gear_app.annotation.queue import QueueItem, visible
from gear_app.annotation.record import (
    Case,
    Label,
    Labels,
    Record,
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
from gear_app.workspace.connection import Service
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.runs.rerun import RerunService

MOST_RUNS = 100_000
FIRST = CUTS[0]
OWNER = "annotations"  # of runs that are made because somebody judged them elsewhere


@dataclass(eq=False)
class AnnotationService(Service):
    """A workspace's labels."""

    reruns: RerunService
    _items: dict[int, tuple[object, list[QueueItem]]] = field(default_factory=dict)

    def items(self, collection: str) -> list[QueueItem]:
        """The newest finished run of each case, if its gold is known, by question and method.
        Raises Unknown.
        """
        row = self._store.collections.get(collection)
        questions = self._store.questions.of(row.id)
        types = {normalise_entity(question.question): question.type or "" for question in questions}
        stamp = self._store.runs.stamp(row.id), types
        if self._items.get(row.id, ((), []))[0] != stamp:
            items: dict[str, QueueItem] = {}
            for run in self._store.runs.recent(row.id, MOST_RUNS):  # the newest first
                case = case_of(run).id
                if run.state == "done" and run.gold and case not in items and not self._failed(run):
                    type_ = types.get(normalise_entity(run.question), "")
                    first = [key for key, _ in self._store.events.ranking(run.number)[:FIRST]]
                    gold = len(set(run.gold)), found_at(first, run.gold, FIRST)
                    items[case] = QueueItem(case, run.id, run.question, run.method, type_, *gold)
            listed = sorted(items.values(), key=lambda item: (item.question, item.method))
            self._items[row.id] = stamp, listed
        return self._items[row.id][1]

    def _failed(self, run: RunInfo) -> bool:
        """Whether its model failed: the ranking is not its method's."""
        events = self._store.events.of(run.number) if run.message else ()
        return bool(failure_of([stored.event for stored in events]))

    def labels(self, collection: str) -> Labels:
        """Everybody's labels and decisions. Raises Unknown."""
        row = self._store.collections.get(collection)
        records = [from_row(json.loads(text)) for text in self._store.labels.of(row.id)]
        return {record.key: record for record in records}

    def save(self, collection_id: int, records: Iterable[Record]) -> None:
        """Store records, each in the place of an earlier one of the same key."""
        rows = [(*record.key, json.dumps(to_row(record))) for record in records]
        self._store.labels.save(collection_id, rows)

    def seen(self, collection: str, annotator: str | None) -> Labels:
        """The labels that an annotator may see (queue.visible); all of them for None."""
        labels = self.labels(collection)
        return labels if annotator is None else visible(labels, annotator)

    def commit(
        self, run_id: str, annotator: str, label: Label, *, adjudicates: bool = False
    ) -> Record | None:
        """Save a person's label of a run in the place of an earlier one; None where they are equal.
        Raises BadInput without a name, and Unknown.
        """
        run = self._store.runs.get(run_id)
        if run.collection_id is None:
            raise Unknown("collection", run.collection, [])
        origin = run.id, run.corpus_hash, run.versions.get("gear_app", "")
        record = Record(case_of(run), person(annotator), now(), label, adjudicates, *origin)
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
        first = [key for key, _ in self._store.events.ranking(run.number)[:FIRST]]
        missed = [gold for gold in run.gold if not found_at(first, [gold], FIRST)]
        try:
            answers = [self.reruns.explain(run_id, gold, FIRST) for gold in missed]
        except GearError:
            return ()
        return tuple(answer.cause.value for answer in answers)

    def offered(self, method: str, used: Collection[str] = ()) -> list[Category]:
        """The categories to choose from for a run of a method, and those that were `used` for it
        already, by key.
        """
        lacking, custom = list[Part](), self._store.labels.categories()
        with suppress(GearError):  # of an unknown method
            reads = retrievers.method_of(method).reads()
            triples = retrievers.uses_triples(method, reader=reads)
            lacking += [*(() if reads else ("reader",)), *(() if triples else ("triples",))]
        fitting = offered(method, custom, lacking)
        rest = (category for category in code_book(custom) if category not in fitting)
        return [*fitting, *(category for category in rest if category.key in used)]

    def add_category(self, name: str, definition: str, author: str) -> Category:
        """Store a person's own category. Raises BadInput."""
        category = own_category(name, definition, self._store.labels.categories())
        self._store.labels.add_category(category, author)
        return category

    def json_lines(self, collection: str, viewer: str | None = None) -> Iterator[str]:
        """All labels and their own categories as lines of a file; for a viewer without hidden
        ones.
        """
        records = [*self.seen(collection, viewer).values()]
        used = {record.label.category for record in records}
        return exchange.json_lines(
            records, [c for c in self._store.labels.categories() if c.key in used]
        )

    def csv(self, collection: str, viewer: str | None = None) -> str:
        """All labels as a table for spreadsheets; for a viewer without hidden ones."""
        names = {
            category.key: category.name for category in code_book(self._store.labels.categories())
        }
        recalls = {item.case: (item.found, item.gold) for item in self.items(collection)}
        return exchange.table(self.seen(collection, viewer).values(), names, recalls)

    def import_lines(self, collection: str, lines: Iterable[str]) -> exchange.Imported:
        """Add the labels of a file that are later than those stored; their runs may come later.
        Raises BadInput before anything is stored, also for labels of another collection, and
        Unknown.
        """
        row = self._store.collections.get(collection)
        file = exchange.read(lines)
        judged = {record.case.question for record in file.records}
        known = [question.question for question in self._store.questions.of(row.id)]
        known += [run.question for run in self._store.runs.of_questions(row.id, judged)]
        questions = set(map(normalise_entity, known))
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
        questions = self._store.questions.of(row.id)
        gold = {normalise_entity(q.question) for q in questions if q.supporting_keys}
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
def _defaults(method: str) -> dict[str, Any]:
    try:
        return settings(retrievers.config_for(method))
    except GearError:  # an unknown method
        return {}


def case_of(run: RunInfo) -> Case:
    """The case of a run: its question, its method, and the settings that are not the defaults."""
    values = {name: str(value) for name, value in _defaults(run.method).items()}
    changed = {name: str(value) for name, value in run.config.items()}
    return Case(
        run.question,
        run.method,
        tuple(sorted(changed.items() - values.items())),
        run.reader,
        run.triple_set or "",
        run.k,
        run.id if run.model else "",
    )
