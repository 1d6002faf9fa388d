"""Agreement against values computed by hand and by the libraries themselves."""

from __future__ import annotations

import random

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from gear_app.annotate.agreement import (
    agreement,
    confusion,
    disagreements,
    kappas,
    table,
)
from gear_app.annotate.counts import counts
from tests.annotate.make import heads, record

# The textbook's example: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no; κ = (0.7 − 0.5) / (1 − 0.5).
BOOK = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15


def rows(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"ann": first, "ben": second} for first, second in pairs]


def test_kappa_of_two_is_the_textbooks() -> None:
    found = agreement(rows(BOOK), "verdict")
    assert (found.measure, found.same, found.cases) == ("Cohen's κ", 35, 50)
    assert found.value == pytest.approx(0.4)
    assert found.interval is not None
    low, high = found.interval
    # The large-sample standard error of this table is 0.127: 0.4 ± 1.96 × 0.127.
    assert low == pytest.approx(0.15, abs=0.04) and high == pytest.approx(0.65, abs=0.04)


def test_kappa_of_severities_weighs_near_misses_less() -> None:
    drawn = random.Random(3)
    pairs = [(drawn.choice(["low", "middle", "high"]),) * 2 for _ in range(20)]
    near = agreement(rows([*pairs, ("low", "middle")]), "severity").value
    far = agreement(rows([*pairs, ("low", "high")]), "severity").value
    assert near is not None and far is not None and far < near < 1
    order = ["low", "middle", "high"]
    first, second = zip(*pairs, ("low", "high"), strict=True)
    expected = cohen_kappa_score(first, second, labels=order, weights="quadratic")
    assert far == pytest.approx(expected)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_many_kappas_at_once_are_those_of_the_library(weights: str | None) -> None:
    drawn = np.random.default_rng(5).integers(3, size=(6, 2, 40))
    tables = np.zeros((6, 3, 3))
    for at, (first, second) in enumerate(drawn):
        np.add.at(tables[at], (first, second), 1)
    expected = [cohen_kappa_score(*pair, labels=[0, 1, 2], weights=weights) for pair in drawn]
    assert kappas(tables, weighted=weights is not None) == pytest.approx(expected)
    same = np.array([[[4.0, 0.0], [0.0, 0.0]]])
    assert np.isnan(kappas(same)).all()


def test_alpha_is_krippendorffs_own_example() -> None:
    """Four observers, twelve units with gaps (Krippendorff 2011, C): nominal α = 0.743."""
    observers = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    units = list(zip(*(line.split() for line in observers), strict=True))
    told = [{f"o{n}": v for n, v in enumerate(unit) if v != "."} for unit in units]
    found = agreement(told, "category")
    assert found.measure == "Krippendorff's α" and found.cases == 11
    assert found.value == pytest.approx(0.743, abs=0.0005)
    matrix = [[float("nan") if v == "." else float(v) for v in line.split()] for line in observers]
    assert found.value == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"))
    assert found.interval and found.interval[0] < found.value < found.interval[1]


def test_where_one_category_occurs_agreement_is_undefined() -> None:
    found = agreement(rows([("fail", "fail")] * 9), "verdict")
    assert (found.value, found.interval, found.same, found.cases) == (None, None, 9, 9)
    assert agreement([], "verdict").value is None
    assert agreement([{"ann": "fail"}, {"ben": "pass"}], "verdict").cases == 0


def test_only_complete_labels_of_two_or_more_are_compared() -> None:
    one = [record("q0", "ann"), record("q1", "ann"), record("q2", "ann", verdict="defer")]
    two = [record("q0", "ben", "graph"), record("q2", "ben")]
    assert table(heads(*one, *two), "category") == [{"ann": "reader", "ben": "graph"}]
    assert table(heads(*one, *two), "step") == [{"ann": "whole run", "ben": "whole run"}]


def test_the_confusion_counts_pairs() -> None:
    assert confusion(rows(BOOK)) == {
        ("yes", "yes"): 20,
        ("yes", "no"): 5,
        ("no", "yes"): 10,
        ("no", "no"): 15,
    }


def test_a_decision_stands_beside_the_labels_and_settles_them() -> None:
    ann, ben = record("q0", "ann", "reader"), record("q0", "ben", "graph")
    same = [record("q1", "ann"), record("q1", "ben")]
    (differs,) = disagreements(heads(ann, ben, *same))
    assert (differs.case, differs.fields, differs.decision) == (ann.case.id, ("category",), None)
    assert counts(heads(ann, ben, *same)).undecided == 1
    decision = record("q0", "eve", "graph", adjudicates=True)
    (differs,) = disagreements(heads(ann, ben, decision, *same))
    assert differs.decision == decision and set(differs.records) == {ann, ben}
    found = counts(heads(ann, ben, decision, *same))
    assert found.undecided == 0 and found.judged == {"gear": 2}
    assert {name: len(all_) for name, all_ in found.failed["gear"].items()} == {
        "reader": 1,
        "graph": 1,
    }


def test_what_nobody_has_decided_comes_first_and_then_what_differs_most() -> None:
    severity = (
        record("q1", "ann", "reader", severity="low"),
        record("q1", "ben", "reader", severity="high"),
    )
    verdict = record("q2", "ann", "reader"), record("q2", "ben", "", verdict="pass")
    decided = (
        record("q0", "ann", "reader"),
        record("q0", "ben", "", verdict="pass"),
        record("q0", "eve", "graph", adjudicates=True),
    )
    found = disagreements(heads(*decided, *severity, *verdict))
    assert [one.case for one in found] == [of[0].case.id for of in (verdict, severity, decided)]
    assert [one.fields[0] for one in found] == ["verdict", "severity", "verdict"]


def test_runs_that_pass_or_wait_are_no_failures() -> None:
    found = counts(
        heads(
            record("q0", "ann", "", verdict="pass"),
            record("q1", "ann", "", verdict="defer"),
            record("q2", "ann", "reader", method="hipporag"),
        )
    )
    assert {method: dict(of) for method, of in found.failed.items()}["gear"] == {}
    assert found.judged == {"gear": 1, "hipporag": 1}
