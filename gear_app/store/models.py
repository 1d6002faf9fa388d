"""What models gave, and what it cost. Vectors by model and text, float32 blobs, so that no text is
encoded twice and a replay finds the same numbers; the replies that could be parsed, so that
repeating a run or an extraction costs nothing; and prices as somebody wrote them down: the table is
empty as it comes, since prices change, and old ones are worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.protocols import Vectors
from gear_app.models.budget import Price
from gear_app.store.database import HASHES, LISTED, StoreTable
from gear_app.store.rows import LIVE, Spent, now, text_hash
from gear_app.trace.events import Called, Event, Failed

_DTYPE = np.dtype("<f4")
MODEL = "(SELECT id FROM models WHERE fingerprint = ?)"  # the number of a model
# Of rows t with a text: the tables, the column of their owner, the condition that a row existed at
# a revision, and their order.
_SOURCES = {
    "passages": ("passages t", "t.collection_id", LIVE.format("t"), "t.id"),
    "sentences": (
        "passages p JOIN sentences t ON t.passage_id = p.id",
        "p.collection_id",
        LIVE.format("p"),
        "p.id, t.number",
    ),
    "triples": ("triples t", "t.set_id", LIVE.format("t"), "t.id"),
}
_REPLY = ("reply", "input_tokens", "output_tokens", "ms", "estimated", "cut")  # columns
MOST_DOLLARS = 100_000.0  # for a million tokens
Table = Literal["passages", "sentences", "triples"]


class EncodedRows(NamedTuple):
    """Rows that have a text: a collection's passages or their sentences, or a set's triples, at a
    revision, for one model.
    """

    table: Table
    owner_id: int
    revision: int
    fingerprint: str


class Embeddings(StoreTable):
    """A workspace's vectors."""

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """(d,) vectors of those texts it has, by text."""
        by_hash = {text_hash(text): text for text in texts}
        rows = self._hashed("text_hash, vector", fingerprint, [*by_hash])
        return {by_hash[hash_]: np.frombuffer(vector, _DTYPE) for hash_, vector in rows}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, where the file may be written; a text that is there already keeps its
        vector.
        """
        if not vectors or self._db.read_only:
            return
        with self._db.transaction():
            self._db.insert("models", {"fingerprint": fingerprint}, "IGNORE")
            model = self._db.value(MODEL.strip("()"), [fingerprint])
            self._db.add(
                "embeddings",
                "model_id, text_hash, vector",
                [
                    (model, text_hash(text), np.asarray(vector, _DTYPE).tobytes())
                    for text, vector in vectors.items()
                ],
                "IGNORE",
            )

    def length(self, fingerprint: str) -> int | None:
        """How many numbers a vector of this model has; None where it has none yet."""
        sql = f"SELECT length(vector) FROM embeddings WHERE model_id = {MODEL} LIMIT 1"
        sizes = self._db.values(int, sql, [fingerprint])
        return sizes[0] // _DTYPE.itemsize if sizes else None

    def missing(self, fingerprint: str, texts: Sequence[str]) -> list[str]:
        """Texts without a vector, each once, in order."""
        by_hash = {text_hash(text): text for text in texts}
        for (hash_,) in self._hashed("text_hash", fingerprint, [*by_hash]):
            by_hash.pop(hash_, None)
        return list(by_hash.values())

    def _hashed(
        self, columns: str, fingerprint: str, hashes: Sequence[bytes]
    ) -> Iterator[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM embeddings WHERE model_id = {MODEL} AND text_hash IN {HASHES}"
        return self._db.tuples(sql, [fingerprint, [*hashes]])

    def of(self, rows: EncodedRows) -> Iterator[Vectors]:
        """The vectors of these rows, by id. Call it when none is without."""
        for (vector,) in self._join("e.vector", rows, "e.text_hash IS NOT NULL"):
            yield np.frombuffer(vector, _DTYPE)

    def without(self, rows: EncodedRows) -> set[int]:
        """The ids of those rows whose text has no vector yet."""
        return {id_ for (id_,) in self._join("t.id", rows, "e.text_hash IS NULL")}

    def counts(self, rows: EncodedRows) -> tuple[int, int]:
        """How many of these rows there are, and how many have a vector."""
        ((texts, encoded),) = self._join("count(*), count(e.text_hash)", rows, "true")
        return texts, encoded

    def _join(self, columns: str, rows: EncodedRows, condition: str) -> Iterator[tuple[Any, ...]]:
        tables, owner, existed, order = _SOURCES[rows.table]
        model = MODEL.replace("?", ":model")
        return self._db.tuples(
            f"SELECT {columns} FROM {tables} LEFT JOIN embeddings e ON e.model_id = {model} AND"
            f" e.text_hash = t.text_hash WHERE {owner} = :owner AND {condition} AND {existed}"
            f" ORDER BY {order}",
            {"model": rows.fingerprint, "owner": rows.owner_id, "revision": rows.revision},
        )


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
        if not (model.strip() and all(0 <= price <= MOST_DOLLARS for price in (input_, output))):
            raise BadInput(
                "A price has the model's name, as its server calls it, and dollars for a million"
                f" tokens, from 0 to {MOST_DOLLARS:,.0f}."
            )
        row = {"model": model.strip(), "input": input_, "output": output, "at": now()}
        self._db.insert("prices", row, "REPLACE")

    def forget(self, model: str) -> None:
        """Take a price off the table. Raises Unknown."""
        if not self._db.delete("prices", model=model.strip()):
            raise Unknown("price of a model", model, self.all())


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

    def size(self) -> tuple[int, int]:
        """How many replies are kept, and how many bytes they have together."""
        ((replies, size),) = self._db.tuples(
            "SELECT count(*), coalesce(sum(length(CAST(reply AS BLOB))), 0) FROM model_replies"
        )
        return replies, size

    def forget(self) -> int:
        """Forget all replies; return how many there were. Runs keep theirs in their events."""
        return self._db.execute("DELETE FROM model_replies")
