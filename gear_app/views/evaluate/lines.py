"""What every iteration adds, as lines: recall, and tokens taken until then."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gear_app.evaluate.breakdown import IterationMeans, ceiling_is_whole, ceiling_mean, rounds
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.views.compare.charts import spread
from gear_app.views.evaluate.figures import Look, kind_of, order
from gear_app.views.evaluate.words import known_of, label, mean_words
from gear_app.views.markup import Html, tag

WIDE, HIGH = 560, 250  # of a figure of lines
LEFT, RIGHT, TOP, BOTTOM = 40, 170, 12, 46
LETTERS = 25
MARK = 8  # beyond the last iteration, for its marks


Place = Callable[[int, float], tuple[float, float]]  # of an iteration and a value in the figure


class FigureLine(NamedTuple):
    """A method's values after each iteration; `asking`: how many questions made it; `kind`: of the
    numbers' lists.
    """

    words: str
    values: list[float]
    asking: list[int]
    kind: str


def recall_lines(results: Results, look: Look) -> Html:
    """Recall after every iteration; dotted where nobody asks any more and the value is carried."""
    lines = [
        _line(words, found, "recall", "round")
        for words in order(results)
        if (found := rounds(results.evaluation, words, look.k))
    ]
    evaluation = results.evaluation
    best, whole = ceiling_mean(evaluation, f"recall@{look.k}"), ceiling_is_whole(evaluation)
    aside = "" if best is None or whole else f"{PERFECT}{known_of(results)}: {mean_words(best)}"
    return _lines(results, look, lines, f"R@{look.k}", best if whole else None, aside)


def token_lines(results: Results, look: Look) -> Html:
    """Mean tokens taken until each iteration (GEAR Fig. 4); of methods that ask a model."""
    lines = [
        _line(words, found, "tokens", "tokens")
        for words in order(results)
        if (found := rounds(results.evaluation, words, look.k)) and found[-1].tokens
    ]
    return _lines(results, look, lines, "tokens")


def asks_model(results: Results) -> bool:
    """Whether any run took tokens."""
    return any(row.tokens and row.tokens[-1].total for row in results.evaluation.rows)


def _line(words: str, found: Sequence[IterationMeans], what: str, kind: str) -> FigureLine:
    values, asking = [getattr(one, what) for one in found], [one.asking for one in found]
    return FigureLine(words, values, asking, kind)


def _lines(
    results: Results,
    look: Look,
    lines: Sequence[FigureLine],
    unit: str,
    top: float | None = None,
    aside: str = "",
) -> Html:
    """The lines with their axes and names; `top`: where the perfect reader's thin one is, `aside`
    what is said of it where it has none, since its questions are others.
    """
    last = max((len(line.values) for line in lines), default=1)
    values = [value for line in lines for value in line.values] or [0.0, 1.0]
    values += [] if top is None else [top]
    low, high = (0.0, max(values) or 1.0)
    if unit != "tokens":
        low = max(0.0, math.floor(min(values) * 10 - 0.2) / 10)
        high = min(1.0, math.ceil(max(values) * 10 + 0.2) / 10)
    across = (WIDE - LEFT - RIGHT) / max(1, last - 1)
    up = (HIGH - TOP - BOTTOM) / max(high - low, 1e-9)

    def place(n: int, value: float) -> tuple[float, float]:
        return LEFT + across * (n - 1), HIGH - BOTTOM - up * (value - low)

    drawn = [*_axes(last, low, high, place, unit)]
    longest = _most_asking(lines, look)
    drawn += _asking(longest, last, across)
    for line in sorted(lines, key=lambda one: one.words == look.highlight):
        drawn += _drawn(line, last, place, kind_of(results, line.words, look))
    ends = [
        (label(line.words), line.values[-1], kind_of(results, line.words, look)) for line in lines
    ]
    if top is not None:
        y = f"{place(1, top)[1]:.1f}"
        drawn.append(tag("line", x1=LEFT - 6, x2=WIDE - RIGHT, y1=y, y2=y, class_="top"))
        ends.append((PERFECT, top, "tick"))
    drawn += _names(ends, place, unit)
    named = [tag("li", _end(name, value, unit), class_=kind) for name, value, kind in ends]
    named += [tag("li", aside, class_="tick")] if aside else []
    named.append(tag("li", f"under the axis: iterations{_of_whom(longest)}", class_="tick"))
    figure = tag(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDE} {HIGH}",
        role="img",
        aria_label=f"{unit} after every iteration",
    )
    return tag(
        "div",
        tag("div", figure, class_="scroll"),
        tag("ul", *named),
        class_="course",
        style=f"--whole: {WIDE / (WIDE - RIGHT + MARK):.3f}",  # where there is room up to the marks
    )


def _end(name: str, value: float, unit: str) -> str:
    """A line's name with its last value."""
    return f"{_short(name)} {f'{value:,.0f}' if unit == 'tokens' else mean_words(value)}"


