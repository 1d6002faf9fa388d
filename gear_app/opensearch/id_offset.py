"""An index whose ids are moved, so that those of several places can stand side by side.

A workspace gives its own passages ids from 1. Those of a collection in a cluster were given by
another workspace and would be taken for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from gear_app.index.wrapper import IndexWrapper
from gear_app.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    Named,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.seams import Index, Vectors
from gear_app.types import Hit, Passage, Ranking


class ShiftedIndex(IndexWrapper):
    """An index; each of its ids is `by` greater outside, those of its entities' graph excepted."""

    def __init__(self, index: Index, by: int) -> None:
        """`by` is at least 0, so that order by id stays what it is."""
        super().__init__(index)
        self._by = by

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """As the index inside."""
        asked = [
            search._replace(among=None if search.among is None else self._inside(search.among))
            for search in searches
        ]
        found = self._index.search(asked)
        rankings = [
            Ranking(tuple(Hit(id_ + self._by, score) for id_, score in ranking.hits))
            for ranking in found.rankings
        ]
        return found._replace(rankings=rankings, rows=self._rows(found.rows))

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """As the index inside."""
        return self._rows(self._index.rows(self._inside(passage_ids), self._inside(triple_ids)))

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        """As the index inside."""
        found = self._index.names(self._inside(passage_ids))
        return {id_ + self._by: name for id_, name in found.items()}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """As the index inside."""
        return list(map(self._triple, self._index.triples_of(self._inside(passage_ids))))

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """As the index inside."""
        found = self._index.nearest(self._inside(triple_ids), query, k)
        return [near._replace(rows=list(map(self._triple, near.rows))) for near in found]

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """As the index inside."""
        return self._index.vectors(self._inside(triple_ids))

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        """As the index inside."""
        return {
            name: found._replace(passages=frozenset(id_ + self._by for id_ in found.passages))
            for name, found in self._index.joins(names, threshold).items()
        }

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        """As the index inside."""
        asked = [query._replace(passage_ids=self._inside(query.passage_ids)) for query in queries]
        return [
            replace(shared, passages=list(map(self._passage, shared.passages)))
            for shared in self._index.shared_mentions(asked, limit)
        ]

    def _inside(self, ids: Iterable[int]) -> list[int]:
        return [id_ - self._by for id_ in ids]

    def _rows(self, rows: Rows) -> Rows:
        passages = map(self._passage, rows.passages.values())
        triples = map(self._triple, rows.triples.values())
        return Rows(
            {passage.id: passage for passage in passages},
            {row.triple.id: row for row in triples},
        )

    def _passage(self, passage: Passage) -> Passage:
        return shifted(passage, self._by)

    def _triple(self, row: StoredTriple) -> StoredTriple:
        moved = replace(
            row.triple, id=row.triple.id + self._by, passage_id=row.triple.passage_id + self._by
        )
        return row._replace(triple=moved)


def shifted(passage: Passage, by: int) -> Passage:
    """The passage with its ids moved, that of its document too: which passages share one matters to
    links between them.
    """
    document = passage.document_id
    return replace(
        passage, id=passage.id + by, document_id=None if document is None else document + by
    )
