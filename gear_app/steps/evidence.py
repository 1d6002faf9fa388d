"""Which of the first passages carry the answer: the pairs that their ranks and their best link
speak most for (ours).

The share of pairs like one that were the two gold passages is the logistic function of a weighted
sum, fitted once to all pairs of the first five passages of `chain` and of hybrid search on 340
questions over everyday text and found true of 132 over Wikipedia's:

    ranks   10 / (5 + rank, from 0), added up over both: 1.3
    parts   how near the parts of the query are to the link's sentences: 1.7
    link    how few passages hold what both name: 0.6
    cover   the share of the query that both sentences cover: 1.6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gear_app.steps.chain import Floats, Ints, Links

RANKS, PARTS, LINK, COVER, ALL = 1.3, 1.7, 0.6, 1.6, -9.5
LEAD = 20


class CarryingPair(NamedTuple):
    """The row of a link among all links, and the share of pairs like it that were the gold ones."""

    row: int
    share: float


def shares(links: Links) -> Floats:
    """(n,) of every link between two of the first passages, how many pairs like it are right."""
    ranks = 10 / (5 + links.starts) + 10 / (5 + links.passages)
    parts, link, start, cover = links.values.T
    score = ALL + RANKS * ranks + PARTS * parts + LINK * link + COVER * (start + cover)
    return np.asarray((1 / (1 + np.exp(-score))).round(6), np.float64)


def carrying_pairs(links: Links, first: int) -> list[CarryingPair]:
    """The pairs of the `first` passages that something joins, best first. Of equal ones that with
    the smaller places comes first: the links are in the order of passages, then of starts.
    """
    among = np.flatnonzero(links.passages < first)
    found = shares(links)
    pairs: dict[frozenset[int], CarryingPair] = {}
    for row in among[np.argsort(-found[among], kind="stable")].tolist():
        ends = frozenset((int(links.starts[row]), int(links.passages[row])))
        pairs.setdefault(ends, CarryingPair(row, float(found[row])))
    return list(pairs.values())


def sentence_at(links: Links, pairs: Sequence[CarryingPair], place: int) -> int | None:
    """The sentence by which the first pair that has a passage joins it; None without one."""
    for row, _ in pairs:
        if links.starts[row] == place:
            return int(links.here[row])
        if links.passages[row] == place:
            return int(links.there[row])
    return None


def lead_worth(links: Links, ranks: Ints, weights: Sequence[float]) -> Floats:
    """(n,) how much every link says for going on by it: the weighted sum of its four terms, and
    20 / (5 + the rank of its passage, from 0).
    """
    return np.asarray(
        links.values @ np.asarray(weights, np.float64) + LEAD / (5 + ranks), np.float64
    )
