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
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import SYNONYMS_FROM
from gear_app.core.protocols import Vectors
from gear_app.core.rows import PAIRS, EntityNetwork, EntityPassages, Pairs, Sparse
from gear_app.core.text import normalise_entity
from gear_app.core.types import Triple
from gear_app.index.arrays import (
    Arrays,
    Places,
    Words,
    is_among_first,
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
        those before it, nearest first.

        A pair has a cosine (rounded to 1e-6) of at least SYNONYMS_FROM. Equal cosines: smaller
        position. Numbers must not contradict each other (ours): those of one name are among those
        of the other. Different dates and years are near and not the same. Memory does not grow with
        the names.
        """
        blocks = [np.empty(0, PAIRS)]
        for first in range(start, stop, _ROWS):
            last, best = min(first + _ROWS, stop), np.empty(0, PAIRS)
            for left in range(0, last, _COLUMNS):  # cut after every tile: no more is ever held
                tile = self._tile(first, last, left, min(left + _COLUMNS, last))
                pairs = np.concatenate([best, tile])
                pairs = pairs[np.lexsort((pairs["earlier"], -pairs["cosine"], pairs["later"]))]
                best = pairs[is_among_first(pairs["later"], NEAREST)]
            blocks.append(best)
        return np.concatenate(blocks)

    def _tile(self, first: int, last: int, left: int, right: int) -> Pairs:
        cosines = self._vectors[first:last] @ self._vectors[left:right].T
        rows, columns = np.nonzero(cosines > SYNONYMS_FROM - 1e-6)
        rounded = np.minimum(np.round(cosines[rows, columns].astype(np.float64), 6), 1.0)
        pairs = np.empty(len(rows), PAIRS)
        pairs["later"], pairs["earlier"], pairs["cosine"] = rows + first, columns + left, rounded
        long = self._long[pairs["later"]] & self._long[pairs["earlier"]]
        before = pairs["earlier"] < pairs["later"]
        near = pairs[before & long & (pairs["cosine"] >= SYNONYMS_FROM)]
        later, earlier = self._numbers[near["later"]], self._numbers[near["earlier"]]
        fewer = np.minimum(later.sum(axis=1), earlier.sum(axis=1))
        agreeing: Pairs = near[later.multiply(earlier).sum(axis=1) == fewer]
        return agreeing


def graph_arrays(
    names: Iterable[str], ends: NDArray[np.int64], passage_ids: NDArray[np.int64]
) -> Arrays:
    """The graph of the entities of triples, whose `ends` are (n, 2) positions among the names, -1
    for none, and `passage_ids` (n,) the passages they belong to.

    `names` are the nodes in order, as they were first written. `of_nodes` are pairs of a node and a
    triple that names it, `of_passages` of a passage's id and a triple.
    """
    names = list(names)
    triples, nodes = np.arange(len(ends)), len(names)
    passages, columns = np.unique(passage_ids, return_inverse=True)
    once = ends.copy()  # a triple names an entity once, also where it stands on both sides
    once[ends[:, 0] == ends[:, 1], 1] = -1
    at, side = np.nonzero(once >= 0)
    entities, shape = once[at, side], (nodes, len(passages))
    return {
        **word_arrays("names", names),
        **word_arrays("normal", map(normalise_entity, names)),
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
        Places(graph, "normal"),
        Words(graph, "names"),
        graph["passages"].tolist(),
        read_matrix(graph, "counts"),
        read_matrix(graph, "facts"),
        synonymy,
        cache(read_vectors),
    )


def synonymy_of(pairs: Pairs, nodes: int) -> Sparse:
    """(nodes, nodes) the cosines of pairs."""
    return _symmetric(pairs["later"], pairs["earlier"], pairs["cosine"], nodes)


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
    sides = (side for triple in triples for side in (triple.subject, triple.object))
    ends = [network.nodes.get(normalise_entity(side), -1) for side in sides]
    return _facts(np.array(ends, np.int64).reshape(-1, 2), len(network.names))


def _facts(ends: NDArray[np.int64], nodes: int) -> Sparse:
    between = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    return _symmetric(between[:, 0], between[:, 1], np.ones(len(between)), nodes)


def _symmetric(
    left: NDArray[np.int64], right: NDArray[np.int64], values: NDArray[np.float64], nodes: int
) -> Sparse:
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    return matrix(rows, columns, np.tile(values, 2), (nodes, nodes))
