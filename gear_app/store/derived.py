"""What methods made of a collection once, a tree of summaries for one, by what it was made of."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from gear_app.store.database import StoreTable

MOST = 50  # of a collection; the oldest go first


class Derived(StoreTable):
    """Texts by collection and name; a name says what its text was made of."""

    def keep(self, collection_id: int, name: str, make: Callable[[], str]) -> str:
        """The text of this name, made now where nobody has yet. Of several that were made at once
        all get the first.
        """
        text = self._find(collection_id, name)
        if text is not None:
            return text
        text = make()
        if not self._db.read_only:
            row = {"collection_id": collection_id, "name": name}
            with self._db.transaction():
                text = self._find(collection_id, name) or text
                self._db.insert("derived", row | {"text": zlib.compress(text.encode())}, "REPLACE")
                self._db.execute(
                    "DELETE FROM derived WHERE collection_id = :id AND number NOT IN (SELECT number"
                    " FROM derived WHERE collection_id = :id ORDER BY number DESC LIMIT :most)",
                    {"id": collection_id, "most": MOST},
                )
        return text

    def _find(self, collection_id: int, name: str) -> str | None:
        packed = self._db.value(
            "SELECT text FROM derived WHERE collection_id = ? AND name = ?", [collection_id, name]
        )
        return None if packed is None else zlib.decompress(packed).decode()
