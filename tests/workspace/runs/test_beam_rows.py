"""Every number in a beam row recomputes from the terms shown in that row, over runs of all demo
questions.
"""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from gear_app.display import beams, labels
from gear_app.trace.events import BeamCandidate, BeamStep, Expanded
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

NEAR = 1e-6 + 1e-12  # what is shown is rounded to a millionth
_PLACE = re.compile(
    r"× e\^\(−min\((\d+), (\d+)\)/(\d+)\), place (\d+) in its beam(?: by estimate)?"
)


def number(shown: str) -> float:
    return float(shown.replace("−", "-").removeprefix("× "))


def recomputes(found: BeamCandidate, step: BeamStep | None, gamma: int | None) -> None:
    """The lines of a card's arithmetic, as somebody with a calculator reads them."""
    lines = beams.arithmetic(found, gamma)
    (last, score), shown = lines[-1], dict(lines)
    if found.carried:
        assert step is not None and found.parent is not None
        assert abs(number(score) - step.kept[found.parent].score) <= NEAR
        return
    cosine = next(number(value) for name, value in lines if "cosine to the query" in name)
    assert last == "= score"
    if step is None:
        assert abs(number(score) - cosine) <= NEAR
        return
    assert found.parent is not None
    assert abs(number(shown["beam so far"]) - step.kept[found.parent].score) <= NEAR
    assert abs(number(shown["beam so far"]) + cosine - number(shown["= sum"])) <= NEAR
    name, factor = lines[-2]
    weight = _PLACE.fullmatch(name)
    expected = 1.0
    if weight:
        n, top, below, place = map(int, weight.groups())
        assert (top, below, place) == (gamma, gamma, n + 1)
        expected = math.exp(-min(n, top) / below)
    assert abs(number(factor) - expected) <= NEAR
    assert abs(number(shown["= sum"]) * number(factor) - number(score)) <= NEAR


def table_recomputes(rows: list[dict[str, Any]]) -> None:
    """The lines of the table that says the same as the graph, as it prints them."""
    places = labels.columns(rows)
    for row in rows:
        printed = {
            name: float(f"{value:.{places.get(name, labels.USUAL)}f}")
            for name, value in row.items()
            if isinstance(value, float)
        }
        if row["state"] == "no neighbour left":
            assert printed["previous"] == printed["sum"] == printed["score"]
        elif "weight" in row:  # not of those that only a score is kept of
            assert abs(printed["previous"] + printed["cosine"] - printed["sum"]) <= NEAR
            assert abs(printed["sum"] * printed["weight"] - printed["score"]) <= NEAR, row


@pytest.mark.parametrize(
    ("method", "set_to"),
    [
        ("sync_ge", {}),
        ("naive_ge", {"gamma": "none"}),
        ("gear", {"gamma": 3, "length": 3}),
        ("ircot:sync_ge", {}),
    ],
)
def test_a_beam_row_recomputes_to_a_millionth(
    demo: Workspace, method: str, set_to: dict[str, str | int]
) -> None:
    rows = 0
    for question in demo.collections["demo"].questions():
        events = demo.ask(question.question, "demo", method, settings=set_to).events
        begun = RunTrace.of(events).start
        assert begun is not None
        gamma = beams.gamma_of(begun.settings)
        for event in events:
            if isinstance(event, Expanded):
                rows += recompute(event, gamma)
    assert rows > 500


def recompute(event: Expanded, gamma: int | None) -> int:
    """Check every candidate of a search, as a card and as a line of the table; how many."""
    before: BeamStep | None = None
    for step in event.steps:
        for found in (*step.kept, *step.pruned):
            recomputes(found, before, gamma)
        before = step
    table_recomputes(beams.rows(event, (), gamma))
    return sum(len(step.kept) + len(step.pruned) for step in event.steps)
