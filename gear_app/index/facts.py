"""The triples of an index: searched, joined where they share an entity, and told by passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_app.index.graph import TripleGraph
from gear_app.index.searchable import Searchable
from gear_app.seams import Vectors
from gear_app.types import Triple


@dataclass(frozen=True, slots=True)
class Facts:
    """Triples by position. `of_passage` has the ids of each passage's triples, ascending."""

    triples: Sequence[Triple]
    search: Searchable
    graph: TripleGraph
    of_passage: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, triples: Sequence[Triple], vectors: Vectors) -> Facts:
        """`vectors` are those of the triples' texts, (n, d) in order."""
        search = Searchable([t.id for t in triples], [t.text for t in triples], vectors)
        return cls(list(triples), search, TripleGraph(triples), _by_passage(triples, {}))

    def grown(self, triples: Sequence[Triple], vectors: Vectors) -> Facts:
        """These triples after its own, which are not looked at again. This one stays as it is."""
        search = self.search.grown([t.id for t in triples], [t.text for t in triples], vectors)
        return Facts(
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
