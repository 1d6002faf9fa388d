"""SyncGE: retrieval with synchronised graph expansion (GEAR §4).

Composes: base retrieval → read (Eq. 1) → tripleLink (Eq. 2) → diverse triple beam search (Alg. 1) →
RRF (Eq. 3). No proximal triple, or a reply that cannot be used, gives C′q unchanged (ours). So does
a budget that allows no reading, with which the run stops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gear_app.events import Emit, Link, Linked, ScorePart
from gear_app.reader.roles import Reader, ReadRequest
from gear_app.retrievers import lookup
from gear_app.retrievers.base import Base, BaseQuery, BaseResult
from gear_app.retrievers.expansion import Expansion
from gear_app.retrievers.model_calls import usable, without_budget
from gear_app.seams import Index
from gear_app.types import ProximalTriple, Ranking, Reading


@dataclass(frozen=True, slots=True)
class SyncGE:
    """A base retriever, a reader that finds where to start, and the expansion."""

    index: Index
    base: Base
    reader: Reader
    expansion: Expansion

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; C′q has k passages."""
        first = self.base.begin(BaseQuery(query, k), emit)
        material = lookup.material(self.index, first.ids)
        with without_budget(first):
            reading = self._read(material, query, emit)
        emit(lookup.read_event(self.index, "sync", query, material, reading))
        starts = self._link(reading.triples, emit)
        return self.expansion.expand(query, first, starts, emit)

    def _read(self, material: lookup.Material, query: str, emit: Emit) -> Reading:
        """Proximal triples from the passages (Eq. 1); none, and an event, where the reply cannot be
        used.
        """
        request = ReadRequest(*material, query, None)
        return usable(self.reader, request, "read", emit) or Reading(())

    def _link(self, triples: tuple[ProximalTriple, ...], emit: Emit) -> list[int]:
        """tripleLink: each proximal triple to its nearest stored one, h(t′, T, 1) (Eq. 2); ids,
        each once. One that the reader selected is linked to itself.
        """
        written = [BaseQuery(t.text, 1, "triples") for t in triples if t.triple_id is None]
        searched = iter(self.base.search(written))
        linked = [
            _nearest(next(searched)) if t.triple_id is None else _Nearest(t.triple_id)
            for t in triples
        ]
        ids = list(dict.fromkeys(near.id for near in linked if near.id is not None))
        words = lookup.shown_triples(self.index, ids)
        links = tuple(
            Link(
                t,
                words.get(near.id) if near.id is not None else None,
                t.triple_id is not None,
                near.score,
                near.terms,
            )
            for t, near in zip(triples, linked, strict=True)
        )
        emit(Linked(links))
        return ids


class _Nearest(NamedTuple):
    """The stored triple that a proximal one is linked to; None where nothing is near."""

    id: int | None
    score: float | None = None
    terms: tuple[ScorePart, ...] = ()


def _nearest(found: BaseResult) -> _Nearest:
    for hit in found.ranking.hits:
        return _Nearest(hit.id, hit.score, found.terms.get(hit.id, ()))
    return _Nearest(None)
