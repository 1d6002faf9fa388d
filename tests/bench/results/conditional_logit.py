"""Weights of a sum of terms, fitted so that gold passages come before all others.

A conditional logit model: of a question's candidates a gold one is chosen with a probability in
proportion to e to the power of its score, against all that are not gold. With the L2 penalty the
loss has one minimum, and the search for it begins at 0 and draws nothing at random: there is no
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

Floats = NDArray[np.float64]

L2 = 0.003


class Candidates(NamedTuple):
    """What one question chooses among: (n, t) terms, and (n,) which candidates are gold."""

    terms: Floats
    gold: NDArray[np.bool_]


Pack = Sequence[Candidates]


def fit(packs: Sequence[Pack], terms: Sequence[int], *, l2: float = L2) -> Floats:
    """(t,) the weight of every term; 0 for all but those given by position, and none below 0.

    Packs weigh the same, whatever their number of questions, and so do the questions of a pack.
    Terms are divided by their standard deviation over all candidates, so that the penalty is fair
    to all; the weights are those of the terms as they are. A question whose candidates are all
    gold, or none, says nothing. Raises ValueError where no question says anything.
    """
    packs = [useful for pack in packs if (useful := [one for one in pack if _has_both(one)])]
    if not packs:
        raise ValueError("no question has both a gold candidate and another")
    columns = list(terms)
    width = packs[0][0].terms.shape[1]
    deviation = np.concatenate([one.terms[:, columns] for pack in packs for one in pack]).std(0)
    scale = np.where(deviation > 0, deviation, 1)
    scaled = [
        [Candidates(one.terms[:, columns] / scale, one.gold) for one in pack] for pack in packs
    ]
    best = minimize(
        objective,
        np.zeros(len(columns)),
        (scaled, l2),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(columns),  # as ChainConfig allows
    )
    weights = np.zeros(width)
    weights[columns] = best.x / scale
    return weights


def objective(weights: Floats, packs: Sequence[Pack], l2: float) -> tuple[float, Floats]:
    """The loss of (t,) weights and its (t,) gradient.

    The loss is the mean over packs of the mean over questions of the mean over gold candidates of
    -ln p(gold against all that are not), plus `l2` times the sum of the squared weights.
    """
    loss, gradient = l2 * float(weights @ weights), 2 * l2 * weights
    for pack in packs:
        share = 1 / (len(packs) * len(pack))
        for one in pack:
            of_question, slope = _of_question(weights, one)
            loss += share * of_question
            gradient = gradient + share * slope
    return loss, gradient


def _of_question(weights: Floats, one: Candidates) -> tuple[float, Floats]:
    """A question's loss, and its gradient."""
    scores = one.terms @ weights
    others = scores[~one.gold]
    every = logsumexp(others)
    both = np.logaddexp(scores[one.gold], every)
    mean_of_others = np.exp(others - every) @ one.terms[~one.gold]
    wrong = np.exp(every - both)  # the probability of choosing another than this gold one
    slope = wrong @ (mean_of_others - one.terms[one.gold]) / len(both)
    return float((both - scores[one.gold]).mean()), slope


def _has_both(one: Candidates) -> bool:
    return bool(one.gold.any() and not one.gold.all())
