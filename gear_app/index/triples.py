"""The triples of an index: searched, told by passage, and joined where they share an entity.

The neighbours of a triple are other triples with its head or tail entity (GEAR §4.2,
`get_neighbours`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gear_app.index.text_index import TextIndex
from gear_app.seams import Vectors
from gear_app.text import normalise_entity
from gear_app.types import Triple


class TripleGraph:
    """Triples by position, 0 to n - 1, joined where their normalised names are equal."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        """Names that normalise to nothing are not entities and join nothing."""
        self._ids: dict[str, int] = {}
        self._ends = np.zeros((0, 2), np.int32)
        self._starts, self._triples = np.zeros(1, np.int64), np.zeros(0, np.int32)
        self._add(triples)

    def grown(self, triples: Sequence[Triple]) -> TripleGraph:
        """The graph of these triples after its own. This one stays as it is."""
        more = copy.copy(self)
        more._ids = dict(self._ids)
        more._add(triples)
        return more

    def neighbours(self, position: int) -> NDArray[np.int32]:
        """Positions of the other triples at either end of this one, ascending, each once."""
        around = np.unique(np.concatenate([self._at(entity) for entity in self._ends[position]]))
        return np.asarray(around[around != position], np.int32)

    def _add(self, triples: Sequence[Triple]) -> None:
        """Put triples behind those there are: what an entity is an end of is made longer at its
        end.
        """
        first = len(self._ends)
        ends = np.array(
            [(self._id(t.subject), self._id(t.object)) for t in triples], np.int32
        ).reshape(-1, 2)
        self._ends = np.concatenate([self._ends, ends])
        entities = ends.ravel()
        named = np.flatnonzero(entities >= 0)
        order = named[np.argsort(entities[named], kind="stable")]
        before = np.diff(
            self._starts, append=np.full(len(self._ids) + 1 - len(self._starts), self._starts[-1])
        )
        at = np.cumsum(before)[entities[order]]
        self._triples = np.insert(self._triples, at, (order // 2 + first).astype(np.int32))
        self._starts = np.concatenate(
            [[0], np.cumsum(before + np.bincount(entities[named], minlength=len(self._ids)))]
        )

    def _at(self, entity: int) -> NDArray[np.int32]:
        return (
            self._triples[self._starts[entity] : self._starts[entity + 1]]
            if entity >= 0
            else self._triples[:0]
        )

    def _id(self, name: str) -> int:
        key = normalise_entity(name)
        return self._ids.setdefault(key, len(self._ids)) if key else -1


@dataclass(frozen=True, slots=True)
class TripleIndex:
    """Triples by position. `of_passage` has the ids of each passage's triples, ascending."""

    triples: Sequence[Triple]
    search: TextIndex
    graph: TripleGraph
    of_passage: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, triples: Sequence[Triple], vectors: Vectors) -> TripleIndex:
        """`vectors` are those of the triples' texts, (n, d) in order."""
        search = TextIndex([t.id for t in triples], [t.text for t in triples], vectors)
        return cls(list(triples), search, TripleGraph(triples), _by_passage(triples, {}))

    def grown(self, triples: Sequence[Triple], vectors: Vectors) -> TripleIndex:
        """These triples after its own, which are not looked at again. This one stays as it is."""
        search = self.search.grown([t.id for t in triples], [t.text for t in triples], vectors)
        return TripleIndex(
            [*self.triples, *triples],
            search,
            self.graph.grown(triples),
            _by_passage(triples, self.of_passage),
        )


def _by_passage(
    triples: Sequence[Triple], before: Mapping[int, Sequence[int]]
) -> dict[int, Sequence[int]]:
    more: dict[int, list[int]] = {}
    for triple in triples:
        more.setdefault(triple.passage_id, []).append(triple.id)
    return {**before, **{id_: sorted([*before.get(id_, ()), *ids]) for id_, ids in more.items()}}
