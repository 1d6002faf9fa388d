"""A chart of lines over iterations as SVG: the one drawing of recall after every iteration, for
pages, shared pages and reports.

Its colours and strokes are in chart.css. What can be chosen has `data-pick`; the same numbers are
in the table beside a chart, for who has no pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gear_app.rendering.values import AxisCounts, Chart, Series
from gear_app.text import cut
from gear_app.views.markup import Html, tag

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
LABEL = 15  # units a name is high
LETTER = 6.6  # units a letter is wide, on average
LETTERS = 34  # of a name beside a line; the table beside the figure has all of it
SHORT = 25  # of one with its value after it
NEXT = 12  # from the end of the axis to the names
MARK = 8  # beyond the last iteration, for its marks


class Frame(NamedTuple):
    """The plotting area, by its left, top, width and height; what is below it; and the axes."""

    left: float
    top: float
    wide: float
    high: float
    below: float
    last: int
    low: float
    least: float

    def x(self, n: int) -> float:
        """The place of an iteration, from 1; a single one is in the middle."""
        if self.last == 1:
            return self.left + self.wide / 2
        return round(self.left + 8 + (self.wide - 8) * (n - 1) / (self.last - 1), 1)

    def y(self, value: float) -> float:
        """The height of a value."""
        return round(self.top + self.high * (1 - (value - self.low) / self.least), 1)


def _frame(chart: Chart) -> Frame:
    low, high = chart.levels[0], chart.levels[-1]
    extent = (high - low) or 1.0
    below = 46 if chart.counts else 36
    if chart.wide:
        return Frame(40, 12, 350, 192, below, chart.end, low, extent)
    return Frame(32, 12, 250, 150, below, chart.end, low, extent)


def chart(one: Chart) -> Html:
    """The lines with their names at their ends; below, for where there is no room beside the lines,
    the names again with what is said of them.
    """
    frame = _frame(one)
    ends = [(series.name, series.values[-1], series.kind) for series in one.series if series.values]
    ends += [(one.ceiling.name, one.ceiling.value, "tick")] if one.ceiling else []
    names = [_name(one, name, value) for name, value, _ in ends]
    right = NEXT + LETTER * max([*map(len, names), 9]) + 4
    width, height = frame.left + frame.wide + right, frame.top + frame.high + frame.below
    series = sorted(one.series, key=lambda line: line.kind == "hot")
    drawn = [
        *_axes(one, frame),
        *(_counts(one.counts, frame) if one.counts else []),
        *(_line(line, frame, one.format) for line in series if line.values),
    ]
    if one.ceiling:
        y = frame.y(one.ceiling.value)
        end = frame.left + frame.wide
        drawn.append(tag("line", x1=frame.left - 6, x2=end, y1=y, y2=y, class_="top"))
    heights = spread([frame.y(value) for _, value, _ in ends], LABEL, frame.top)
    down = max(0.0, max(heights, default=0.0) - (frame.top + frame.high + 6))
    drawn += [
        tag(
            "text",
            name,
            x=round(frame.left + frame.wide + NEXT, 1),
            y=round(place - down + 4, 1),
            class_=f"name {kind}".strip(),
        )
        for name, (_, _, kind), place in zip(names, ends, heights, strict=True)
    ]
    figure = tag(
        "svg",
        *drawn,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        class_="gear-chart",
        role="img",
        aria_label=_told(one),
    )
    if not one.notes:
        return figure
    kinds = [kind or None for _, _, kind in ends]
    below = [tag("li", name, class_=kind) for name, kind in zip(names, kinds, strict=True)]
    below += [tag("li", words, class_="tick") for words in one.notes]
    whole = width / (frame.left + frame.wide + MARK)  # where there is room up to the marks
    return tag(
        "div",
        tag("div", figure, class_="scroll"),
        tag("ul", *below),
        class_="course",
        style=f"--whole: {whole:.3f}",
    )


def _name(one: Chart, name: str, value: float) -> str:
    """A line's name; in a wide chart with its last value."""
    if not one.wide:
        return cut(name, LETTERS)
    return f"{cut(name, SHORT)} {value:{one.format}}"


