from __future__ import annotations

import pytest

from gear_app.analysis.rankings import recall_per_iteration
from gear_app.runs import comparison
from gear_app.views.compare import figures
from gear_app.views.compare.figures import Point
from gear_app.views.palette import LIGHT
from tests import factories
from tests.views.compared import column, failed, gear, hybrid, ranked_run

GOLD = factories.GOLD


def test_every_method_has_a_line_and_one_step_is_one_point() -> None:
    lines = figures.recalls([hybrid(), failed(), gear()], GOLD, 5)
    assert lines == {"Hybrid": [pytest.approx(1 / 3)], "GEAR": [1.0, 1.0]}
    assert figures.recalls([gear()], GOLD, 2)["GEAR"] == [pytest.approx(2 / 3)] * 2


def test_an_iteration_without_a_ranking_keeps_that_of_the_one_before() -> None:
    rankings = {1: factories.ranked(GOLD[:1]), 3: factories.ranked(GOLD)}
    assert recall_per_iteration(rankings, GOLD, 5) == [pytest.approx(1 / 3)] * 2 + [1.0]


def test_the_chosen_method_is_highlighted() -> None:
    chart = figures.recall_chart([hybrid(), gear()], GOLD, 5, "GEAR")
    assert [(line.name, line.kind) for line in chart.series] == [("Hybrid", ""), ("GEAR", "hot")]


def test_names_with_markup_are_words_in_figures() -> None:
    evil = column("a", ranked_run(["clifton"]), "GEAR triples=<a href='http://evil.example'>x</a>")
    figure = figures.figure(figures.points("time", [evil], GOLD, 5), "", LIGHT, "time")
    assert "<a href" not in figure.to_json()
    assert "&lt;a href" in figure.layout.annotations[0].text


def test_the_figure_as_a_table_leaves_out_what_a_method_did_not_do() -> None:
    assert figures.recall_rows([hybrid(), gear()], GOLD, 5) == [
        {"method": "Hybrid", "iteration 1": "0.33", "iteration 2": ""},
        {"method": "GEAR", "iteration 1": "1.00", "iteration 2": "1.00"},
    ]


def test_labels_of_near_points_do_not_cover_each_other() -> None:
    points = [Point(f"Method {n}", 100.0 + n, 1.0, "") for n in range(4)]
    found = figures.point_labels(points, (1.5, 3.5), "Method 0", LIGHT, log=True)
    assert len({(note["xanchor"], note["yshift"]) for note in found}) == 4


def test_the_best_method_is_highlighted_and_of_equals_the_last() -> None:
    assert comparison.best([gear(), hybrid()], GOLD) == "GEAR"
    twin = column("twin", factories.gear_run(), "Twin")
    assert comparison.best([gear(), twin, failed()], GOLD) == "Twin"
