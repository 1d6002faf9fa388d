"""What models cost, as somebody wrote it down.

The table of prices is empty as it comes: prices change, and old ones are worse than none.
"""

from __future__ import annotations

import math

from gear_app.errors import BadInput, Unknown
from gear_app.llm.prices import Price
from gear_app.store.database import Database
from gear_app.store.rows import now

MOST = 100_000.0  # dollars for a million tokens


class Prices:
    """A workspace's table of prices."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def all(self) -> dict[str, Price]:
        """Every price there is, by the model's name as its server calls it, in order of the
        names.
        """
        found = self._db.tuples("SELECT model, input, output FROM prices ORDER BY model")
        return {model: Price(input_, output) for model, input_, output in found}

    def put(self, model: str, price: Price) -> None:
        """Write a price down, in the place of any other. Raises BadInput."""
        if not model.strip():
            raise BadInput("Name the model, as its server calls it")
        for value in price:
            if not (math.isfinite(value) and 0 <= value <= MOST):
                raise BadInput(
                    f"A price is in dollars for a million tokens, from 0 to {MOST:,.0f}, not"
                    f" {value:g}"
                )
        self._db.execute(
            "INSERT OR REPLACE INTO prices (model, input, output, at) VALUES (?, ?, ?, ?)",
            [model.strip(), *price, now()],
        )

    def forget(self, model: str) -> None:
        """Take a price off the table. Raises Unknown."""
        if not self._db.execute("DELETE FROM prices WHERE model = ?", [model.strip()]):
            raise Unknown("price of a model", model, self.all())
