"""An index around another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gear_app.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionNetwork,
    MentionQuery,
    Named,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
    WholeCollection,
)
from gear_app.seams import EntityNetwork, Index, Vectors


class IndexWrapper:
    """Passes every call on to the index inside (seams.Index); a subclass has the calls that it
    changes.
    """

    def __init__(self, index: Index) -> None:
        """`index` is asked."""
        self._index = index

    @property
    def links(self) -> bool:
        return self._index.links

    def search(self, searches: Sequence[Search]) -> SearchResults:
        return self._index.search(searches)

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        return self._index.rows(passage_ids, triple_ids)

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        return self._index.names(passage_ids)

    def triples_of(self, passage_ids: Sequence[int]) -> Sequence[StoredTriple]:
        return self._index.triples_of(passage_ids)

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        return self._index.nearest(triple_ids, query, k)

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        return self._index.vectors(triple_ids)

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        return self._index.joins(names, threshold)

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        return self._index.shared_mentions(queries, limit)

    def entities(self) -> EntityNetwork:
        return self._index.entities()

    def mention_network(self) -> MentionNetwork:
        return self._index.mention_network()

    def whole(self) -> WholeCollection:
        return self._index.whole()
