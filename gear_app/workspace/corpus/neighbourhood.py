"""Parts of the graph of triples: the neighbourhood of an entity, as a picture needs it, with how
much was left out; and the shortest way from some entities to
others, triple by triple.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.types import Triple
from gear_app.store import Store
from gear_app.store.rows import SetRow

RANKED = 1000  # entities of one distance that are compared; of a hub with more, the first found


@dataclass(frozen=True, slots=True)
class Node:
    """An entity as first written, and its distance from the centre in triples.

    `parent` is the node it is drawn behind, one nearer to the centre. `hidden` entities are its
    neighbours too and no nodes.
    """

    id: int
    name: str
    distance: int
    parent: int | None = None
    hidden: int = 0


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
    """Breadth-first from the entity, at most `cap` nodes. Raises Unknown or BadInput.

    Nodes of equal distance take turns by parent. Of one parent's those come first that have more
    ties to what is drawn already, then names before common words, then those with more neighbours.
    """
    if depth < 0 or cap < 1:
        raise BadInput("depth must be at least 0 and cap at least 1")
    centre = store.entities.find(set_.collection_id, entity)
    if centre is None:
        raise Unknown("entity", entity)
    parents: dict[int, int | None] = {centre: None}
    distances = {centre: 0}
    reached, frontier, drawn = {centre}, {centre}, [centre]
    for distance in range(1, depth + 1):
        pairs = store.triples.ends(set_.id, sorted(frontier))
        frontier = set(itertools.chain.from_iterable(pairs)) - reached
        reached |= frontier
        chosen = _chosen(store, set_, drawn, _between(pairs, drawn, frontier), cap - len(parents))
        parents |= chosen
        distances |= dict.fromkeys(chosen, distance)
        drawn = list(chosen)
    return _drawn(store, set_, parents, distances, len(reached))


def _drawn(
    store: Store,
    set_: SetRow,
    parents: dict[int, int | None],
    distances: dict[int, int],
    total: int,
) -> Neighbourhood:
    ids = list(parents)
    names = store.entities.names(ids)
    hidden = _neighbours(store.triples.ends(set_.id, ids))
    return Neighbourhood(
        tuple(
            Node(id_, names[id_], distances[id_], parents[id_], len(hidden[id_] - parents.keys()))
            for id_ in ids
        ),
        tuple(Edge(*edge) for edge in store.triples.between(set_.id, ids)),
        total,
    )


def _between(
    pairs: Iterable[tuple[int, int]], inner: Sequence[int], outer: set[int]
) -> dict[int, Counter[int]]:
    """For each of the outer entities that are tied to inner ones: to which, how often."""
    near = set(inner)
    ties: dict[int, Counter[int]] = defaultdict(Counter)
    for start, end in pairs:
        if start in near and end in outer:
            ties[end][start] += 1
        if end in near and start in outer:
            ties[start][end] += 1
    return ties


def _chosen(
    store: Store, set_: SetRow, inner: Sequence[int], ties: dict[int, Counter[int]], most: int
) -> dict[int, int]:
    """Up to `most` of the entities, each with its parent; parents take turns in their order."""
    if most <= 0:
        return {}
    ids = sorted(ties, key=lambda id_: (-ties[id_].total(), id_))[:RANKED]
    names = store.entities.names(ids)
    degrees = _neighbours(store.triples.ends(set_.id, ids))
    place = {id_: number for number, id_ in enumerate(inner)}
    families: dict[int, list[int]] = {id_: [] for id_ in inner}
    for id_ in sorted(
        ids,
        key=lambda id_: (-ties[id_].total(), not _is_name(names[id_]), -len(degrees[id_]), id_),
    ):
        families[min(ties[id_], key=lambda parent: (-ties[id_][parent], place[parent]))].append(id_)
    turns = [
        (turn, place[parent], id_)
        for parent, family in families.items()
        for turn, id_ in enumerate(family)
    ]
    parent_of = {id_: parent for parent, family in families.items() for id_ in family}
    return {id_: parent_of[id_] for _, _, id_ in sorted(turns)[:most]}


def _neighbours(pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    neighbours: dict[int, set[int]] = defaultdict(set)
    for start, end in pairs:
        if start != end:
            neighbours[start].add(end)
            neighbours[end].add(start)
    return neighbours


def _is_name(name: str) -> bool:
    """Whether it is written like a name: "Bluefin", "release 8.3", not "sea"."""
    return any(letter.isupper() or letter.isdigit() for letter in name)


MOST_SEEN = 20_000  # entities that are reached before the search is given up


class EntityPath(NamedTuple):
    """The names on the way, from the first to the last, and the triple between each two. One name
    and no triple: what was to be joined has it in common.
    """

    names: tuple[str, ...]
    triples: tuple[Triple, ...]


def entity_path(
    store: Store, set_: SetRow, starts: Collection[int], goals: Collection[int], most: int
) -> EntityPath | None:
    """A way of at most so many triples, whichever way these point; of several of one length the one
    over the entities with the smallest ids. None where there is none.
    """
    before: dict[int, int | None] = dict.fromkeys(sorted(starts))
    frontier = list(before)
    for step in range(most + 1):
        if reached := [id_ for id_ in frontier if id_ in goals]:
            return _way(store, set_, before, reached[0])
        if step == most or len(before) > MOST_SEEN:
            return None
        current = set(frontier)
        parents: dict[int, int] = {}
        for start, end in sorted(store.triples.ends(set_.id, frontier)):
            for near, far in ((start, end), (end, start)):
                if near in current and far not in before:
                    parents.setdefault(far, near)
        before |= parents
        frontier = sorted(parents)
    return None


def _way(store: Store, set_: SetRow, before: dict[int, int | None], last: int) -> EntityPath:
    ids, step = [last], before[last]
    while step is not None:
        ids.append(step)
        step = before[step]
    ids.reverse()
    between = {frozenset(ends): triple for *ends, triple in store.triples.between(set_.id, ids)}
    names = store.entities.names(ids)
    pairs = itertools.pairwise(ids)
    return EntityPath(
        tuple(names[id_] for id_ in ids), tuple(between[frozenset(pair)] for pair in pairs)
    )
