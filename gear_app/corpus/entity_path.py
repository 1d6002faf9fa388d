"""The shortest way from some entities to others, triple by triple."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import NamedTuple

from gear_app.store import Store
from gear_app.store.rows import SetRow
from gear_app.types import Triple

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
        here = set(frontier)
        found: dict[int, int] = {}
        for one, other in sorted(store.triples.ends(set_.id, frontier)):
            for near, far in ((one, other), (other, one)):
                if near in here and far not in before:
                    found.setdefault(far, near)
        before |= found
        frontier = sorted(found)
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
