"""Every figure has its table: in every card of every step of every method's reviewed trace, and
wherever plotly draws.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import gear_app
from gear_app.analysis import timeline
from gear_app.analysis.paths import scored
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, from_row
from gear_app.retrievers import METHODS
from gear_app.step_views import step
from gear_app.step_views.blocks import Block, PictureBlock, RankingBlock, TableBlock
from gear_app.views import rankings
from gear_app.views.share.run import RunShown
from tests.views.compared import run

GOLDEN = Path(__file__).parents[1] / "golden"
PACKAGE = Path(gear_app.__file__).parent


def trace(method: str) -> list[Event]:
    """A method's events, as they were reviewed."""
    lines = (GOLDEN / f"{method}.jsonl").read_text(encoding="utf-8").splitlines()
    return [from_row(json.loads(line)) for line in lines]


def without_table(blocks: Sequence[Block]) -> list[str]:
    """The figures that no table follows before the next one."""
    bare: list[str] = []
    waiting = ""
    for block in blocks:
        if isinstance(block, PictureBlock | RankingBlock):
            bare += [waiting] if waiting else []
            waiting = block.name
        elif isinstance(block, TableBlock):
            assert block.rows(), f"the table of {waiting} is empty"
            waiting = ""
    return bare + ([waiting] if waiting else [])


@pytest.mark.parametrize("method", [*METHODS, "ircot-hipporag"])
def test_every_figure_of_a_step_is_followed_by_its_table(method: str) -> None:
    events = trace(method)
    shown = RunShown(run("shown", method), RunTrace(events), {})
    steps = timeline.steps(events)
    seen = 0
    for one in steps:
        scene = shown.scene(one, steps)
        blocks = [block for _, block in step.card(scene)] + step.view_of(scene).below(5, None)
        assert without_table(blocks) == [], one.verb
        seen += sum(isinstance(block, PictureBlock | RankingBlock) for block in blocks)
    assert seen  # each method has at least the picture of its ranking


def test_a_chart_is_drawn_only_where_its_table_is_drawn_too() -> None:
    """Streamlit's charts are called in one place, which cannot be called without a table."""
    charts = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr.endswith("_chart") and node.attr[0] != "_"
        if isinstance(node.value, ast.Name) and node.value.id == "st"
    ]
    assert charts == ["ui/shared/elements.py"]


RECIPROCAL = re.compile(r"1/\((-?\d+) \+ (\d+)\) = (\d+\.\d+)")


@pytest.mark.parametrize("method", [*METHODS, "ircot-hipporag"])
def test_what_is_told_as_the_reciprocal_of_a_rank_is_one(method: str) -> None:
    for event in trace(method):
        for line in scored(event):
            for part in line.parts:
                told = rankings.term(part, way=rankings.way_of(event))
                for constant, rank, value in RECIPROCAL.findall(told):
                    assert int(rank) > 0 and int(constant) >= 0
                    assert float(value) == pytest.approx(1 / (int(constant) + int(rank)), abs=1e-6)
