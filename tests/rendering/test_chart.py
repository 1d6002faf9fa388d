"""The one chart of recall after every iteration."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gear_app.rendering.chart import LETTERS, chart, spread
from gear_app.rendering.values import AxisCounts, Chart, Level, Series

TOP, HIGH = 12, 150
GEAR = Series("GEAR", (0.0, 0.5, 1.0), "hot")
ALONE = Series("hybrid <alone>", (0.5,))


def places(drawn: str, kind: str = "") -> list[tuple[float, float]]:
    marks = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" class="(mark ?\w*)"', drawn)
    return [(float(x), float(y)) for x, y, of in marks if of == f"mark {kind}".strip()]


def test_higher_recall_stands_higher_and_later_iterations_further_right() -> None:
    drawn = chart(Chart("Recall", [ALONE, GEAR]))
    points = places(drawn, "hot")
    assert [y for _, y in points] == [TOP + HIGH, TOP + HIGH / 2, TOP]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert places(drawn)[0][1] == points[1][1]
    assert drawn.index(">hybrid") > drawn.index("polyline"), "names stand over lines"


def test_a_line_that_ended_early_goes_on_dotted_to_the_last_iteration() -> None:
    drawn = chart(Chart("Recall", [GEAR, ALONE]))
    (rest,) = re.findall(r'<line x1="[\d.]+" x2="([\d.]+)"[^>]*"carried"', drawn)
    assert float(rest) == places(drawn, "hot")[-1][0]
    assert "carried" not in chart(Chart("Recall", [GEAR]))


def test_the_highlighted_line_is_drawn_over_the_others() -> None:
    for series in ([GEAR, ALONE], [ALONE, GEAR]):
        drawn = chart(Chart("Recall", series))
        assert [kind.strip() for kind in re.findall('class="stroke([^"]*)"', drawn)] == ["", "hot"]


def test_names_at_one_height_stand_apart_below_the_top() -> None:
    drawn = chart(Chart("Recall", [Series(name, (1.0,)) for name in "abc"]))
    heights = [float(y) for y in re.findall(r'y="([\d.]+)" class="name">[abc]<', drawn)]
    assert [after - before for before, after in pairwise(heights)] == [15, 15]
    assert heights[0] == TOP + 4


def test_a_long_name_is_cut_and_names_are_words() -> None:
    name = "GEAR, Passages a round 6, Width b 5, <b>more</b>"
    drawn = chart(Chart("Recall", [Series(name, (1.0,))]))
    assert f">{name[: LETTERS - 1]}…<" in drawn and "<b>" not in drawn


def test_the_chart_says_in_words_what_it_shows() -> None:
    drawn = chart(Chart("Recall at 10 after each iteration", [GEAR, ALONE]))
    told = "Recall at 10 after each iteration. GEAR: 0.00, 0.50, 1.00; hybrid &lt;alone&gt;: 0.50"
    assert f'aria-label="{told}"' in drawn


def test_the_ends_of_the_axis_are_its_first_and_last_level() -> None:
    tokens = Series("GEAR", (250.0, 1000.0), picks=("1", "2"))
    drawn = chart(Chart("tokens", [tokens], (0.0, 500.0, 1000.0), ",.0f", wide=True))
    assert [y for _, y in places(drawn)] == [12 + 192 * 0.75, 12]
    assert re.findall(r'class="tick end"[^>]*>([\d,]+)<', drawn) == ["0", "500", "1,000"]
    assert ">GEAR 1,000<" in drawn


def test_marks_and_counts_lead_to_their_numbers() -> None:
    lines = [
        Series("GEAR", (0.5, 1.0), "hot", ("g1", "g2")),
        Series("Hybrid", (0.5,), "base", ("h1", "h2")),
    ]
    counts = AxisCounts("asking: GEAR", (12, 7), ("a1", "a2"))
    drawn = chart(Chart("R@5", lines, ceiling=Level("oracle decomposition", 0.9), counts=counts))
    assert sorted(re.findall('data-pick="(..)"', drawn)) == ["a1", "a2", "g1", "g2", "h1", "h2"]
    assert drawn.count("<polygon") == 2, "the baseline is a diamond, also where it goes on"
    assert 'class="top"' in drawn


def test_nothing_can_be_drawn() -> None:
    assert "<svg" in chart(Chart("Recall", []))


@pytest.mark.parametrize(
    ("heights", "gap", "least", "moved"),
    [
        ([10, 10, 10, 100], 15, None, [-5, 10, 25, 100]),
        ([100, 10], 15, None, [100, 10]),
        ([0, 5, 14, 20], 10, None, [-5.25, 4.75, 14.75, 24.75]),
        ([10, 10, 40], 15, 12, [12, 27, 42]),
        ([], 10, None, []),
    ],
)
def test_spread_keeps_order_and_distance_and_moves_no_more_than_it_must(
    heights: list[float], gap: float, least: float | None, moved: list[float]
) -> None:
    assert spread(heights, gap, *([] if least is None else [least])) == moved
