"""When every copy of an index in a cluster was counted, and what was missing."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.rows import now


class IndexCheck(NamedTuple):
    """A check of an index: when, of how many copies of shards, and what was missing; "" where
    nothing was.
    """

    at: str
    copies: int
    missing: str


class IndexChecks:
    """The last check of every index that this workspace checked."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def put(self, cluster: str, index: str, copies: int, missing: str) -> None:
        """Note that an index was checked just now, where the file may be written."""
        if not self._db.read_only:
            self._db.execute(
                "INSERT OR REPLACE INTO index_checks (cluster, index_name, at, copies, missing)"
                " VALUES (?, ?, ?, ?, ?)",
                [cluster, index, now(), copies, missing],
            )

    def of(self, cluster: str) -> dict[str, IndexCheck]:
        """The checks of a cluster's indices, by index."""
        found = self._db.tuples(
            "SELECT index_name, at, copies, missing FROM index_checks WHERE cluster = ?", [cluster]
        )
        return {index: IndexCheck(*check) for index, *check in found}
