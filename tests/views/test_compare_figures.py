from __future__ import annotations

from itertools import pairwise

import pytest

from gear_app.runs import comparison
from gear_app.views.compare import charts as figures
from gear_app.views.compare import costs
from gear_app.views.compare.charts import Point, spread
from gear_app.views.palette import DARK, LIGHT
from tests import factories
from tests.views.compared import column, failed, gear, hybrid, ranked_run

GOLD = factories.GOLD


def test_every_method_has_a_line_and_one_step_is_one_point() -> None:
    found = figures.lines([hybrid(), failed(), gear()], GOLD, 5)
    assert [(line.label, line.xs) for line in found] == [("Hybrid", [1]), ("GEAR", [1, 2])]
    assert [round(y, 2) for y in found[0].ys] == [0.33]
    assert figures.lines([gear()], GOLD, 2)[0].ys == [pytest.approx(2 / 3), pytest.approx(2 / 3)]


def test_a_method_that_stopped_goes_on_as_a_dotted_line() -> None:
    figure = figures.recall([hybrid(), gear()], GOLD, 5, "GEAR", LIGHT)
    rest, point, line = figure.data
    assert (list(rest.x), rest.line.dash) == ([1, 2], "dot")
    assert list(point.x) == [1]
    assert (list(line.x), list(line.y), line.line.dash) == ([1, 2], [1.0, 1.0], None)


def test_one_method_is_highlighted_by_colour_width_and_mark() -> None:
    for palette in (LIGHT, DARK):
        figure = figures.recall([gear(), hybrid()], GOLD, 5, "GEAR", palette)
        assert figure.data[-1].line.color == palette.kept  # drawn last, over the others
        assert {trace.line.color for trace in figure.data[:-1]} == {palette.pruned}
        assert figure.data[-1].marker.symbol == "diamond"
        assert [note.text for note in figure.layout.annotations] == ["Hybrid", "<b>GEAR</b>"]


def test_labels_at_one_height_stand_apart() -> None:
    same = [column(str(n), ranked_run(["clifton"]), f"M{n}") for n in range(8)]
    figure = figures.recall(same, GOLD, 5, "M7", LIGHT)
    heights = sorted(note.y * 170 + note.yshift for note in figure.layout.annotations)
    assert min(b - a for a, b in pairwise(heights)) >= 14


def test_a_name_too_long_to_stand_beside_its_line_is_cut_and_the_table_has_all_of_it() -> None:
    name = "GEAR, Passages a round 6, Width b 5, +2 more"
    columns = [column("m", factories.gear_run(), name), hybrid()]
    drawn = figures.recall(columns, GOLD, 5, name, LIGHT)
    (label,) = (note for note in drawn.layout.annotations if note.text.startswith("<b>"))
    assert label.text == f"<b>{name[:33]}…</b>"
    assert drawn.layout.margin.r >= figures.LETTER * figures.LETTERS
    assert name in {row["method"] for row in figures.recall_rows(columns, GOLD, 5)}


def test_names_with_markup_are_words_in_figures() -> None:
    evil = column("a", ranked_run(["clifton"]), "GEAR triples=<a href='http://evil.example'>x</a>")
    for figure in (
        figures.recall([evil], GOLD, 5, "", LIGHT),
        costs.figure(costs.points("time", [evil], GOLD, 5), "", LIGHT, "time"),
    ):
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


def test_a_figure_of_nothing_can_be_drawn() -> None:
    assert len(figures.recall([], GOLD, 5, "", LIGHT).data) == 0
    assert comparison.best([failed()], GOLD) == ""


def test_the_best_method_is_highlighted_and_of_equals_the_last() -> None:
    assert comparison.best([gear(), hybrid()], GOLD) == "GEAR"
    twin = column("twin", factories.gear_run(), "Twin")
    assert comparison.best([gear(), twin, failed()], GOLD) == "Twin"


def test_spread_keeps_order_and_distance_and_moves_no_more_than_it_must() -> None:
    assert spread([10, 10, 10, 100], 15) == [-5, 10, 25, 100]
    assert spread([100, 10], 15) == [100, 10]
    assert spread([0, 5, 14, 20], 10) == [-5.25, 4.75, 14.75, 24.75]
    assert spread([10, 10, 40], 15, 12) == [12, 27, 42]
    assert spread([], 10) == []
