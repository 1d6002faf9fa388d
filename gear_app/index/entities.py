"""The graph of entities: what triples say about whom, and which names mean the same (HippoRAG §2.3,
GRIEVER's same_as).

An entity is a normalised name; its node's name is the one first written. Names that normalise to
nothing are none. Synonyms are found block by block. A name is compared with those before it only:
what comes later never changes what an earlier name has, so an index of pairs grows without being
made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gear_app.core.config import SYNONYMS_FROM
from gear_app.core.protocols import EntityNetwork, Sparse, Vectors
from gear_app.core.rows import EntityPassages
from gear_app.core.text import normalise_entity
from gear_app.core.types import Triple

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


class Names:
    """Names and their vectors, made ready to be compared."""

    def __init__(self, names: Iterable[str], vectors: Vectors) -> None:
        """`vectors` are (n, d), rows L2-normalised; they may be memory-mapped, or lie elsewhere."""
        numbers: list[tuple[int, str]] = []
        long: list[bool] = []
        for row, name in enumerate(names):
            normal = normalise_entity(name)
            long.append(len(normal.replace(" ", "")) >= SHORTEST)
            numbers += [(row, number) for number in set(_NUMBER.findall(normal))]
        self._numbers = _numbers(numbers, len(long))
        self._long = np.array(long, bool)
        self._vectors = vectors

    def pairs(self, start: int, stop: int) -> Pairs:
        """The synonyms of the names at positions start to stop: for each, the nearest NEAREST of
        those before it.

        A pair has a cosine (rounded to 1e-6) of at least SYNONYMS_FROM. Equal cosines: smaller
        position. Numbers must not contradict each other (ours): those of one name are among those
        of the other. Different dates and years are near and not the same. Memory does not grow with
        the names.
        """
        blocks = [
            self._block(first, min(first + _ROWS, stop)) for first in range(start, stop, _ROWS)
        ]
        return Pairs(*(np.concatenate(parts) for parts in zip(_NONE, *blocks, strict=True)))

    def _block(self, first: int, last: int) -> Pairs:
        best = _NONE
        for left in range(
            0, last, _COLUMNS
        ):  # cut after every tile, so that no more than one is ever held
            best = _nearest(best, self._tile(first, last, left, min(left + _COLUMNS, last)))
        return best

    def _tile(self, first: int, last: int, left: int, right: int) -> Pairs:
        cosines = self._vectors[first:last] @ self._vectors[left:right].T
        rows, columns = np.nonzero(cosines > SYNONYMS_FROM - 1e-6)
        rounded = np.minimum(np.round(cosines[rows, columns].astype(np.float64), 6), 1.0)
        later, earlier = rows + first, columns + left
        near = (
            (earlier < later) & (rounded >= SYNONYMS_FROM) & self._long[later] & self._long[earlier]
        )
        return self._agreeing(Pairs(later[near], earlier[near], rounded[near]))

    def _agreeing(self, pairs: Pairs) -> Pairs:
        later, other = self._numbers[pairs.later], self._numbers[pairs.earlier]
        agree = later.multiply(other).sum(axis=1) == np.minimum(
            later.sum(axis=1), other.sum(axis=1)
        )
        return Pairs(*(part[agree] for part in pairs))


def _nearest(*parts: Pairs) -> Pairs:
    """The nearest NEAREST pairs of each later name among all these, in order."""
    later, earlier, cosine = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((earlier, -cosine, later))
    group = later[order]
    order = order[np.arange(len(order)) - np.searchsorted(group, group) < NEAREST]
    return Pairs(later[order], earlier[order], cosine[order])


def nearest_names(names: Sequence[str], vectors: Vectors) -> Pairs:
    """All pairs of the names, at once."""
    return Names(names, vectors).pairs(0, len(names))


def _numbers(pairs: Sequence[tuple[int, str]], names: int) -> Sparse:
    """(names, numbers): 1 where the name holds the number."""
    columns: dict[str, int] = {}
    places = (
        [row for row, _ in pairs],
        [columns.setdefault(number, len(columns)) for _, number in pairs],
    )
    return sparse.csr_array((np.ones(len(pairs)), places), shape=(names, max(1, len(columns))))


_NONE = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


class EntityGraph:
    """Entities of triples by position, 0 to n - 1 (seams.EntityNetwork)."""

    def __init__(
        self,
        triples: Sequence[Triple],
        names: Mapping[str, str],
        vectors: Vectors | Callable[[], Vectors],
        synonyms: Pairs,
    ) -> None:
        """`names` are the nodes in order: the normalised name of every entity, and as it was first
        written.

        `vectors` are those of the names as written, (n, d), rows L2-normalised, or read them when
        they are first asked for: GRIEVER needs none. `synonyms` are pairs of positions.
        """
        self._find = {key: node for node, key in enumerate(names)}
        self.names: Sequence[str] = list(names.values())
        self._vectors = vectors
        written = dict.fromkeys(
            name for triple in triples for name in (triple.subject, triple.object)
        )
        nodes = {name: self._find.get(normalise_entity(name), -1) for name in written}
        ends = np.array([(nodes[t.subject], nodes[t.object]) for t in triples], np.int64).reshape(
            -1, 2
        )
        passage_ids, columns = np.unique(
            [triple.passage_id for triple in triples], return_inverse=True
        )
        self.passage_ids: Sequence[int] = [int(id_) for id_ in passage_ids]
        self.counts: Sparse = _counts(ends, columns, (len(names), len(passage_ids)))
        self.facts: Sparse = _facts(ends, len(names))
        self.synonymy: Sparse = synonymy(synonyms, len(names))

    @classmethod
    def of(
        cls, triples: Sequence[Triple], embed: Callable[[Sequence[str]], Vectors]
    ) -> EntityGraph:
        """The graph of triples, nodes by first appearance; names are encoded and compared here and
        now.
        """
        names = first_written(
            name for triple in triples for name in (triple.subject, triple.object)
        )
        vectors = embed(list(names.values()))
        return cls(triples, names, vectors, nearest_names(list(names.values()), vectors))

    @property
    def vectors(self) -> Vectors:
        """(n, d) of the names, in order."""
        if callable(self._vectors):
            self._vectors = self._vectors()
        return self._vectors

    @property
    def known(self) -> Collection[str]:
        """The nodes' normalised names."""
        return self._find.keys()

    def find(self, name: str) -> int | None:
        """The node of this name, however it is written."""
        return self._find.get(normalise_entity(name))

    def passages_of(self, name: str, threshold: float | None) -> EntityPassages:
        """The passages that name this entity or a synonym at least as near as the threshold, and
        the synonyms (protocols.Index.joins).
        """
        node = self.find(name)
        if node is None:
            return EntityPassages(frozenset(), ())
        synonyms = sorted(
            self._synonyms(node, threshold), key=lambda synonym: (-synonym[1], synonym[0])
        )
        passages = {
            self.passage_ids[column]
            for named in (node, *(other for other, _ in synonyms))
            for column in _columns(self.counts, named)
        }
        words = tuple((self.names[other], round(cosine, 6)) for other, cosine in synonyms)
        return EntityPassages(frozenset(passages), words)

    def _synonyms(self, node: int, threshold: float | None) -> Iterator[tuple[int, float]]:
        if threshold is None:
            return
        run = slice(self.synonymy.indptr[node], self.synonymy.indptr[node + 1])
        cosines = self.synonymy.data[run].tolist()
        for other, cosine in zip(_columns(self.synonymy, node), cosines, strict=True):
            if round(cosine, 6) >= threshold:
                yield other, cosine


