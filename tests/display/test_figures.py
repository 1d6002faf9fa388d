from __future__ import annotations

import pytest

from gear_app.display import figures, palette
from gear_app.trace import gold
from gear_app.trace.rankings import CUTS, per_iteration
from tests import factories

EVENTS = factories.gear_run()


def test_the_methods_line_is_recall_per_iteration_and_the_baseline_is_dotted() -> None:
    chart = figures.recall_chart(
        per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, 5, palette.LIGHT
    )
    (line,) = chart.data
    assert (list(line.x), list(line.y)) == ([1, 2], [1.0, 1.0])
    (dotted,) = chart.layout.shapes
    assert dotted.y0 == pytest.approx(1 / 3) and dotted.line.dash == "dot"
    assert chart.layout.annotations[0].text == "hybrid alone 0.33"


def test_the_table_says_the_same_for_every_cut_off() -> None:
    rows = figures.recall_rows(per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, CUTS)
    assert rows == [
        {"after": "hybrid alone", "R@5": "0.33", "R@10": "0.67", "R@15": "0.67"},
        {"after": "iteration 1", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
        {"after": "iteration 2", "R@5": "1.00", "R@10": "1.00", "R@15": "1.00"},
    ]
