"""Evaluations: methods to be measured on questions, and the stored run of every pair of the two.

An evaluation has no results of its own: they are ordinary runs, which other evaluations may share.
What is shown of a run is computed from its events once and kept as its facts.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gear_app.annotation.codebook import Category
from gear_app.core.errors import Unknown
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import RUN, RunInfo, cancel, from_row, from_task, now

ORACLE = "oracle decomposition"  # the method that searches for each known sub-question
OWNER = "evaluation:"  # and its id: who asked for a run that an evaluation had made


class RunPlace(NamedTuple):
    """Place of a run in an evaluation: a question under a method as the evaluation names it.

    `part` counts the searches of one question from 0, if a method makes several (the oracle
    decomposition); else it is 0.
    """

    method: str
    question: str
    part: int = 0


class RunFile(NamedTuple):
    """A run file by its tag: its name, and by question the passages' keys with their scores, best
    first.
    """

    tag: str
    file: str
    rankings: Mapping[str, Sequence[tuple[str, float]]]


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """An evaluation; `definition` is JSON. `reached` says why models are asked no more."""

    id: str
    collection_id: int
    collection: str
    definition: Mapping[str, Any]
    budget: int | None
    taken: int  # tokens that its runs took; replies from before took none
    reached: str
    created: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun(RunInfo):
    """A run of an evaluation, and the facts stored of it; None where they are not computed yet, or
    not by this version or against this gold.
    """

    place: RunPlace
    facts: Mapping[str, Any] | None

    @property
    def failure(self) -> str:
        """The reason why it failed, or why a model gave no reply in it; "" where none did."""
        return self.message if self.state in ("done", "failed") else ""

    @property
    def complete(self) -> bool:
        """Whether it is done with every reply it needed, on passages and triples of now."""
        return self.state == "done" and not self.failure and not self.stale


class Evaluations(StoreTable):
    """A workspace's evaluations."""

    def create(
        self,
        collection_id: int,
        definition: Mapping[str, Any],
        owner: str = "",
        budget: int | None = None,
    ) -> str:
        """Keep a definition; the id of the new evaluation, or of the one that has it already."""
        stored = self._select("e.collection_id = ? AND e.definition = ?", collection_id, definition)
        if stored:
            return stored[0].id
        row = {"id": secrets.token_hex(4), "collection_id": collection_id, "budget": budget}
        row |= {"definition": definition, "owner": owner, "created": now()}
        self._db.insert("evaluations", row)
        return str(row["id"])

    def get(self, id_: str) -> EvaluationRow:
        """An evaluation by its id. Raises Unknown."""
        for row in self._select("e.id = ?", id_):
            return row
        raise Unknown("evaluation", id_, [row.id for row in self.all()[:5]])

    def all(self) -> list[EvaluationRow]:
        """All of them, the newest first."""
        return self._select("true")

    def change(self, id_: str, **columns: object) -> None:
        """Give columns of an evaluation other values."""
        self._db.update("evaluations", columns, id=id_)

    def link(self, id_: str, runs: Iterable[tuple[RunPlace, str]]) -> None:
        """Say which runs, by their ids, are of it, in place of those that were."""
        self._db.many(
            "INSERT OR REPLACE INTO evaluation_runs (evaluation_id, method, question, part, run)"
            " SELECT ?, ?, ?, ?, number FROM tasks WHERE id = ?",
            [(id_, *place, run) for place, run in runs],
        )

    def stamp(self, id_: str) -> tuple[object, ...]:
        """Content that changes whenever its runs end, are made anew or get other gold, and whenever
        its collection, its questions or their gold, or its run files change.
        """
        runs = (
            "SELECT group_concat(json_array(e.method, e.question, e.part, e.run, r.state, r.gold))"
            " FROM evaluation_runs e JOIN tasks r ON r.number = e.run WHERE e.evaluation_id = ?"
        )
        questions = (
            "SELECT max(c.revision), group_concat(json_array(q.key, q.question, q.answers, q.type,"
            " q.hops, q.decomposition, (SELECT group_concat(json_array(g.key, g.grade)) FROM gold g"
            " WHERE g.question_id = q.id))) FROM evaluations e JOIN collections c ON c.id ="
            " e.collection_id LEFT JOIN questions q ON q.collection_id = c.id WHERE e.id = ?"
        )
        files = "SELECT tag, number FROM run_files WHERE evaluation_id = ? ORDER BY number"
        return tuple(tuple(self._db.tuples(sql, [id_])) for sql in (runs, questions, files))

    def runs(self, id_: str, version: int = -1) -> dict[RunPlace, MeasuredRun]:
        """Its runs by their places, in no order, with the facts that this version computed."""
        select = RUN.format(others=", e.method AS words, e.question AS key, e.part, f.facts")
        rows = self._db.rows(
            f"{select} JOIN evaluation_runs e ON e.run = r.number LEFT JOIN run_facts f ON f.run ="
            " r.number AND f.version = ? AND f.gold = r.gold WHERE e.evaluation_id = ?",
            [version, id_],
        )
        runs = (
            from_task(
                MeasuredRun,
                row,
                place=RunPlace(row["words"], row["key"], row["part"]),
                ms=row["ms"] or 0.0,
            )
            for row in rows
        )
        return {run.place: run for run in runs}

    def keep_facts(self, version: int, facts: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Keep what was computed of runs, by number, against the gold they have now."""
        self._db.many(
            "INSERT OR REPLACE INTO run_facts (run, version, gold, facts) SELECT number, ?, gold, ?"
            " FROM tasks WHERE number = ?",
            [(version, value, number) for number, value in facts],
        )

    def stop(self, id_: str, methods: Sequence[str] | None = None) -> None:
        """Cancel its runs, or those of some methods: the waiting at once, the running one at its
        next event. Runs that others asked for go on.
        """
        of_it = (
            "number IN (SELECT e.run FROM evaluation_runs e WHERE e.evaluation_id = ? AND"
            f" (? OR e.method IN {LISTED})) AND owner = ?"
        )
        with self._db.transaction():
            cancel(self._db, of_it, id_, methods is None, list(methods or ()), OWNER + id_)

    def cap(self, owner: str) -> tuple[int, int] | None:
        """The tokens that the runs of this owner may take together, and those they took; None where
        the owner is no evaluation, or one without a limit.
        """
        rows = self._select(f"'{OWNER}' || e.id = ? AND e.budget IS NOT NULL", owner)
        return next(((row.budget or 0, row.taken) for row in rows), None)

    def reach(self, owner: str, run: int, sentence: str) -> None:
        """Note that the budget refused a run a call: the run measures nothing, other runs of its
        method are cancelled, and the evaluation stores the reason.
        """
        with self._db.transaction():
            id_ = owner.removeprefix(OWNER)
            self.change(id_, reached=sentence)
            sql = "SELECT method FROM evaluation_runs WHERE evaluation_id = ? AND run = ?"
            self.stop(id_, self._db.values(str, sql, [id_, run]))
            self._db.delete("evaluation_runs", evaluation_id=id_, run=run)

    def keep_file(self, id_: str, run_file: RunFile) -> None:
        """Keep a run file, in place of the one with this tag that was there."""
        self._db.insert("run_files", {"evaluation_id": id_, **run_file._asdict()}, "REPLACE")

    def files(self, id_: str) -> list[RunFile]:
        """An evaluation's run files, in the order they were brought."""
        sql = "SELECT tag, file, rankings FROM run_files WHERE evaluation_id = ? ORDER BY number"
        return self._db.values(RunFile, sql, [id_])

    def drop_file(self, id_: str, tag: str) -> None:
        """Forget a run file."""
        self._db.delete("run_files", evaluation_id=id_, tag=tag)

    def _select(self, condition: str, *values: object) -> list[EvaluationRow]:
        rows = self._db.rows(
            "SELECT e.*, c.name AS collection, (SELECT coalesce(sum(taken), 0) FROM tasks WHERE"
            f" owner = '{OWNER}' || e.id) AS taken FROM evaluations e JOIN collections c ON c.id ="
            f" e.collection_id WHERE {condition} ORDER BY e.number DESC",
            values,
        )
        return [from_row(EvaluationRow, row) for row in rows]


class Labels(StoreTable):
    """A workspace's labels: one for each case and person, which a later one replaces."""

    def save(self, collection_id: int, rows: Iterable[tuple[str, str, bool, str]]) -> None:
        """Store labels, each in the place of an earlier one: the case, the annotator, whether it is
        a decision, and the record as JSON.
        """
        self._db.add(
            "labels",
            "collection_id, case_id, annotator, adjudicates, record",
            [(collection_id, *row) for row in rows],
            "REPLACE",
        )

    def of(self, collection_id: int) -> list[str]:
        """A collection's records as JSON, in the order they were stored."""
        sql = "SELECT record FROM labels WHERE collection_id = ? ORDER BY number"
        return self._db.values(str, sql, [collection_id])

    def categories(self) -> list[Category]:
        """People's own categories, oldest first."""
        return self._db.values(
            Category, "SELECT key, name, definition FROM categories ORDER BY rowid"
        )

    def add_category(self, category: Category, author: str) -> None:
        """Store a category, unless there is one with this key."""
        self._db.insert(
            "categories",
            {
                "key": category.key,
                "name": category.name,
                "definition": category.definition,
                "author": author,
                "at": now(),
            },
            "IGNORE",
        )