def _names(ends: Sequence[tuple[str, float, str]], place: Place, unit: str) -> list[Html]:
    """Beside the lines, none over another or above them: (name, last value, class) of each."""
    heights = spread([place(1, value)[1] for _, value, _ in ends], 15, TOP)
    return [
        tag(
            "text",
            _end(name, value, unit),
            x=f"{WIDE - RIGHT + 12}",
            y=f"{height + 4:.1f}",
            class_=f"name {kind}".strip(),
        )
        for (name, value, kind), height in zip(ends, heights, strict=True)
    ]


def _short(words: str) -> str:
    return words if len(words) <= LETTERS else f"{words[: LETTERS - 1]}…"


def _axes(last: int, low: float, high: float, place: Place, unit: str) -> list[Html]:
    count = max(1, round((high - low) * 10)) if unit != "tokens" else 4
    drawn = []
    for n in range(count + 1):
        value = low + (high - low) * n / count
        _, y = place(1, value)
        shown = f"{value:,.0f}" if unit == "tokens" else f"{value:.1f}"
        ends = {"x1": LEFT - 6, "x2": WIDE - RIGHT, "y1": f"{y:.1f}", "y2": f"{y:.1f}"}
        drawn.append(tag("line", class_="grid", **ends))
        drawn.append(tag("text", shown, x=LEFT - 10, y=f"{y + 4:.1f}", class_="tick end"))
    for n in range(1, last + 1):
        x, _ = place(n, low)
        drawn.append(tag("text", str(n), x=f"{x:.1f}", y=HIGH - BOTTOM + 18, class_="tick mid"))
    drawn.append(tag("text", "iteration", x=WIDE - RIGHT + 12, y=HIGH - BOTTOM + 18, class_="tick"))
    return drawn


def _most_asking(lines: Sequence[FigureLine], look: Look) -> FigureLine | None:
    """The highlighted method where it iterates, else the one that iterates longest."""
    iterating = [line for line in lines if len(line.values) > 1]
    chosen = [line for line in iterating if line.words == look.highlight]
    return next(iter(chosen), max(iterating, key=lambda one: len(one.values), default=None))


def _of_whom(line: FigureLine | None) -> str:
    return f", and how many questions {label(line.words)} still asks" if line else ""


def _asking(line: FigureLine | None, last: int, across: float) -> list[Html]:
    """Under the axis: how many questions of a method make each iteration."""
    if line is None:
        return []
    y = HIGH - BOTTOM + 36
    drawn = [
        tag(
            "text",
            str(count),
            x=f"{LEFT + across * n:.1f}",
            y=y,
            class_="tick mid",
            data_pick=Pick("asking", str(n + 1), line.words),
        )
        for n, count in enumerate(line.asking[:last])
    ]
    words = _short(f"asking: {label(line.words)}")
    return [*drawn, tag("text", words, x=WIDE - RIGHT + 12, y=y, class_="tick")]


def _drawn(line: FigureLine, last: int, place: Place, kind: str) -> list[Html]:
    """A line, its marks, and the dotted rest of a method that had stopped."""
    points = [place(n, value) for n, value in enumerate(line.values, start=1)]
    drawn = [
        tag(
            "polyline",
            points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
            class_=f"stroke {kind}".strip(),
        )
    ]
    if len(line.values) < last:
        end = place(last, line.values[-1])
        ends = zip(("x1", "y1", "x2", "y2"), (*points[-1], *end), strict=True)
        rest = {name: f"{value:.1f}" for name, value in ends}
        drawn.append(tag("line", class_=f"carried {kind}".strip(), **rest))
        drawn.append(_mark(end, "open", kind, Pick(line.kind, str(last), line.words)))
    return drawn + [
        _mark(point, "mark", kind, Pick(line.kind, str(n), line.words))
        for n, point in enumerate(points, start=1)
    ]


def _mark(point: tuple[float, float], shape: str, kind: str, pick: Pick) -> Html:
    """A mark that can be chosen. By keyboard the same number is chosen in the table below."""
    (x, y), class_ = point, f"{shape} {kind}".strip()
    if kind == "base":
        corners = [(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        return tag("polygon", points=points, class_=class_, data_pick=pick)
    return tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r="4.5", class_=class_, data_pick=pick)
