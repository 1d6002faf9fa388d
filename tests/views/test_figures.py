from __future__ import annotations

import pytest

from gear_app.analysis import gold
from gear_app.analysis.rankings import CUTS, per_iteration
from gear_app.views import figures
from tests import factories

EVENTS = factories.gear_run()


def test_the_methods_line_is_recall_per_iteration_and_the_baseline_is_beside_it() -> None:
    chart = figures.recall_chart(
        per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, 5, "GEAR", 2
    )
    method, base = chart.series
    assert (method.name, method.values, method.kind, method.now) == ("GEAR", [1.0, 1.0], "hot", 2)
    assert (base.name, base.values) == ("hybrid alone", [pytest.approx(1 / 3)])


def test_the_table_says_the_same_for_every_cut_off() -> None:
    rows = figures.recall_rows(per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, CUTS)
    assert rows == [
        {"after": "hybrid alone", "R@5": "0.33", "R@10": "0.67", "R@15": "0.67"},
        {"after": "iteration 1", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
        {"after": "iteration 2", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
    ]
