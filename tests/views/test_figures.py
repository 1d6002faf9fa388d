from __future__ import annotations

import pytest

from gear_app.analysis import gold
from gear_app.analysis.rankings import CUTS, final, per_iteration
from gear_app.events import Retrieved
from gear_app.views import figures, markup
from tests import factories

EVENTS = factories.gear_run()


def test_the_methods_line_is_recall_per_iteration_and_the_baseline_is_beside_it() -> None:
    chart = figures.recall_chart(
        per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, 5, "GEAR", 2
    )
    method, base = chart.series
    assert (method.name, method.values, method.kind, method.now) == ("GEAR", [1.0, 1.0], "hot", 2)
    assert (base.name, base.values) == ("hybrid alone", [pytest.approx(1 / 3)])


def test_a_baseline_that_is_not_deep_enough_says_so() -> None:
    base = Retrieved("q", "hybrid", factories.ranked(list(factories.TEXTS)[:10]))
    assert figures.baseline_label(base, 10) == "hybrid alone"
    assert figures.baseline_label(base, 15) == "hybrid alone (only 10 deep)"


def test_the_table_says_the_same_for_every_cut_off() -> None:
    rows = figures.recall_rows(per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, CUTS)
    assert rows == [
        {"after": "hybrid alone", "R@5": "0.33", "R@10": "0.67", "R@15": "0.67"},
        {"after": "iteration 1", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
        {"after": "iteration 2", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
    ]


def test_one_ranking_is_numbers_with_the_baselines_beside_them() -> None:
    last = final(EVENTS)
    assert figures.recall_numbers(last, gold.base(EVENTS), factories.GOLD, (5, 15)) == [
        (markup.explained("R@5"), "1.00 · hybrid alone 0.33"),
        (markup.explained("R@15"), "1.00 · hybrid alone (only 10 deep) 0.67"),
    ]
    assert figures.recall_numbers(last, None, factories.GOLD, (5,)) == [
        (markup.explained("R@5"), "1.00")
    ]
