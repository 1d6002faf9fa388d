"""What a hop joins the next one by: an entity, the names that mean the same, and the passages that
name any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gear_app.events import Join
from gear_app.seams import Entities


@dataclass(frozen=True, slots=True)
class Joins:
    """Join entities by name (GRIEVER §2 and §3). `threshold`: names as near as this are the same;
    None: none are.
    """

    entities: Entities
    threshold: float | None
    _passages: dict[str, frozenset[int]] = field(default_factory=dict)

    def passages(self, name: str) -> frozenset[int]:
        """The ids of the passages with a triple that names the entity or a synonym; none where it
        is unknown.
        """
        if name not in self._passages:
            counts, ids = self.entities.counts, self.entities.passage_ids
            nodes = [node for node, _ in self._nodes(name)]
            columns = (
                column
                for node in nodes
                for column in counts.indices[counts.indptr[node] : counts.indptr[node + 1]]
            )
            self._passages[name] = frozenset(ids[column] for column in columns)
        return self._passages[name]

    def shown(self, name: str) -> Join:
        """The entity with its synonyms, nearest first."""
        synonyms = sorted(self._synonyms(name), key=lambda found: (-found[1], found[0]))
        words = tuple((self.entities.names[node], round(cosine, 6)) for node, cosine in synonyms)
        return Join(name, words, len(self.passages(name)))

    def _nodes(self, name: str) -> Iterator[tuple[int, float]]:
        node = self.entities.find(name)
        if node is not None:
            yield node, 1.0
            yield from self._synonyms(name)

    def _synonyms(self, name: str) -> Iterator[tuple[int, float]]:
        node = self.entities.find(name)
        if node is None or self.threshold is None:
            return
        near = self.entities.synonymy
        run = slice(near.indptr[node], near.indptr[node + 1])
        for other, cosine in zip(near.indices[run].tolist(), near.data[run].tolist(), strict=True):
            if round(cosine, 6) >= self.threshold:
                yield other, cosine
