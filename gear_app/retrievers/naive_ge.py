"""NaiveGE: graph expansion from every triple of the retrieved passages (GEAR §6.2).

Composes: base retrieval, beam search, fusion. It leaves out the reader: no model is asked which
triples matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events import Emit
from gear_app.retrievers.base import Base, BaseQuery
from gear_app.retrievers.expansion import Expansion
from gear_app.seams import Index
from gear_app.types import Ranking


@dataclass(frozen=True, slots=True)
class NaiveGE:
    """C′q, all of its triples, expansion, RRF."""

    index: Index
    base: Base
    expansion: Expansion

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; C′q has k passages."""
        first = self.base.begin(BaseQuery(query, k), emit)
        starts = [row.triple.id for row in self.index.triples_of(first.ids)]
        return self.expansion.expand(query, first, starts, emit)
