"""What language models cost, as somebody wrote it down; what a run takes; and the replies that
could be parsed, which are kept: repeating a run or an extraction costs nothing.

The table of prices is empty as it comes: prices change, and old ones are worse than none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.errors import BadInput, Unknown
from gear_app.models.budget import Price
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import Spent, now
from gear_app.trace.events import Called, Event, Failed

_REPLY = ("reply", "input_tokens", "output_tokens", "ms", "estimated", "cut")  # columns


def add_event(spent: Spent, event: Event) -> Spent:
    """Spending with this event; replies kept from before count: it is what the method takes,
    whoever paid.
    """
    match event:
        case Called() if event.failed:
            return spent
        case Called():
            return Spent(
                spent.calls + 1,
                spent.kept + event.cached,
                spent.unusable,
                spent.input_tokens + event.input_tokens,
                spent.output_tokens + event.output_tokens,
                None if spent.cost is None or event.cost is None else spent.cost + event.cost,
                spent.taken + (0 if event.cached else event.input_tokens + event.output_tokens),
            )
        case Failed() if event.replied:
            return replace(spent, unusable=spent.unusable + 1)
    return spent


MOST_DOLLARS = 100_000.0  # dollars for a million tokens


class Prices(StoreTable):
    """A workspace's table of prices."""

    def all(self) -> dict[str, Price]:
        """Every price there is, by the model's name as its server calls it, in order of the
        names.
        """
        rows = self._db.tuples("SELECT model, input, output FROM prices ORDER BY model")
        return {model: Price(input_, output) for model, input_, output in rows}

    def put(self, model: str, input_: float, output: float) -> None:
        """Store the price of a million tokens in and out, in dollars, for calls from now on. Raises
        BadInput.
        """
        if not model.strip():
            raise BadInput("Name the model, as its server calls it")
        for value in (input_, output):
            if not (math.isfinite(value) and 0 <= value <= MOST_DOLLARS):
                raise BadInput(
                    f"A price is in dollars for a million tokens, from 0 to {MOST_DOLLARS:,.0f},"
                    f" not {value:g}"
                )
        row = {"model": model.strip(), "input": input_, "output": output, "at": now()}
        self._db.insert("prices", row, "REPLACE")

    def forget(self, model: str) -> None:
        """Take a price off the table. Raises Unknown."""
        if not self._db.delete("prices", model=model.strip()):
            raise Unknown("price of a model", model, self.all())


class CacheSize(NamedTuple):
    """How many replies are kept, and how many bytes they have together."""

    replies: int
    bytes: int


class Replies(StoreTable):
    """A workspace's replies."""

    def get(self, key: bytes, call: Called) -> Called | None:
        """The call with the reply kept under this key."""
        rows = self._db.rows(f"SELECT {', '.join(_REPLY)} FROM model_replies WHERE key = ?", [key])
        return next((replace(call, **row) for row in rows), None)

    def tokens(self, server: str, model: str, prompt_hashes: Sequence[str]) -> dict[str, float]:
        """How many tokens the kept replies of a model have on average, by prompt."""
        sql = (
            "SELECT prompt_hash, avg(output_tokens) FROM model_replies WHERE server = ? AND model ="
            f" ? AND prompt_hash IN {LISTED} GROUP BY 1"
        )
        return dict(self._db.tuples(sql, [server, model, [*prompt_hashes]]))

    def put(self, key: bytes, call: Called, server: str) -> None:
        """Keep the reply of a call, in the place of any other."""
        kept = {name: getattr(call, name) for name in ("model", "role", "prompt_hash", *_REPLY)}
        self._db.insert(
            "model_replies", {"key": key, "server": server, **kept, "at": now()}, "REPLACE"
        )

    def size(self) -> CacheSize:
        """How many there are, and how large."""
        return self._db.values(
            CacheSize,
            "SELECT count(*), coalesce(sum(length(CAST(reply AS BLOB))), 0) FROM model_replies",
        )[0]

    def forget(self) -> int:
        """Forget all replies; return how many there were. Runs keep theirs in their events."""
        return self._db.execute("DELETE FROM model_replies")
