"""An index in whose graph nothing is joined: what of a method remains when no link counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import EntityNetwork, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionNetwork,
    MentionQuery,
    SharedMentions,
)
from gear_app.index.wrapper import EntitiesWrapper, IndexWrapper

ALONE = HubLimit(most=1, share=0.0, fewest=1)  # no mention that two passages hold links them


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
        linked = self._index.entities()
        none = linked.facts.multiply(0).tocsr()
        none.eliminate_zeros()
        return EntitiesWrapper(linked, facts=none, synonymy=none)

    def mention_network(self) -> MentionNetwork:
        linked = self._index.mention_network()
        sentences, titles = linked.in_sentences, linked.in_titles
        holders = np.unique(
            np.concatenate(
                [
                    np.column_stack([linked.sentence_passages[sentences[:, 0]], sentences[:, 1]]),
                    titles,
                ]
            ),
            axis=0,
        )
        joins = np.bincount(holders[:, 1], minlength=len(linked.names)) > 1
        return replace(
            linked, in_sentences=_without(sentences, joins), in_titles=_without(titles, joins)
        )


def _without(pairs: NDArray[np.int64], joins: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Pairs of a holder and a name, (n, 2), without the names that join."""
    return pairs[~joins[pairs[:, 1]]]
