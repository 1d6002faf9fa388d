"""Imports: what each was asked to read, how far it came, and what became of every file.

An import is a job (store.jobs) with a row here. What it stored is known by the revisions that it
made, so that it can be counted after an interruption, and undone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gear_app.errors import Unknown
from gear_app.store.database import StoreTable
from gear_app.store.rows import from_row, now


@dataclass(slots=True)
class ImportProgress:
    """What an import has stored so far. Files are counted by their place among the reports."""

    revisions: list[int] = field(default_factory=list)
    documents: dict[int, int] = field(default_factory=dict)
    passages: dict[int, int] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    made_sets: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import as it is stored. `origin` and `reports` are JSON of ingest.Origin and of a list of
    ingest.FileReport; `folder` is the name of its working folder beside the workspace.
    """

    job_id: int
    name: str
    origin: str
    folder: str
    extract: bool
    made_collection: bool
    undone: bool
    progress: ImportProgress
    reports: str


class Imports(StoreTable):
    """A workspace's imports."""

    def add(
        self, job_id: int, *, name: str, origin: str, folder: str, extract: bool, made: bool
    ) -> None:
        """Keep what a job is to import. `made`: the collection was made for it."""
        self._db.insert(
            "imports",
            {
                "job_id": job_id,
                "name": name,
                "origin": origin,
                "folder": folder,
                "extract": int(extract),
                "made_collection": int(made),
            },
        )

    def get(self, job_id: int) -> ImportRow:
        """An import. Raises Unknown."""
        row = self._db.row("SELECT * FROM imports WHERE job_id = ?", [job_id])
        if row is None:
            raise Unknown("import", str(job_id))
        flags = {name: bool(row[name]) for name in ("extract", "made_collection", "undone")}
        return from_row(ImportRow, row, progress=_progress(json.loads(row["progress"])), **flags)

    def unfinished(self, collection_id: int) -> list[int]:
        """The jobs of imports that wait, run, failed or were cancelled, and were not undone."""
        return self._db.column(
            "SELECT job_id FROM imports JOIN jobs ON jobs.id = job_id"
            " WHERE collection_id = ? AND undone = 0 AND jobs.state <> 'done' ORDER BY job_id",
            [collection_id],
        )

    def same(self, collection_id: int, origin: str) -> int | None:
        """The newest unfinished import of this very origin into a collection, or None."""
        return self._db.number(
            "SELECT max(job_id) FROM imports JOIN jobs ON jobs.id = job_id WHERE collection_id = ?"
            " AND origin = ? AND undone = 0 AND jobs.state <> 'done'",
            [collection_id, origin],
        )

    def documents(self, job_id: int, collection_id: int) -> list[int]:
        """The documents that came with an import and are still there."""
        revisions = self.get(job_id).progress.revisions
        return self._db.column(
            "SELECT id FROM documents WHERE collection_id = ? AND retired IS NULL AND added IN"
            " (SELECT value FROM json_each(?)) ORDER BY id",
            [collection_id, json.dumps(revisions)],
        )

    def folders(self) -> set[str]:
        """The working folders of imports that wait or run."""
        return set(
            self._db.column(
                "SELECT folder FROM imports JOIN jobs ON jobs.id = job_id"
                " WHERE jobs.state IN ('queued', 'running')"
            )
        )

    def note(self, job_id: int, progress: ImportProgress) -> None:
        """Keep how far it came; inside the transaction that stored what is counted."""
        self._db.update("imports", {"progress": json.dumps(asdict(progress))}, job_id=job_id)

    def report(self, job_id: int, reports: str) -> None:
        """Keep what became of every file."""
        self._db.update("imports", {"reports": reports}, job_id=job_id)

    def again(self, job_id: int) -> None:
        """Put an import that failed, paused or was cancelled back in the queue."""
        self._db.execute(
            "UPDATE jobs SET state = 'queued', cancel = 0, message = '', finished = NULL"
            " WHERE id = ? AND state IN ('failed', 'paused', 'cancelled')",
            [job_id],
        )

    def undo(self, job_id: int, collection_id: int, revision: int) -> None:
        """Retire, at `revision`, all that the import added; delete its questions and its sets.

        A set that was there before loses only the triples that came with the import. Inside a
        transaction.
        """
        progress = self.get(job_id).progress
        for added in progress.revisions:
            values = {"collection": collection_id, "added": added, "now": revision}
            mine = "collection_id = :collection AND added = :added AND retired IS NULL"
            self._db.execute(
                "UPDATE triples SET retired = :now WHERE retired IS NULL AND (passage_id IN"
                f" (SELECT id FROM passages WHERE {mine}) OR (added = :added AND set_id IN"
                " (SELECT id FROM triple_sets WHERE collection_id = :collection)))",
                values,
            )
            self._db.execute(f"UPDATE passages SET retired = :now WHERE {mine}", values)
            self._db.execute(f"UPDATE documents SET retired = :now WHERE {mine}", values)
        self._forget_emptied(collection_id)
        self._delete(
            "questions WHERE collection_id = ? AND key = ?", collection_id, progress.questions
        )
        self._delete(
            "triple_sets WHERE collection_id = ? AND id = ?", collection_id, progress.made_sets
        )
        self._db.update("imports", {"undone": 1}, job_id=job_id)
        self._db.update(
            "jobs",
            {"message": "Undone: what it had stored was taken out again.", "finished": now()},
            id=job_id,
        )

    def _forget_emptied(self, collection_id: int) -> None:
        """Passages whose imported triples are gone count as not read again."""
        self._db.execute(
            "DELETE FROM extractions WHERE fingerprint = 'import' AND triples > 0 AND set_id IN"
            " (SELECT id FROM triple_sets WHERE collection_id = ?) AND NOT EXISTS (SELECT 1 FROM"
            " triples t WHERE t.set_id = extractions.set_id AND t.passage_id ="
            " extractions.passage_id AND t.retired IS NULL)",
            [collection_id],
        )

    def _delete(self, which: str, collection_id: int, values: Sequence[Any]) -> None:
        self._db.many(f"DELETE FROM {which}", [(collection_id, value) for value in values])


def _progress(row: dict[str, Any]) -> ImportProgress:
    """JSON has text for keys; places are numbers."""
    counts = {
        name: {int(place): count for place, count in row.get(name, {}).items()}
        for name in ("documents", "passages")
    }
    return ImportProgress(**{**row, **counts})