def _columns(matrix: Sparse, row: int) -> list[int]:
    """The columns of a row's entries."""
    return list(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist())


def first_written(names: Iterable[str]) -> dict[str, str]:
    """Names by their normalised form, as first written, in order of first appearance."""
    names_by_normal: dict[str, str] = {}
    for name in dict.fromkeys(names):
        names_by_normal.setdefault(normalise_entity(name), name)
    names_by_normal.pop("", None)
    return names_by_normal


def _counts(ends: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> Sparse:
    """A triple names an entity once, also where it stands on both sides."""
    once = ends.copy()
    once[ends[:, 0] == ends[:, 1], 1] = -1
    rows, places = once.ravel(), np.repeat(columns, 2)
    named = rows >= 0
    return sparse.csr_array((np.ones(int(named.sum())), (rows[named], places[named])), shape=shape)


def _facts(ends: NDArray[np.int64], nodes: int) -> Sparse:
    between = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    return _symmetric(between[:, 0], between[:, 1], np.ones(len(between)), nodes)


def facts_between(network: EntityNetwork, triples: Sequence[Triple]) -> Sparse:
    """(nodes, nodes): how many of these triples are between two entities of a graph."""
    nodes = [(network.find(triple.subject), network.find(triple.object)) for triple in triples]
    ends = np.array([[-1 if node is None else node for node in pair] for pair in nodes], np.int64)
    return _facts(ends.reshape(-1, 2), len(network.names))


def synonymy(pairs: Pairs, nodes: int) -> Sparse:
    """(nodes, nodes): the cosines of pairs of names."""
    return _symmetric(pairs.later, pairs.earlier, pairs.cosine, nodes)


def _symmetric(
    left: NDArray[np.int64], right: NDArray[np.int64], values: NDArray[np.float64], nodes: int
) -> Sparse:
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    return sparse.csr_array((np.tile(values, 2), (rows, columns)), shape=(nodes, nodes))
