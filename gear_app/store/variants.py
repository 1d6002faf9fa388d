"""What-ifs on their way: a page asks for a variant of a run, the worker makes it, the page reads it
while it is there.

Nothing here outlives an hour: a variant is no run, and can be made again.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from gear_app.events import Event, from_row, to_row
from gear_app.store.database import StoreTable

KEPT_S = 3600.0  # after it was last asked for
VariantState = Literal["waiting", "begun", "done", "failed"]


class VariantRow(NamedTuple):
    """A variant that was asked for; `message` says why it failed, `change` is JSON."""

    id: str
    run: str
    change: str
    state: VariantState
    message: str
    ms: float
    encoded: int


class Variants(StoreTable):
    """The variants that are wanted in a workspace, and those that are made."""

    def want(self, run: str, change: str) -> VariantRow:
        """The variant of a run with a change, asked for where nobody has; those that were not
        wanted for long are forgotten.
        """
        id_ = hashlib.blake2b(f"{run} {change}".encode(), digest_size=10).hexdigest()
        row = self._of(id_)
        if row is None:
            now = time.time()
            with self._db.transaction():
                self._db.execute("DELETE FROM variants WHERE asked < ?", [now - KEPT_S])
                self._db.execute(
                    "INSERT OR IGNORE INTO variants (id, run, change, asked, state, message, ms,"
                    " encoded) VALUES (?, (SELECT number FROM runs WHERE id = ?), ?, ?, 'waiting',"
                    " '', 0, 0)",
                    [id_, run, change, now],
                )
        return self._of(id_) or VariantRow(id_, run, change, "waiting", "", 0.0, 0)

    def _of(self, id_: str) -> VariantRow | None:
        return self._db.first(
            VariantRow,
            "SELECT v.id, r.id, change, v.state, v.message, v.ms, encoded FROM variants v JOIN runs"
            " r ON r.number = v.run WHERE v.id = ?",
            [id_],
        )

    def events(self, id_: str) -> list[Event]:
        """The events of a variant that is done."""
        found = self._db.value("SELECT events FROM variants WHERE id = ?", [id_])
        rows = json.loads(zlib.decompress(found)) if found else []
        return [from_row(row) for row in rows]

    def claim_next(self) -> VariantRow | None:
        """Begin with the one that waits longest; None if none does."""
        with self._db.transaction():
            id_ = self._db.value(
                "SELECT id FROM variants WHERE state = 'waiting' ORDER BY asked LIMIT 1"
            )
            if id_ is None:
                return None
            self._db.update("variants", {"state": "begun"}, id=id_)
        return self._of(str(id_))

    def finish(self, id_: str, happened: Sequence[Event], ms: float, encoded: int) -> None:
        """Keep a variant that was made."""
        rows = [to_row(event) for event in happened]
        packed = zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)
        self._db.update(
            "variants", {"state": "done", "events": packed, "ms": ms, "encoded": encoded}, id=id_
        )

    def fail(self, id_: str, message: str) -> None:
        """Say why it could not be made."""
        self._db.update("variants", {"state": "failed", "message": message}, id=id_)

    def waiting(self) -> int:
        """How many wait."""
        return self._db.count("SELECT count(*) FROM variants WHERE state = 'waiting'")

    def forget(self) -> None:
        """Forget those that were begun: whoever worked on them is gone."""
        self._db.execute("DELETE FROM variants WHERE state = 'begun'")
