"""Room on the page for our components until the browser has drawn them, so that what stands below
does not move. The heights are those that the files of gear_app/ui/frontend draw on a wide screen;
where words need more lines than one, a component grows beyond them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

Data = Mapping[str, Any]

BEAM_HEAD, BEAM_ROW, BEAM_FOOT = 30, 60, 26
FLOW_HEAD, FLOW_GAP, FLOW_FOOT = 28, 7, 22
PLAIN_CARD, NOTED_CARD, LANE, RULE = 30, 42, 9, 30
RANKING_LEGEND, RANKING_HEAD, RANKING_ROW, TERM, SUM_EDGE = 28, 27, 29.8, 20, 10
ALIGNED_HEAD, ALIGNED_ROW, ALIGNED_EDGE = 67, 27, 36
GRID_HEAD, GRID_ROW = 28, 31
CHOICE = 45
NEIGHBOURHOOD = 350  # on a phone, and a line of buttons more where it is wide
TASK_HEAD, TASK_OPTION = 46, 46
PICKER_HEAD, PICKER_ROW, PICKER_OF_WINDOW = 92, 31, 60
MARKUP_ROW = 27


def keep(key: str, height: float | str) -> None:
    """Keep room of so many pixels, or of a CSS length, for the component with this key."""
    name = re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())  # as Streamlit makes a class of a key
    length = height if isinstance(height, str) else f"{int(height)}px"
    st.html(f"<style>.st-key-{name}{{min-height:{length}}}</style>")


def beam(graph: Data) -> float:
    """The height of a beam graph."""
    rows = max([1, *(len(column["cards"]) for column in graph["columns"])])
    return BEAM_HEAD + rows * BEAM_ROW + BEAM_FOOT


def flow(graph: Data) -> float:
    """The height of columns of cards with lines between them."""
    tall = [sum(_places(column)) for column in graph["columns"]]
    return FLOW_HEAD + max([PLAIN_CARD, *tall]) + FLOW_FOOT


def _places(column: Data) -> Iterable[int]:
    """What each thing in a column takes: a card, the way of a line past it, a line across."""
    card = NOTED_CARD if any(one.get("note") for one in column["cards"]) else PLAIN_CARD
    for id_ in column["order"]:
        if id_ == "rule":
            yield RULE + FLOW_GAP
        elif id_.startswith("lane "):
            yield LANE + FLOW_GAP
        else:
            yield card + FLOW_GAP


def ranking(lines: Data, selected: object) -> float:
    """The height of a ranking in which the passage of this id is open."""
    legend = RANKING_LEGEND if lines["legend"] else 0
    opened = [one for one in lines["lines"] if one["id"] == selected and one["parts"]]
    sums = sum(TERM * (len(one["parts"]) + 1) + SUM_EDGE for one in opened)
    return float(legend + RANKING_HEAD + RANKING_ROW * len(lines["lines"]) + sums)


def aligned(lines: Data) -> float:
    """The height of rankings side by side: their ranks, and the gold that is further down."""
    depth, below = lines["rows"], []
    for place, column in enumerate(lines["columns"]):
        ranks = [one["ranks"][place] for one in lines["passages"] if one["gold"]]
        low = sum(1 for rank in ranks if not rank or rank > depth)
        below.append(low if column["state"] == "done" else 0)
    return float(ALIGNED_HEAD + ALIGNED_ROW * (depth + max([0, *below])) + ALIGNED_EDGE)


def grid(rows: int) -> float:
    """The height of a table whose cells lead into runs."""
    return GRID_HEAD + GRID_ROW * rows


def markup(html: str) -> float:
    """About the height of an evaluation's figure: its rows that are not folded away, or its SVG."""
    seen = html.partition("<details")[0]
    drawn = [float(high) for high in re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', seen)]
    return MARKUP_ROW * seen.count("<tr") + sum(drawn)


def task(options: int) -> int:
    """The height of a lesson's task that is asked in two lines and not answered yet."""
    return TASK_HEAD + TASK_OPTION * options


def picker(rows: int) -> str:
    """The height of a table to pick from: its rows scroll from a part of the window's height on."""
    return f"calc({PICKER_HEAD}px + min({PICKER_ROW * rows}px, {PICKER_OF_WINDOW}vh))"
