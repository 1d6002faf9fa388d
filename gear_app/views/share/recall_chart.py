"""Recall after every iteration as an SVG of a few hundred bytes, for a page that has no plotly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app.text import cut
from gear_app.views.compare.charts import LABEL, LETTER, LETTERS, spread
from gear_app.views.markup import Html, join, tag

PLOT = 250  # units the plotting area is wide
HEIGHT = 150  # and high
LEFT, TOP, BELOW = 32, 12, 36  # around it
END = 12  # from the last point to its label


class RecallLine(NamedTuple):
    """A method's recall after each of its iterations, from the first; `strong`: it is what the
    chart is about. One that ended early goes on as a dotted line.
    """

    label: str
    recalls: Sequence[float]
    strong: bool = False


def recall_chart(lines: Sequence[RecallLine], k: int) -> Html:
    """The lines with their names at their ends; what it shows is said in words as well."""
    last = max(len(line.recalls) for line in lines)
    names = [cut(line.label, LETTERS) for line in lines]
    width = LEFT + PLOT + END + LETTER * max(map(len, names)) + 4
    height = TOP + HEIGHT + BELOW
    heights = spread([_y(line.recalls[-1]) for line in lines], LABEL)
    down = max(0.0, max(heights) - (TOP + HEIGHT + 6))  # none below the axis
    words = "; ".join(
        f"{line.label}: {', '.join(f'{one:.2f}' for one in line.recalls)}" for line in lines
    )
    return tag(
        "svg",
        _axes(last),
        join(_line(line, last) for line in sorted(lines, key=lambda one: one.strong)),
        join(
            tag(
                "text",
                name,
                x=LEFT + PLOT + END,
                y=round(place - down + 4, 1),
                class_="gear-chart-strong" if line.strong else None,
            )
            for line, name, place in zip(lines, names, heights, strict=True)
        ),
        viewBox=f"0 0 {width:.0f} {height}",
        width=f"{width:.0f}",
        class_="gear-chart",
        role="img",
        aria_label=f"Recall at {k} after each iteration. {words}",
    )


def _x(iteration: int, last: int) -> float:
    """The place of an iteration, from 1; of a single one in the middle."""
    if last == 1:
        return LEFT + PLOT / 2
    return round(LEFT + 8 + (PLOT - 8) * (iteration - 1) / (last - 1), 1)


def _y(recall: float) -> float:
    return round(TOP + HEIGHT * (1 - recall), 1)


def _axes(last: int) -> Html:
    levels = (0.0, 0.5, 1.0)
    rules = [
        tag("line", x1=LEFT, x2=LEFT + PLOT, y1=_y(one), y2=_y(one), class_="gear-chart-rule")
        for one in levels
    ]
    said = [
        tag("text", f"{one:.1f}", x=LEFT - 6, y=_y(one) + 4, class_="gear-chart-level")
        for one in levels
    ]
    under = TOP + HEIGHT
    ticks = [
        tag("text", n, x=_x(n, last), y=under + 17, class_="gear-chart-tick")
        for n in range(1, last + 1)
    ]
    name = tag("text", "iteration", x=LEFT + PLOT / 2, y=under + 33, class_="gear-chart-tick")
    return join([*rules, *said, *ticks, name])


def _line(line: RecallLine, last: int) -> Html:
    kind = "gear-chart-strong" if line.strong else "gear-chart-other"
    points = [(_x(n, last), _y(one)) for n, one in enumerate(line.recalls, start=1)]
    path = " ".join(f"{x},{y}" for x, y in points)
    parts = [tag("polyline", points=path, class_=kind)]
    end = points[-1]
    if len(points) < last:
        x, y = end
        parts.append(
            tag("line", x1=x, x2=_x(last, last), y1=y, y2=y, class_=f"{kind} gear-chart-rest")
        )
    for (x, y), recall in zip(points, line.recalls, strict=True):
        title = tag("title", f"{line.label}: {recall:.2f}")
        parts.append(tag("circle", title, cx=x, cy=y, r=4 if line.strong else 3, class_=kind))
    return tag("g", *parts)
