from __future__ import annotations

from gear_app.analysis import gold
from gear_app.analysis.rankings import CUTS, final, per_iteration
from gear_app.events import Retrieved
from gear_app.views import figures, markup
from gear_app.views.palette import LIGHT
from tests import factories

EVENTS = factories.gear_run()


def test_the_methods_line_is_recall_per_iteration_and_the_baseline_is_flat() -> None:
    figure = figures.recall(
        per_iteration(EVENTS), gold.base(EVENTS), factories.GOLD, 5, "GEAR", LIGHT, 2
    )
    method, base = figure.data
    assert list(method.x) == [1, 2]
    assert list(method.y) == [1.0, 1.0]
    assert [round(y, 2) for y in base.y] == [0.33, 0.33]
    assert method.line.dash != base.line.dash
    assert method.marker.symbol != base.marker.symbol
    assert list(method.marker.size) == [8, 12]


def test_labels_stand_at_the_lines_and_do_not_cover_each_other() -> None:
    same = per_iteration(factories.hybrid_run())
    figure = figures.recall(
        same, gold.base(factories.hybrid_run()), factories.GOLD, 5, "Hybrid", LIGHT
    )
    assert [note.text for note in figure.layout.annotations] == [
        "Hybrid",
        "hybrid alone<br>(only 3 deep)",
    ]
    assert len({note.yshift for note in figure.layout.annotations}) == 2


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
