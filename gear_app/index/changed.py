"""Indexes that a what-if asks in the place of a run's: without links, without some passages, or
with a passage that leads the first search.

Statistics stay those of the whole collection: what else changes in a run is due to the change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityNetwork,
    EntityPassages,
    HubLimit,
    MentionNetwork,
    MentionQuery,
    Search,
    SearchResults,
    SharedMentions,
    WholeCollection,
)
from gear_app.core.types import Hit, Ranking
from gear_app.index.entities import facts_between
from gear_app.index.mentions import held_names

if TYPE_CHECKING:
    from typing import Any as Base  # mypy does not see the calls that __getattr__ passes on
else:
    Base = object

ALONE = HubLimit(most=1, share=0.0, fewest=1)  # no mention that two passages hold links them


class IndexWrapper(Base):  # type: ignore[misc]
    """Passes every call on to the index inside (protocols.Index); a subclass has the calls that it
    changes.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._index, name)


class UnlinkedIndex(IndexWrapper):
    """Searches find what they find; a triple has no neighbour, an entity no fact and no synonym,
    and a name that several passages hold joins none of them. What joins passages by itself asks
    `links`.
    """

    links = False

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        return [EncodedTriples((), self._index.vectors(())) for _ in triple_ids]

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        return dict.fromkeys(names, EntityPassages(frozenset(), ()))

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        return self._index.shared_mentions(queries, ALONE)

    def entities(self) -> EntityNetwork:
        network = self._index.entities()
        empty = type(network.facts)(network.facts.shape)
        return replace(network, facts=empty, synonymy=empty)

    def mention_network(self) -> MentionNetwork:
        network = self._index.mention_network()
        held = held_names(network.sentence_passages, network.in_sentences, network.in_titles)
        alone = np.bincount(held[:, 1], minlength=len(network.names)) < 2
        return replace(
            network,
            in_sentences=network.in_sentences[alone[network.in_sentences[:, 1]]],
            in_titles=network.in_titles[alone[network.in_titles[:, 1]]],
        )


class IndexWithoutPassages(IndexWrapper):
    """An index in which no search, link or neighbour leads to these passages or their triples."""

    def __init__(self, index: Index, passage_ids: Collection[int]) -> None:
        super().__init__(index)
        self._passages = frozenset(passage_ids)
        self._triples = [row.triple for row in index.triples_of(sorted(self._passages))]
        self._absent = {
            "passages": self._passages,
            "triples": frozenset(triple.id for triple in self._triples),
        }

    def search(self, searches: Sequence[Search]) -> SearchResults:
        deeper = [
            search._replace(
                k=search.k + len(self._absent[search.over]),
                among=search.among and {*search.among} - self._absent[search.over],
            )
            for search in searches
        ]
        results = self._index.search(deeper)
        rankings = [
            _without(ranking, self._absent[search.over]).top(search.k)
            for search, ranking in zip(searches, results.rankings, strict=True)
        ]
        return results._replace(rankings=rankings)

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        return [self._without(around) for around in self._index.nearest(triple_ids, query, k)]

    def _without(self, around: EncodedTriples) -> EncodedTriples:
        absent = self._absent["triples"]
        places = [place for place, id_ in enumerate(around.ids) if id_ not in absent]
        return EncodedTriples([around.rows[place] for place in places], around.vectors[places])

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        joined = self._index.joins(names, threshold)
        return {
            name: entity._replace(passages=entity.passages - self._passages)
            for name, entity in joined.items()
        }

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        return [self._shared(shared) for shared in self._index.shared_mentions(queries, limit)]

    def _shared(self, shared: SharedMentions) -> SharedMentions:
        present = self._present([passage.id for passage in shared.passages])
        is_present = present[shared.held[:, 0]]
        absent = np.bincount(shared.held[~is_present, 1], minlength=len(shared.names))
        return replace(shared, held=shared.held[is_present], holders=shared.holders - absent)

    def entities(self) -> EntityNetwork:
        network = self._index.entities()
        present = np.flatnonzero(self._present(network.passage_ids))
        return replace(
            network,
            passage_ids=[network.passage_ids[column] for column in present.tolist()],
            counts=network.counts[:, present],
            facts=network.facts - facts_between(network, self._triples),
        )

    def mention_network(self) -> MentionNetwork:
        network = self._index.mention_network()
        passages = self._present(network.passage_ids)
        sentences = passages[network.sentence_passages]
        return replace(
            network,
            passage_ids=network.passage_ids[passages],
            sentence_passages=(passages.cumsum() - 1)[network.sentence_passages[sentences]],
            spans=network.spans[sentences],
            vectors=network.vectors[sentences],
            in_sentences=_rows(network.in_sentences, sentences),
            in_titles=_rows(network.in_titles, passages),
        )

    def collection(self) -> WholeCollection:
        collection = self._index.collection()
        present = self._present([passage.id for passage in collection.passages])
        passages = [p for p in collection.passages if p.id not in self._passages]
        return WholeCollection(passages, collection.vectors[present], lambda name, make: make())

    def _present(self, passage_ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~np.isin(np.asarray(passage_ids, np.int64), list(self._passages))


class IndexWithLeader(IndexWrapper):
    """An index whose first search has this passage at rank 1, just above the others."""

    def __init__(self, index: Index, passage_id: int) -> None:
        super().__init__(index)
        self._leader, self._searched = passage_id, False

    def search(self, searches: Sequence[Search]) -> SearchResults:
        results = self._index.search(searches)
        if self._searched or not any(search.over == "passages" for search in searches):
            return results
        self._searched = True
        rankings = [
            _led(ranking, self._leader, search.k) if search.over == "passages" else ranking
            for search, ranking in zip(searches, results.rankings, strict=True)
        ]
        return results._replace(rankings=rankings)


def _led(ranking: Ranking, leader: int, k: int) -> Ranking:
    score = ranking.hits[0].score + 0.01 if ranking.hits else 1.0
    return Ranking((Hit(leader, score), *_without(ranking, {leader}).hits)).top(k)


def _without(ranking: Ranking, ids: Collection[int]) -> Ranking:
    return Ranking(tuple(hit for hit in ranking.hits if hit.id not in ids))


def _rows(pairs: NDArray[np.int64], present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Pairs of a row and a column without those of absent rows, rows counted anew."""
    rest = pairs[present[pairs[:, 0]]]
    return np.column_stack([(present.cumsum() - 1)[rest[:, 0]], rest[:, 1]])
