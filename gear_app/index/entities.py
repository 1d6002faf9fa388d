"""The graph of entities: what triples say about whom, and which names mean the same (HippoRAG §2.3,
GRIEVER's same_as).

An entity is a normalised name; its node's name is the one first written. Names that normalise to
nothing are none. Synonyms are found block by block. A name is compared with those before it only:
what comes later never changes what an earlier name has, so an index of pairs grows without being
made again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import SYNONYMS_FROM
from gear_app.core.protocols import Vectors
from gear_app.core.rows import EntityNetwork, EntityPassages, Sparse
from gear_app.core.text import normalise_entity
from gear_app.core.types import Triple
from gear_app.index.arrays import (
    Arrays,
    Places,
    Words,
    matrix,
    matrix_arrays,
    pairs,
    read_matrix,
    word_arrays,
)

NEAREST = 100  # ours: synonyms a name can have among those before it
SHORTEST = 3  # ours: letters and digits of a name; shorter ones are near to everything
_ROWS, _COLUMNS = 512, 8192  # of a tile
_NUMBER = re.compile(r"\d+")


class Pairs(NamedTuple):
    """Pairs of names by position, `later` > `earlier`, by later, then nearest first; and their
    vectors' cosines.
    """

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]
    cosine: NDArray[np.float64]


_NONE = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


class Names:
    """Names and their vectors, made ready to be compared."""

    def __init__(self, names: Iterable[str], vectors: Vectors) -> None:
        """`vectors` are (n, d), rows L2-normalised; they may be memory-mapped, or lie elsewhere."""
        normal = [normalise_entity(name) for name in names]
        column: defaultdict[str, int] = defaultdict(count().__next__)
        numbers = [
            (row, column[number])
            for row, name in enumerate(normal)
            for number in set(_NUMBER.findall(name))
        ]
        rows, columns = np.array(numbers, np.int64).reshape(-1, 2).T
        # (names, numbers): 1 where the name holds the number
        shape = len(normal), len(column) + 1
        self._numbers = matrix(rows, columns, np.ones(len(rows)), shape)
        self._long = np.array([len(name.replace(" ", "")) >= SHORTEST for name in normal], bool)
        self._vectors = vectors

    def pairs(self, start: int, stop: int) -> Pairs:
        """The synonyms of the names at positions start to stop: for each, the nearest NEAREST of
        those before it.

        A pair has a cosine (rounded to 1e-6) of at least SYNONYMS_FROM. Equal cosines: smaller
        position. Numbers must not contradict each other (ours): those of one name are among those
        of the other. Different dates and years are near and not the same. Memory does not grow with
        the names.
        """
        blocks = [_NONE]
        for first in range(start, stop, _ROWS):
            last, best = min(first + _ROWS, stop), _NONE
            for left in range(0, last, _COLUMNS):  # cut after every tile: no more is ever held
                tile = self._tile(first, last, left, min(left + _COLUMNS, last))
                best = _nearest(_joined([best, tile]))
            blocks.append(best)
        return _joined(blocks)

    def _tile(self, first: int, last: int, left: int, right: int) -> Pairs:
        cosines = self._vectors[first:last] @ self._vectors[left:right].T
        rows, columns = np.nonzero(cosines > SYNONYMS_FROM - 1e-6)
        rounded = np.minimum(np.round(cosines[rows, columns].astype(np.float64), 6), 1.0)
        later, earlier = rows + first, columns + left
        long = self._long[later] & self._long[earlier]
        near = np.flatnonzero((earlier < later) & (rounded >= SYNONYMS_FROM) & long)
        later_numbers, earlier_numbers = self._numbers[later[near]], self._numbers[earlier[near]]
        fewer = np.minimum(later_numbers.sum(axis=1), earlier_numbers.sum(axis=1))
        agreeing = near[later_numbers.multiply(earlier_numbers).sum(axis=1) == fewer]
        return Pairs(later[agreeing], earlier[agreeing], rounded[agreeing])


def _joined(parts: Sequence[Pairs]) -> Pairs:
    return Pairs(*map(np.concatenate, zip(*parts, strict=True)))


def _nearest(pairs: Pairs) -> Pairs:
    """The nearest NEAREST of each later name among pairs, in order."""
    order = np.lexsort((pairs.earlier, -pairs.cosine, pairs.later))
    group = pairs.later[order]
    order = order[np.arange(len(order)) - np.searchsorted(group, group) < NEAREST]
    return Pairs(pairs.later[order], pairs.earlier[order], pairs.cosine[order])


def graph_arrays(
    names: Iterable[str], ends: NDArray[np.int64], passage_ids: NDArray[np.int64]
) -> Arrays:
    """The graph of the entities of triples, whose `ends` are (n, 2) positions among the names, -1
    for none, and `passage_ids` (n,) the passages they belong to.

    `names` are the nodes in order, as they were first written. `of_nodes` are pairs of a node and a
    triple that names it, `of_passages` of a passage's id and a triple.
    """
    names = list(names)
    normal = [normalise_entity(name) for name in names]
    triples, nodes = np.arange(len(ends)), len(names)
    passages, columns = np.unique(passage_ids, return_inverse=True)
    once = ends.copy()  # a triple names an entity once, also where it stands on both sides
    once[ends[:, 0] == ends[:, 1], 1] = -1
    at, side = np.nonzero(once >= 0)
    entities, shape = once[at, side], (nodes, len(passages))
    return {
        **word_arrays("names", names),
        **word_arrays("normal", normal),
        "order": np.array(sorted(range(nodes), key=normal.__getitem__), np.int64),
        "ends": ends,
        "of_nodes": pairs(entities, at),
        "of_passages": pairs(passage_ids, triples),
        "passages": passages,
        **matrix_arrays("counts", matrix(entities, columns[at], np.ones(len(at)), shape)),
        **matrix_arrays("facts", _facts(ends, nodes)),
    }


def entity_network(
    graph: Arrays, synonymy: Sparse, read_vectors: Callable[[], Vectors]
) -> EntityNetwork:
    """The graph of entities with their synonyms (`synonymy_of`). `read_vectors` gives the vectors
    of the names as written, (n, d), when they are first asked for: GRIEVER needs none.
    """
    return EntityNetwork(
        Places(Words(graph, "normal"), graph["order"]),
        Words(graph, "names"),
        graph["passages"].tolist(),
        read_matrix(graph, "counts"),
        read_matrix(graph, "facts"),
        synonymy,
        cache(read_vectors),
    )


def synonymy_of(pairs: Pairs, nodes: int) -> Sparse:
    """(nodes, nodes) the cosines of pairs."""
    return _symmetric(*pairs, nodes)


def passages_of(network: EntityNetwork, name: str, threshold: float | None) -> EntityPassages:
    """The passages that name this entity or a synonym at least as near as the threshold, and the
    synonyms (protocols.Index.joins).
    """
    node = network.find(name)
    if node is None:
        return EntityPassages(frozenset(), ())
    near = [
        (other, cosine)
        for other, cosine in synonyms_of(network, node)
        if threshold is not None and cosine >= threshold
    ]
    columns = network.counts[[node, *(other for other, _ in near)]].indices.tolist()
    passages = frozenset(network.passage_ids[column] for column in columns)
    return EntityPassages(passages, tuple((network.names[other], cos) for other, cos in near))


def synonyms_of(network: EntityNetwork, node: int) -> list[tuple[int, float]]:
    """Nodes of synonyms and their cosines, nearest first, of equal ones the first stored."""
    row = network.synonymy[[node]]
    pairs = zip(row.indices.tolist(), row.data.round(6).tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def facts_between(network: EntityNetwork, triples: Sequence[Triple]) -> Sparse:
    """(nodes, nodes): how many of these triples are between two entities of a graph."""
    return _facts(_ends(network.nodes, triples), len(network.names))


def _ends(nodes: Mapping[str, int], triples: Sequence[Triple]) -> NDArray[np.int64]:
    """(n, 2) the nodes at both ends of triples; -1 for a name that is none."""
    sides = (side for triple in triples for side in (triple.subject, triple.object))
    ends = [nodes.get(normalise_entity(side), -1) for side in sides]
    return np.array(ends, np.int64).reshape(-1, 2)


def _facts(ends: NDArray[np.int64], nodes: int) -> Sparse:
    between = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    return _symmetric(between[:, 0], between[:, 1], np.ones(len(between)), nodes)


def _symmetric(
    left: NDArray[np.int64], right: NDArray[np.int64], values: NDArray[np.float64], nodes: int
) -> Sparse:
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    return matrix(rows, columns, np.tile(values, 2), (nodes, nodes))
