"""Agreement against values computed by hand and by the library itself."""

from __future__ import annotations

import random

import krippendorff
import pytest

from gear_app.annotation.agreement import (
    Agreement,
    agreement,
    confusion,
    counts,
    disagreements,
)
from tests.annotation.make import labels, record

# 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: of 100 values 55 are yes, so that two drawn without
# replacement differ with a probability of 2 × 55 × 45 / (100 × 99) = 0.5, and α = 1 − 0.3 / 0.5.
BOOK = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15


def rows(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"ann": first, "ben": second} for first, second in pairs]


def test_alpha_of_two_is_as_computed_by_hand() -> None:
    found = agreement(rows(BOOK), "verdict")
    assert (found.equal, found.cases) == (35, 50)
    assert found.alpha == pytest.approx(1 - 0.3 / 0.5)
    assert found.interval is not None
    low, high = found.interval
    # The large-sample standard error of κ, which is close to α here, is 0.127.
    assert low == pytest.approx(0.15, abs=0.05) and high == pytest.approx(0.65, abs=0.05)


def test_severities_weigh_near_misses_less() -> None:
    drawn = random.Random(3)
    pairs = [(drawn.choice(["low", "middle", "high"]),) * 2 for _ in range(20)]
    near, far = rows([*pairs, ("low", "middle")]), rows([*pairs, ("low", "high")])
    ordered = [agreement(labels, "severity").alpha or 0.0 for labels in (near, far)]
    nominal = [agreement(labels, "category").alpha or 0.0 for labels in (near, far)]
    assert nominal[0] < ordered[0] < 1 and ordered[1] < nominal[1]


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
    assert found.cases == 11
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    matrix = [[float("nan") if v == "." else float(v) for v in line.split()] for line in observers]
    assert found.alpha == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"))
    assert found.interval and found.interval[0] < found.alpha < found.interval[1]


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
    (differs,) = disagreements(labels(ann, ben, *same))
    assert (differs.case, differs.fields, differs.decision) == (ann.case.id, ("category",), None)
    assert counts(labels(ann, ben, *same)).undecided == 1
    decision = record("q0", "eve", "graph", adjudicates=True)
    (differs,) = disagreements(labels(ann, ben, decision, *same))
    assert differs.decision == decision and set(differs.records) == {ann, ben}
    found = counts(labels(ann, ben, decision, *same))
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
    found = disagreements(labels(*decided, *severity, *verdict))
    assert [one.case for one in found] == [of[0].case.id for of in (verdict, severity, decided)]
    assert [one.fields[0] for one in found] == ["verdict", "severity", "verdict"]


def test_of_too_few_runs_or_one_category_there_is_no_agreement() -> None:
    pairs = [("fail", "pass")] * 9
    assert agreement(rows(pairs), "verdict") == Agreement("verdict", 0, 9)
    assert agreement(rows([*pairs, ("pass", "pass")]), "verdict").alpha is not None
    assert agreement(rows([("fail", "fail")] * 12), "verdict") == Agreement("verdict", 12, 12)
    assert agreement([{"ann": "fail"}, {"ben": "pass"}], "verdict").cases == 0
