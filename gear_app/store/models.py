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
        """The number of the model with this fingerprint; 0, which is no model's, where it is new
        and the file may not be written.
        """
        if fingerprint not in self._known:
            found = self._find(fingerprint)
            if found is None and self._db.read_only:
                return 0
            if found is None:
                self._db.execute(
                    "INSERT OR IGNORE INTO models (fingerprint) VALUES (?)", [fingerprint]
                )
                found = self._find(fingerprint)
            assert found is not None
            self._known[fingerprint] = found
        return self._known[fingerprint]

    def _find(self, fingerprint: str) -> int | None:
        found: int | None = self._db.value(
            "SELECT id FROM models WHERE fingerprint = ?", [fingerprint]
        )
        return found
