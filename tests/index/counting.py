"""An index that counts how often it is asked, and gives what protocols.Index promises and no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    HubLimit,
    MentionQuery,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.index.cache import IndexWrapper

CALLS = {name for name in vars(Index) if not name.startswith("_")} - {"links"}


class Counting(IndexWrapper):
    """`calls` are the names of the calls, in order; `again` what was fetched although it had been
    given before, as (call, id).
    """

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self.calls: list[str] = []
        self.again: list[tuple[str, int]] = []
        self._given: dict[str, set[int]] = {}

    def __getattribute__(self, name: str) -> Any:
        if name in CALLS:
            self.calls.append(name)
        return super().__getattribute__(name)

    def search(self, searches: Sequence[Search]) -> SearchResults:
        found = self._index.search(searches)
        hits: dict[str, list[int]] = {"passages": [], "triples": []}
        for search, ranking in zip(searches, found.rankings, strict=True):
            hits[search.over] += ranking.ids
        rows = _only(found.rows, *hits.values())
        self._gave("passages", rows.passages)
        self._met(rows.triples.values())
        return found._replace(rows=rows)

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        self._fetched("passages", passage_ids)
        self._fetched("triples", triple_ids)
        return _only(self._index.rows(passage_ids, triple_ids), passage_ids, triple_ids)

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        self._fetched("names", passage_ids)
        return self._index.names(passage_ids)

    def triples_of(self, passage_ids: Sequence[int]) -> Sequence[StoredTriple]:
        self._fetched("triples of", passage_ids)
        found = self._index.triples_of(passage_ids)
        self._met(found)
        return found

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        found = self._index.nearest(triple_ids, query, k)
        for near in found:
            self._met(near.rows)
            self._gave("vectors", near.ids)
        return found

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        self._fetched("vectors", triple_ids)
        return self._index.vectors(triple_ids)

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        found = self._index.shared_mentions(queries, limit)
        for shared in found:
            self._gave("passages", [passage.id for passage in shared.passages])
        return found

    def _met(self, rows: Collection[StoredTriple]) -> None:
        self._gave("triples", [row.triple.id for row in rows])

    def _fetched(self, what: str, ids: Collection[int]) -> None:
        given = self._given.get(what, set())
        self.again += [(what, id_) for id_ in ids if id_ in given]
        self._gave(what, ids)

    def _gave(self, what: str, ids: Iterable[int]) -> None:
        self._given.setdefault(what, set()).update(ids)


def _only(rows: Rows, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
    return Rows(
        {id_: rows.passages[id_] for id_ in passage_ids},
        {id_: rows.triples[id_] for id_ in triple_ids},
    )
