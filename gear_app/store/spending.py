"""What language models took: summed over runs and jobs, and of single runs and replies, for
estimates; what they cost, as somebody wrote it down; and the replies that could be parsed, which
are kept: repeating a run or an extraction costs nothing.

The table of prices is empty as it comes: prices change, and old ones are worse than none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from gear_app.core.errors import BadInput, Unknown
from gear_app.models.budget import Price
from gear_app.store.database import StoreTable
from gear_app.store.rows import Spent, now, spent_of
from gear_app.trace.events import Called, Event, Failed

_REPLY = ("reply", "input_tokens", "output_tokens", "ms", "estimated", "cut")  # columns
_SUMS = ", ".join(
    f"sum({item.name}) AS {item.name}" for item in fields(Spent) if item.name != "cost"
)
_SUMS += ", iif(count(*) > count(cost), NULL, sum(cost)) AS cost"


class Spending(NamedTuple):
    """Spending on a model of a server in this workspace, in so many runs and extraction jobs."""

    server: str
    model: str
    runs: int
    jobs: int
    spent: Spent


class Totals(StoreTable):
    """A workspace's sums."""

    def by_model(self) -> list[Spending]:
        """Spending by server and model, without imported runs. A cost is None where
        that of any run or job is not known.
        """
        rows = self._db.rows(
            "SELECT json_extract(model, '$.base_url') AS server, json_extract(model, '$.model') AS"
            f" name, sum(kind = 'run') AS runs, sum(id IS NULL) AS jobs, {_SUMS} FROM tasks"
            " WHERE model <> '' AND calls > 0 AND kind <> 'draft' AND coalesce(collection_id, 0)"
            " NOT IN (SELECT id FROM collections WHERE recorded) GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return [
            Spending(row["server"], row["name"], row["runs"], row["jobs"], spent_of(row))
            for row in rows
        ]

    def reply_tokens(
        self, server: str, model: str, prompt_hashes: Sequence[str]
    ) -> dict[str, float]:
        """How many tokens the kept replies of a model have on average, by prompt."""
        rows = self._db.tuples(
            "SELECT prompt_hash, avg(output_tokens) FROM model_replies WHERE server = ? AND model"
            f" = ? AND prompt_hash IN ({', '.join('?' * len(prompt_hashes))}) GROUP BY 1",
            [server, model, *prompt_hashes],
        )
        return dict(rows)


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
        flags = ({name: bool(row[name]) for name in ("estimated", "cut")} for row in rows)
        replies = [replace(call, **row | flag) for row, flag in zip(rows, flags, strict=True)]
        return next(iter(replies), None)

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
