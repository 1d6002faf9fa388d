"""An index that counts what a cluster would be asked, and gives what protocols.Index promises and no
more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.index.changed import IndexWrapper


class Counting(IndexWrapper):
    """`calls` are the names of the calls, in order. An index in a cluster keeps what it was given:
    a call for rows, names, triples or vectors counts where one of them is new; an empty batch asks
    nobody.
    """

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self.calls: list[str] = []
        self._given: dict[str, set[int]] = {}

    def search(self, searches: Sequence[Search]) -> SearchResults:
        self._count("search", searches)
        found = self._index.search(searches)
        hits: dict[str, list[int]] = {"passages": [], "triples": []}
        for search, ranking in zip(searches, found.rankings, strict=True):
            hits[search.over] += ranking.ids
        rows = _only(found.rows, *hits.values())
        self._gave("passages", rows.passages)
        self._gave("names", rows.passages)
        self._met(rows.triples.values())
        return found._replace(rows=rows)

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        new = [*self._new("passages", passage_ids), *self._new("triples", triple_ids)]
        self._count("rows", new)
        rows = _only(self._index.rows(passage_ids, triple_ids), passage_ids, triple_ids)
        self._gave("names", rows.passages)
        self._met(rows.triples.values())
        return rows

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        self._count("names", self._new("names", passage_ids))
        return {id_: self._index.names([id_])[id_] for id_ in passage_ids}

    def triples_of(self, passage_ids: Sequence[int]) -> Sequence[StoredTriple]:
        self._count("triples_of", self._new("triples of", passage_ids))
        found = self._index.triples_of(passage_ids)
        self._met(found)
        return found

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        self._count("nearest", triple_ids)
        found = self._index.nearest(triple_ids, query, k)
        for near in found:
            self._met(near.rows)
            self._gave("vectors", near.ids)
        return found

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        self._count("vectors", self._new("vectors", triple_ids))
        return self._index.vectors(triple_ids)

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        self._count("joins", names)
        return self._index.joins(names, threshold)

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        self._count("shared_mentions", queries)
        found = self._index.shared_mentions(queries, limit)
        for shared in found:
            self._gave("passages", [passage.id for passage in shared.passages])
            self._gave("names", [passage.id for passage in shared.passages])
        return found

    def __getattr__(self, name: str) -> Any:
        if name in ("entities", "mention_network", "collection"):
            self.calls.append(name)
        return super().__getattr__(name)

    def _count(self, call: str, batch: Collection[object]) -> None:
        self.calls += [call] if batch else []

    def _new(self, what: str, ids: Collection[int]) -> set[int]:
        """Those that were not given before, which are given now."""
        new = {*ids} - self._given.get(what, set())
        self._gave(what, ids)
        return new

    def _met(self, rows: Collection[StoredTriple]) -> None:
        self._gave("triples", [row.triple.id for row in rows])
        self._gave("names", [row.triple.passage_id for row in rows])

    def _gave(self, what: str, ids: Iterable[int]) -> None:
        self._given.setdefault(what, set()).update(ids)


def _only(rows: Rows, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
    return Rows(
        {id_: rows.passages[id_] for id_ in passage_ids},
        {id_: rows.triples[id_] for id_ in triple_ids},
    )
