"""Neighbours of a triple: other triples that share its head or tail entity (GEAR §4.2, `get_neighbours`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gear_app.text import normalise_entity
from gear_app.types import Triple


class TripleGraph:
    """Triples by position, 0 to n - 1, joined where their normalised names are equal."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        """Names that normalise to nothing are not entities and join nothing."""
        self._ids: dict[str, int] = {}
        self._ends = np.array([(self._id(t.subject), self._id(t.object)) for t in triples], np.int32).reshape(-1, 2)
        entities = self._ends.ravel()
        named = np.flatnonzero(entities >= 0)
        order = named[np.argsort(entities[named], kind="stable")]
        self._triples = (order // 2).astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(entities[named], minlength=len(self._ids)))])

    def neighbours(self, position: int) -> NDArray[np.int32]:
        """Positions of the other triples at either end of this one, ascending, each once."""
        around = np.unique(np.concatenate([self._at(entity) for entity in self._ends[position]]))
        return np.asarray(around[around != position], np.int32)

    def _at(self, entity: int) -> NDArray[np.int32]:
        return self._triples[self._starts[entity] : self._starts[entity + 1]] if entity >= 0 else self._triples[:0]

    def _id(self, name: str) -> int:
        key = normalise_entity(name)
        return self._ids.setdefault(key, len(self._ids)) if key else -1
