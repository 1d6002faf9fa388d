"""What an extractor finds in one passage: looked at beside a triple set, and stored in none."""

from __future__ import annotations

import json

from gear_app.errors import Unknown
from gear_app.store.database import Database
from gear_app.types import ExtractedTriple, Span


class Samples:
    """A workspace's samples, by the job that makes each."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def add(self, job_id: int, passage_id: int) -> None:
        """Keep which passage a job is to extract."""
        self._db.insert("samples", {"job_id": job_id, "passage_id": passage_id})

    def passage_id(self, job_id: int) -> int:
        """The passage that a job is to extract. Raises Unknown."""
        found = self._db.value("SELECT passage_id FROM samples WHERE job_id = ?", [job_id])
        if found is None:
            raise Unknown("sample", str(job_id))
        return int(found)

    def put(self, job_id: int, triples: tuple[ExtractedTriple, ...]) -> None:
        """Keep what was found."""
        rows = [[t.subject, t.predicate, t.object, *(t.span or (None, None))] for t in triples]
        self._db.execute(
            "UPDATE samples SET found = ? WHERE job_id = ?",
            [json.dumps(rows, ensure_ascii=False), job_id],
        )

    def get(self, job_id: int) -> tuple[ExtractedTriple, ...] | None:
        """What was found; None where nothing came yet, or the job is gone."""
        found = self._db.value("SELECT found FROM samples WHERE job_id = ?", [job_id])
        if found is None:
            return None
        return tuple(
            ExtractedTriple(
                subject, predicate, object_, None if start is None else Span(start, end)
            )
            for subject, predicate, object_, start, end in json.loads(found)
        )

    def last(self, passage_id: int, extractor: str, model: str) -> int | None:
        """The last job that sampled a passage with this extractor and model."""
        found: int | None = self._db.value(
            "SELECT max(j.id) FROM samples x JOIN jobs j ON j.id = x.job_id WHERE x.passage_id = ?"
            " AND j.extractor = ? AND j.model = ?",
            [passage_id, extractor, model],
        )
        return found
