"""Names that mean the same: which pairs are near enough, found block by block (HippoRAG §2.3,
GRIEVER's same_as).

A name is compared with those before it only. What comes later never changes what an earlier name
has, so an index of pairs grows without being made again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gear_app.config import SYNONYMS_FROM
from gear_app.seams import Sparse, Vectors
from gear_app.text import normalise_entity

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

    def __init__(self, names: Sequence[str], vectors: Vectors) -> None:
        """`vectors` are (n, d), rows L2-normalised; they may be memory-mapped."""
        normal = [normalise_entity(name) for name in names]
        self._numbers = _numbers(normal)
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
        found = np.minimum(np.round(cosines[rows, columns].astype(np.float64), 6), 1.0)
        later, earlier = rows + first, columns + left
        near = (
            (earlier < later) & (found >= SYNONYMS_FROM) & self._long[later] & self._long[earlier]
        )
        return self._agreeing(Pairs(later[near], earlier[near], found[near]))

    def _agreeing(self, pairs: Pairs) -> Pairs:
        one, other = self._numbers[pairs.later], self._numbers[pairs.earlier]
        agree = one.multiply(other).sum(axis=1) == np.minimum(one.sum(axis=1), other.sum(axis=1))
        return Pairs(*(part[agree] for part in pairs))


def _nearest(*parts: Pairs) -> Pairs:
    """Of all these pairs the nearest NEAREST of each later name, in order."""
    later, earlier, cosine = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((earlier, -cosine, later))
    group = later[order]
    order = order[np.arange(len(order)) - np.searchsorted(group, group) < NEAREST]
    return Pairs(later[order], earlier[order], cosine[order])


def nearest_names(names: Sequence[str], vectors: Vectors) -> Pairs:
    """All pairs of the names, at once."""
    return Names(names, vectors).pairs(0, len(names))


def _numbers(names: Sequence[str]) -> Sparse:
    """(names, numbers): 1 where the name holds the number."""
    held = [
        (row, number) for row, name in enumerate(names) for number in set(_NUMBER.findall(name))
    ]
    columns: dict[str, int] = {}
    where = (
        [row for row, _ in held],
        [columns.setdefault(number, len(columns)) for _, number in held],
    )
    return sparse.csr_array((np.ones(len(held)), where), shape=(len(names), max(1, len(columns))))


_NONE = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