def _told(one: Chart) -> str:
    """What the chart shows, in words."""
    lines = [
        f"{line.name}: {', '.join(f'{value:{one.format}}' for value in line.values)}"
        for line in one.series
    ]
    return f"{one.words}. {'; '.join(lines)}"


def _axes(one: Chart, frame: Frame) -> list[Html]:
    drawn = []
    printed = ",.0f" if one.format == ",.0f" else ".1f"
    for level in one.levels:
        y = frame.y(level)
        ends = {"x1": frame.left - 6, "x2": frame.left + frame.wide, "y1": y, "y2": y}
        drawn.append(tag("line", class_="grid", **ends))
        at = {"x": frame.left - 10, "y": round(y + 4, 1)}
        drawn.append(tag("text", f"{level:{printed}}", class_="tick end", **at))
    under = frame.top + frame.high + 18
    for n in range(1, frame.last + 1):
        drawn.append(tag("text", str(n), x=frame.x(n), y=under, class_="tick mid"))
    end = frame.left + frame.wide + NEXT
    return [*drawn, tag("text", "iteration", x=end, y=under, class_="tick")]


def _counts(counts: AxisCounts, frame: Frame) -> list[Html]:
    y = frame.top + frame.high + 36
    drawn = [
        tag("text", str(number), x=frame.x(n), y=y, class_="tick mid", data_pick=pick)
        for n, (number, pick) in enumerate(zip(counts.numbers, counts.picks, strict=True), start=1)
    ]
    words = cut(counts.words, SHORT)
    return [*drawn, tag("text", words, x=frame.left + frame.wide + NEXT, y=y, class_="tick")]


def _line(line: Series, frame: Frame, printed: str) -> Html:
    """A line, its marks, and the dotted rest of one that had ended."""
    points = [(frame.x(n), frame.y(value)) for n, value in enumerate(line.values, start=1)]
    path = " ".join(f"{x},{y}" for x, y in points)
    drawn = [tag("polyline", points=path, class_=f"stroke {line.kind}".strip())]
    picks = [*line.picks, *[""] * (len(points) + 1 - len(line.picks))]
    if len(points) < frame.last:
        (x, y), end = points[-1], frame.x(frame.last)
        class_ = f"carried {line.kind}".strip()
        drawn.append(tag("line", x1=x, x2=end, y1=y, y2=y, class_=class_))
        if line.picks:
            drawn.append(_mark((end, y), f"open {line.kind}", picks[-1]))
    for n, (point, value) in enumerate(zip(points, line.values, strict=True), start=1):
        words = f"{line.name}: {value:{printed}}"
        kind = f"mark {line.kind}"
        drawn.append(_mark(point, kind, picks[n - 1], words, large=n == line.now))
    return tag("g", *drawn)


def _mark(
    point: tuple[float, float], kind: str, pick: str, words: str = "", *, large: bool = False
) -> Html:
    """A mark that says what it is, and can be chosen where it leads to something."""
    x, y = point
    title = [tag("title", words)] if words else []
    shared = {"class_": kind.strip(), "data_pick": pick or None}
    if kind.endswith("base"):
        corners = [(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)]
        place = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        return tag("polygon", *title, points=place, **shared)
    return tag("circle", *title, cx=x, cy=y, r=6 if large else 4.5, **shared)


def spread(heights: Sequence[float], gap: float, least: float = -inf) -> list[float]:
    """The heights moved apart until neighbours are at least `gap` from each other, none below
    `least`.

    The order is kept, ties too; the sum of squared moves is the least possible.
    """
    from scipy.optimize import isotonic_regression  # late: slow to import, and only this needs it

    if not heights:
        return []
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    moved = np.empty(len(heights))
    apart = isotonic_regression(np.take(heights, order) - steps).x
    moved[order] = np.maximum(apart, least) + steps
    return [float(height) for height in moved]
