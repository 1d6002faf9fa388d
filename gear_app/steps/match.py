"""Which partial triples answer words of a query, from cosines alone (GRIEVER §4 and §5).

A partial triple is one side of a triple, the known one, with its predicate. Ours: the paper gives
neither a formula nor a threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.types import Span

MENTIONED = 0.7  # cosine from which words of the query name an entity
RELATED = 0.6  # cosine from which a phrase and a partial triple say the same
TITLE = 0.3  # weight of the passage's title

Cosines = NDArray[np.floating]


class NameMatch(NamedTuple):
    """An entity (row), the mention that names it (column), and their cosine."""

    row: int
    column: int
    cosine: float


class Evidence(NamedTuple):
    """What speaks for a match; cosines rounded to 1e-6.

    `known`: mention and known side. `relation`: the phrase around the mention and the partial
    triple. `agreement`: what the words of phrase and predicate add to that. `title`: mention and
    title of the triple's passage.
    """

    known: float
    relation: float
    agreement: float
    title: float

    @property
    def score(self) -> float:
        """Equals known · (relation + agreement) + TITLE · title; a negative `title` counts as 0."""
        title = TITLE * max(0.0, self.title)
        return round(self.known * (self.relation + self.agreement) + title, 6)

    @property
    def related(self) -> bool:
        """Whether the relation was matched: by its words, or by its cosine."""
        return self.agreement > 0 or self.relation >= RELATED


def shortlist(cosines: Cosines, size: int | None) -> list[int]:
    """Positions of the `size` partial triples nearest to any clause, nearest first; None: of all.

    `cosines` is (clauses, n). Ties (after rounding to 1e-6) go to the earlier position. No clauses
    give none.
    """
    if not cosines.size:
        return []
    nearest = np.round(cosines.max(axis=0).astype(np.float64), 6)
    return [int(position) for position in np.argsort(-nearest, kind="stable")[:size]]


def name_matches(cosines: Cosines) -> list[NameMatch]:
    """The rows that a column names: for each its nearest column, where that is at least MENTIONED.

    `cosines` is (entities, mentions). Ties go to the earlier mention.
    """
    if not cosines.size:
        return []
    rounded = np.round(cosines.astype(np.float64), 6)
    nearest = rounded.argmax(axis=1)
    best = rounded[np.arange(len(rounded)), nearest]
    return [
        NameMatch(int(row), int(nearest[row]), float(best[row]))
        for row in np.flatnonzero(best >= MENTIONED)
    ]


def best_disjoint(scores: Sequence[float], places: Sequence[Span], sure: float) -> tuple[int, ...]:
    """Positions of the matches that score at least `sure` and do not overlap a better one.

    `scores` are best first; `places` are the words that would be replaced.
    """
    chosen: list[int] = []
    for position, (score, place) in enumerate(zip(scores, places, strict=True)):
        better = [places[other] for other in chosen]
        free = all(place.end <= other.start or other.end <= place.start for other in better)
        if score >= sure and free:
            chosen.append(position)
    return tuple(chosen)
