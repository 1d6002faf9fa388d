"""The fit of weights: its gradient, its optimum, and what weighs how much."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from tests.bench.results.conditional_logit import Candidates, fit, objective


def pack(seed: int, questions: int, terms: int = 3) -> list[Candidates]:
    """Candidates whose first term says most about gold, the second a little, the others nothing."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(questions):
        values = chance.normal(size=(12, terms)) * [1, 5, 0.1][:terms]
        score = 2 * values[:, 0] + 0.1 * values[:, 1] + chance.gumbel(size=12)
        gold = np.zeros(12, np.bool_)
        gold[np.argsort(-score)[:2]] = True
        made.append(Candidates(values, gold))
    return made


PACKS = [pack(1, 15), pack(2, 40)]


@pytest.mark.parametrize("weights", [[0.0, 0.0, 0.0], [1.0, 0.3, -2.0], [30.0, -8.0, 4.0]])
def test_the_gradient_is_that_of_the_loss(weights: list[float]) -> None:
    error = check_grad(
        lambda w: objective(w, PACKS, 0.003)[0],
        lambda w: objective(w, PACKS, 0.003)[1],
        np.array(weights),
    )
    assert error < 1e-5


def test_the_loss_of_one_question_by_hand() -> None:
    """Scores 1 (gold), 0 (gold), 0, 0: -ln(e / (e + 2)) and -ln(1 / 3), and 0.5 x 1 x 1."""
    one = Candidates(np.array([[1.0], [0.0], [0.0], [0.0]]), np.array([True, True, False, False]))
    loss, _ = objective(np.array([1.0]), [[one]], 0.5)
    by_hand = (math.log((math.e + 2) / math.e) + math.log(3)) / 2 + 0.5
    assert loss == pytest.approx(by_hand, abs=1e-12)


def test_the_optimum_is_that_of_a_search_without_gradient() -> None:
    rows = np.concatenate([one.terms for of in PACKS for one in of])
    deviation = rows.std(axis=0)
    scaled = [[Candidates(one.terms / deviation, one.gold) for one in of] for of in PACKS]
    blind = minimize(
        lambda w: objective(np.abs(w), scaled, 0.003)[0],
        np.full(3, 0.5),
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-10, "maxiter": 4000},
    )
    found = fit(PACKS, [0, 1, 2])
    assert found * deviation == pytest.approx(np.abs(blind.x), abs=2e-3)
    assert found[0] > 5 * found[1] > 0
