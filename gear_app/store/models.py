"""Which model made it: a small number for every embedder's fingerprint."""

from __future__ import annotations

from gear_app.store.database import Database


class ModelIds:
    """The numbers of models; an unknown one gets the next."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db
        self._known: dict[str, int] = {}

    def of(self, fingerprint: str) -> int:
        """The number of the model with this fingerprint."""
        if fingerprint not in self._known:
            self._db.execute("INSERT OR IGNORE INTO models (fingerprint) VALUES (?)", [fingerprint])
            found = self._db.value("SELECT id FROM models WHERE fingerprint = ?", [fingerprint])
            self._known[fingerprint] = int(found)
        return self._known[fingerprint]
