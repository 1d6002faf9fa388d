"""The chart of recall per iteration in pages that stand alone."""

from __future__ import annotations

import re
from itertools import pairwise

from gear_app.views.share.recall_chart import HEIGHT, TOP, RecallLine, recall_chart
from gear_app.views.share.run import page_data, stored
from gear_app.workspace import Workspace
from tests.small import QUESTION

GEAR = RecallLine("GEAR", (0.0, 0.5, 1.0), strong=True)
ALONE = RecallLine("hybrid <alone>", (0.5,))


def places(drawn: str, kind: str) -> list[tuple[float, float]]:
    found = re.findall(rf'<circle cx="([\d.]+)" cy="([\d.]+)" r="\d" class="{kind}"', drawn)
    return [(float(x), float(y)) for x, y in found]


def test_higher_recall_stands_higher_and_later_iterations_further_right() -> None:
    points = places(recall_chart([GEAR, ALONE], 5), "gear-chart-strong")
    assert [y for _, y in points] == [TOP + HEIGHT, TOP + HEIGHT / 2, TOP]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert places(recall_chart([GEAR, ALONE], 5), "gear-chart-other")[0][1] == points[1][1]


def test_a_line_that_ended_early_goes_on_dotted_to_the_last_iteration() -> None:
    drawn = recall_chart([GEAR, ALONE], 5)
    end = places(drawn, "gear-chart-strong")[-1][0]
    (rest,) = re.findall(r'<line x1="[\d.]+" x2="([\d.]+)"[^>]*gear-chart-rest', drawn)
    assert float(rest) == end
    assert "gear-chart-rest" not in recall_chart([GEAR], 5)


def test_names_at_one_height_stand_apart() -> None:
    drawn = recall_chart([RecallLine(name, (1.0,)) for name in ("a", "b", "c")], 5)
    heights = [float(y) for y in re.findall(r'y="([\d.]+)">[abc]<', drawn)]
    assert [after - before for before, after in pairwise(heights)] == [15, 15]


def test_the_chart_says_in_words_what_it_shows() -> None:
    drawn = recall_chart([GEAR, ALONE], 10)
    assert (
        "Recall at 10 after each iteration. GEAR: 0.00, 0.50, 1.00; hybrid &lt;alone&gt;: 0.50"
        in (drawn)
    )
    assert "<alone>" not in drawn


def test_a_runs_page_draws_recall_above_its_table(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    (side,) = page_data(stored(films, run))["side"]
    assert side.index('class="gear-chart"') < side.index("gear-table")
