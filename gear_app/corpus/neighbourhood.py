"""The neighbourhood of an entity: what a picture of a part of the graph needs, and how much was
left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.errors import BadInput, Unknown
from gear_app.store import Store
from gear_app.store.rows import SetRow
from gear_app.types import Triple


@dataclass(frozen=True, slots=True)
class Node:
    """An entity as first written, and its distance from the centre in triples."""

    id: int
    name: str
    distance: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple between two nodes, by their ids."""

    source: int
    target: int
    triple: Triple


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes, nearest first, and the triples between them. `total` nodes were within reach before
    the cap.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int

    @property
    def left_out(self) -> int:
        """How many nodes the cap cut off."""
        return self.total - len(self.nodes)


def neighbourhood(store: Store, set_: SetRow, entity: str, depth: int, cap: int) -> Neighbourhood:
    """Breadth-first from the entity; nodes of equal distance by id. Raises Unknown or BadInput."""
    if depth < 0 or cap < 1:
        raise BadInput("depth must be at least 0 and cap at least 1")
    centre = store.entities.find(set_.collection_id, entity)
    if centre is None:
        raise Unknown("entity", entity)
    distances = {centre: 0}
    frontier = [centre]
    for distance in range(1, depth + 1):
        ends = store.triples.ends(set_.id, frontier)
        frontier = sorted({end for pair in ends for end in pair} - distances.keys())
        distances.update(dict.fromkeys(frontier, distance))
    kept = list(distances)[:cap]
    names = store.entities.names(kept)
    return Neighbourhood(
        nodes=tuple(Node(id_, names[id_], distances[id_]) for id_ in kept),
        edges=tuple(
            Edge(source, target, triple)
            for source, target, triple in store.triples.between(set_.id, kept)
        ),
        total=len(distances),
    )
