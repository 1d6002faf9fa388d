"""Parts of the graph of triples: the neighbours of an entity, as a picture needs them, with how
much was left out; and the shortest way from some entities to others, triple by triple.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from gear_app.core.errors import Unknown
from gear_app.core.types import Triple
from gear_app.store import Store
from gear_app.store.rows import SetRow

RANKED = 1000  # neighbours of a hub that are compared, those with the smallest ids
MOST_SEEN = 20_000  # entities that are reached before the search for a way is given up
MOST_STEPS = 6  # triples of a way


class Node(NamedTuple):
    """An entity as first written; `hidden` entities are its neighbours too and no nodes."""

    id: int
    name: str
    hidden: int = 0


class Neighbourhood(NamedTuple):
    """An entity and, after it, its neighbours; the triples between them, by the ids of subject and
    object; and how many neighbours were left out.
    """

    nodes: tuple[Node, ...]
    triples: Mapping[tuple[int, int], Sequence[Triple]]
    left_out: int


def neighbourhood(store: Store, set_: SetRow, entity: str, cap: int) -> Neighbourhood:
    """An entity with at most `cap` neighbours: names before common words, then those with more
    neighbours of their own. Raises Unknown.
    """
    (centre,) = _ids(store, set_, [entity])
    near = sorted(_neighbours(store, set_, [centre])[centre])
    ids = [centre, *near[:RANKED]]
    names, degrees = store.entities.names(ids), _neighbours(store, set_, ids)
    ids[1:] = sorted(ids[1:], key=lambda id_: (not _is_name(names[id_]), -len(degrees[id_]), id_))
    ids = ids[: cap + 1]
    nodes = (Node(id_, names[id_], len(degrees[id_].difference(ids))) for id_ in ids)
    triples = defaultdict[tuple[int, int], list[Triple]](list)
    for subject, object_, triple in store.triples.between(set_.id, ids):
        triples[subject, object_].append(triple)
    return Neighbourhood(tuple(nodes), triples, len(near) + 1 - len(ids))


def _ids(store: Store, set_: SetRow, names: Iterable[str]) -> set[int]:
    """The entities of these names. Raises Unknown where there is none."""
    ids = {name: store.entities.find(set_.collection_id, name) for name in names}
    if not any(ids.values()):
        raise Unknown("entity", next(iter(ids), ""))
    return {id_ for id_ in ids.values() if id_ is not None}


def _neighbours(store: Store, set_: SetRow, ids: Sequence[int]) -> dict[int, set[int]]:
    neighbours: dict[int, set[int]] = defaultdict(set)
    for start, end in store.triples.ends(set_.id, ids):
        if start != end:
            neighbours[start].add(end)
            neighbours[end].add(start)
    return neighbours


def _is_name(name: str) -> bool:
    """Whether it is written like a name: "Bluefin", "release 8.3", not "sea"."""
    return any(letter.isupper() or letter.isdigit() for letter in name)


def entity_path(
    store: Store, set_: SetRow, starts: Collection[str], goals: Collection[str]
) -> tuple[list[str], list[Triple]]:
    """A way from one of some entities to one of others, whichever way the triples point; of several
    of one length the one over the entities with the smallest ids. The names on it and the triple
    between each two; one name and no triple where both have it, none where there is no way of at
    most MOST_STEPS triples. Raises Unknown where none of either is an entity.
    """
    first, last = _ids(store, set_, starts), _ids(store, set_, goals)
    # The way to each, by its last entity.
    frontier: dict[int, tuple[int, ...]] = {id_: (id_,) for id_ in sorted(first)}
    reached = set(frontier)
    for _ in range(MOST_STEPS + 1):
        if met := frontier.keys() & last:
            return _described(store, set_, frontier[min(met)])
        if len(reached) > MOST_SEEN:
            break
        following: dict[int, tuple[int, ...]] = {}
        for start, end in sorted(store.triples.ends(set_.id, list(frontier))):
            for near, far in ((start, end), (end, start)):
                if near in frontier and far not in reached:
                    following.setdefault(far, (*frontier[near], far))
        reached |= following.keys()
        frontier = dict(sorted(following.items()))
    return [], []


def _described(store: Store, set_: SetRow, ids: Sequence[int]) -> tuple[list[str], list[Triple]]:
    between = {frozenset(ends): triple for *ends, triple in store.triples.between(set_.id, ids)}
    names = store.entities.names(ids)
    triples = [between[frozenset(pair)] for pair in itertools.pairwise(ids)]
    return [names[id_] for id_ in ids], triples
