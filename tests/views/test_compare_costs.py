from __future__ import annotations

import pytest

from gear_app.runs.comparison import ComparedRun
from gear_app.store.rows import Spent
from gear_app.views.compare import figures as costs
from gear_app.views.palette import LIGHT
from tests import factories
from tests.views.compared import column, failed, gear, hybrid

GOLD = factories.GOLD
COUNTED = ["tokens", "calls", "time"]


def asked(id_: str, **spent: object) -> ComparedRun:
    """A run of GEAR that asked a model."""
    return column(id_, factories.gear_run(), id_, ms=900.0, spent=Spent(**{"calls": 7, **spent}))  # type: ignore[arg-type]


def test_time_is_in_milliseconds_on_a_logarithmic_axis() -> None:
    points = costs.points("time", [hybrid(), failed(), gear()], GOLD, 5)
    assert [(point.label, point.x, point.words) for point in points] == [
        ("Hybrid", 20.0, "20 ms"),
        ("GEAR", 900.0, "900 ms"),
    ]
    figure = costs.figure(points, "GEAR", LIGHT, "time")
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.ticktext)[:2] == ["20 ms", "50 ms"]
    assert costs.rows(points, 5, "time") == [
        {"method": "Hybrid", "time": "20 ms", "R@5": "0.33"},
        {"method": "GEAR", "time": "900 ms", "R@5": "1.00"},
    ]


def test_a_run_that_has_no_ranking_offers_nothing() -> None:
    lost = column("lost", None, state="failed", spent=Spent(calls=3, input_tokens=9, cost=1.0))
    assert costs.choices([hybrid(), lost]) == ["time"]


@pytest.mark.parametrize(
    ("cost", "offered"),
    [(0.002, ["tokens", "calls", "time", "dollars"]), (None, COUNTED), (0.0, COUNTED)],
)
def test_dollars_are_offered_only_where_some_are_known_to_be_paid(
    cost: float | None, offered: list[str]
) -> None:
    assert costs.choices([hybrid(), asked("M", input_tokens=1200, cost=cost)]) == offered


@pytest.mark.parametrize(
    ("against", "xs", "words"),
    [
        ("tokens", [0, 1280], "1,280 tokens"),
        ("calls", [0, 7], "7 calls"),
        ("dollars", [0, 0.002], "$0.0020"),
    ],
)
def test_methods_that_asked_no_model_stand_at_zero(
    against: str, xs: list[float], words: str
) -> None:
    columns = [hybrid(), asked("M", input_tokens=1200, output_tokens=80, cost=0.002)]
    points = costs.points(against, columns, GOLD, 5)
    assert [point.x for point in points] == xs and points[1].words == words
    figure = costs.figure(points, "M", LIGHT, against)
    assert figure.layout.xaxis.type == "linear"
    assert (
        list(figure.data[0].x) == xs and figure.layout.xaxis.range[0] < 0
    )  # the mark at 0 is not cut in two
    assert costs.AT_ZERO in costs.remark(against, columns)
    assert costs.AT_ZERO not in costs.remark(against, columns[1:])


def test_a_run_of_unknown_price_is_left_out_of_dollars_and_named() -> None:
    columns = [asked("Paid", cost=0.5), asked("Unknown", cost=None)]
    assert [point.label for point in costs.points("dollars", columns, GOLD, 5)] == ["Paid"]
    assert "not known: Unknown." in costs.remark("dollars", columns)
    assert len(costs.points("tokens", columns, GOLD, 5)) == 2
