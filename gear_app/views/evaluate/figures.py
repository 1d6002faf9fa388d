"""The figures of an evaluation as HTML and SVG: the same in the page and in a report.

Colours are the palette's variables, and shape always says the same: the baseline is a diamond with
a dotted line, a hollow dot cannot be told from it, a thin line is the perfect reader. What can be
chosen has `data-pick` (evaluate.selection).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from gear_app.analysis.metrics import Interval
from gear_app.evaluate.breakdown import (
    IterationMeans,
    Overlap,
    QuestionGroup,
    Share,
    burial,
    deep_recall,
    positions,
    rounds,
)
from gear_app.evaluate.comparison import Measured
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.evaluate.service import PERFECT
from gear_app.text import count
from gear_app.views.compare.charts import spread
from gear_app.views.evaluate.words import label, long_name
from gear_app.views.markup import Html, tag

STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
WIDE, HIGH = 560, 250  # of a figure of lines
LEFT, RIGHT, TOP, BOTTOM = 40, 170, 12, 46
LETTERS = 26
LABEL = 35  # of a dot: how wide it is at most, in per cent of its cell


class Look(NamedTuple):
    """What a visitor looks at: the highlighted method and the cut-off."""

    highlight: str
    k: int


def picked(pick: Pick, *children: object, class_: str = "", title: str = "") -> Html:
    """Something that can be chosen."""
    return tag(
        "button",
        *children,
        type="button",
        class_=class_ or None,
        data_pick=str(pick),
        title=title or None,
        aria_label=None if children else title,
    )


def order(results: Results) -> list[str]:
    """The methods, that with the highest recall first."""
    evaluation = results.evaluation
    first = f"recall@{evaluation.ks[0]}"
    means = {
        words: found.mean.value if (found := results.comparison.of(words, first)) else -1.0
        for words in evaluation.methods
    }
    return sorted(evaluation.methods, key=lambda words: -means[words])


def _kind(results: Results, words: str, look: Look) -> str:
    """The class of a row: the baseline, the highlighted method, or another."""
    if words == results.comparison.baseline:
        return "base"
    return "hot" if words == look.highlight else ""


# Dots


def dots(results: Results, look: Look) -> Html:
    """One row a method, one column a measure: means with their intervals on common rows."""
    evaluation = results.evaluation
    metrics = [f"recall@{k}" for k in evaluation.ks] + [f"all@{look.k}"]
    scales = {metric: _scale(results, metric) for metric in metrics}
    heads = [
        tag("th", long_name(metric), tag("small", _ceiling_words(results, metric)), scope="col")
        for metric in metrics
    ]
    rows = [
        tag(
            "tr",
            tag("th", label(words), scope="row", dir="auto"),
            *(_dot_cell(results, words, metric, scales[metric]) for metric in metrics),
            class_=_kind(results, words, look) or None,
        )
        for words in order(results)
    ]
    ticks = [tag("td", tag("div", *_ticks(scales[metric]), class_="track")) for metric in metrics]
    return tag(
        "div",
        tag(
            "table",
            tag("thead", tag("tr", tag("th", ""), *heads)),
            tag("tbody", *rows),
            tag("tfoot", tag("tr", tag("th", ""), *ticks)),
            class_="dots",
        ),
        class_="scroll",
    )


def _scale(results: Results, metric: str) -> tuple[float, float]:
    """The least and the greatest value of an axis, at tenths."""
    found = [one.mean for (_, name), one in results.comparison.table.items() if name == metric]
    values = [value for mean in found for value in mean]
    values += [value for value in [_ceiling(results, metric)] if value is not None]
    low = math.floor(min(values, default=0.0) * 10 - 0.2) / 10
    high = math.ceil(max(values, default=1.0) * 10 + 0.2) / 10
    return max(0.0, low), min(1.0, max(high, low + 0.2))


def _at(value: float, scale: tuple[float, float]) -> str:
    low, high = scale
    return f"{100 * (value - low) / (high - low):.2f}%"


def _ticks(scale: tuple[float, float]) -> list[Html]:
    low, high = (round(10 * end) for end in scale)
    step = 1 if high - low <= 5 else 2
    tenths = range(low, high + 1, step)
    return [tag("span", f"{n / 10:.1f}", style=f"left:{_at(n / 10, scale)}") for n in tenths]


def _ceiling(results: Results, metric: str) -> float | None:
    """The perfect reader's mean; None where it is not known for most questions."""
    rows = results.evaluation.ceiling
    name, _, k = metric.partition("@")
    if 2 * len(rows) < len(results.evaluation.questions) or name not in ("recall", "all"):
        return None
    values = [(row.recall if name == "recall" else row.all_recall).get(int(k)) for row in rows]
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(rows) else None


def _ceiling_words(results: Results, metric: str) -> str:
    value = _ceiling(results, metric)
    return "" if value is None else f"{PERFECT} {value:.2f}"


def _dot_cell(results: Results, words: str, metric: str, scale: tuple[float, float]) -> Html:
    found = results.comparison.of(words, metric)
    usual = results.comparison.of(results.comparison.baseline, metric)
    top = _ceiling(results, metric)
    marks = [
        tag("i", class_="line", style=f"left:{_at(n / 10, scale)}")
        for n in range(round(scale[0] * 10), round(scale[1] * 10) + 1)
    ]
    if usual:
        marks.append(tag("i", class_="usual", style=f"left:{_at(usual.mean.value, scale)}"))
    if top is not None:
        marks.append(tag("i", class_="top", style=f"left:{_at(top, scale)}"))
    if found is None:
        return tag("td", tag("div", *marks, tag("span", "not measured"), class_="track"))
    mean = found.mean
    width = float(_at(mean.high, scale)[:-1]) - float(_at(mean.low, scale)[:-1])
    marks.append(tag("i", class_="range", style=f"left:{_at(mean.low, scale)};width:{width:.2f}%"))
    shape = {"": "diamond", "same": "hollow"}.get(found.verdict, "filled")
    marks.append(
        picked(
            Pick("measure", metric, words),
            class_=shape,
            title=_told(results, words, metric, found),
        )
    )
    before = top is not None and _crossed(float(_at(top, scale)[:-1]), mean, scale)
    end = mean.low if before else mean.high
    marks.append(
        tag(
            "span",
            f"{mean.value:.2f}",
            class_="value before" if before else "value",
            style=f"left:{_at(end, scale)}",
        )
    )
    place = f"--x:{_at(mean.value, scale)}"
    return tag("td", tag("div", *marks, class_="track", style=place))


def _crossed(top: float, mean: Interval, scale: tuple[float, float]) -> bool:
    """Whether the perfect reader's line, at `top` per cent, would strike through a label right of
    its interval, and there is room for the label on the left.
    """
    low, high = (float(_at(end, scale)[:-1]) for end in (mean.low, mean.high))
    return high < top < high + LABEL and low >= LABEL


def _told(results: Results, words: str, metric: str, found: Measured) -> str:
    """A dot in words."""
    mean = found.mean
    told = (
        f"{label(words)}, {long_name(metric)}: {mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"
    )
    if found.difference is None or found.corrected is None:
        return told
    return (
        f"{told}; {found.difference.value:+.3f} from {label(results.comparison.baseline)}, p"
        f" {found.corrected:.3f} after Holm"
    )


# Lines


class FigureLine(NamedTuple):
    """A method's values after each iteration; `asking`: how many questions made it."""

    words: str
    values: list[float]
    asking: list[int]


def recall_lines(results: Results, look: Look) -> Html:
    """Recall after every iteration; dotted where nobody asks any more and the value is carried."""
    lines = [
        _line(words, found, "recall")
        for words in order(results)
        if (found := rounds(results.evaluation, words, look.k))
    ]
    return _lines(results, look, lines, f"R@{look.k}")


def token_lines(results: Results, look: Look) -> Html:
    """Mean tokens taken until each iteration (GEAR Fig. 4); of methods that ask a model."""
    lines = [
        _line(words, found, "tokens")
        for words in order(results)
        if (found := rounds(results.evaluation, words, look.k)) and found[-1].tokens
    ]
    return _lines(results, look, lines, "tokens")


def asks_model(results: Results) -> bool:
    """Whether any run took tokens."""
    return any(row.tokens and row.tokens[-1].total for row in results.evaluation.rows)


def _line(words: str, found: Sequence[IterationMeans], what: str) -> FigureLine:
    return FigureLine(words, [getattr(one, what) for one in found], [one.asking for one in found])


def _lines(results: Results, look: Look, lines: Sequence[FigureLine], unit: str) -> Html:
    last = max((len(line.values) for line in lines), default=1)
    values = [value for line in lines for value in line.values] or [0.0, 1.0]
    low, high = (0.0, max(values) or 1.0)
    if unit != "tokens":
        low = max(0.0, math.floor(min(values) * 10 - 0.2) / 10)
        high = min(1.0, math.ceil(max(values) * 10 + 0.2) / 10)
    across = (WIDE - LEFT - RIGHT) / max(1, last - 1)
    up = (HIGH - TOP - BOTTOM) / max(high - low, 1e-9)

    def place(n: int, value: float) -> tuple[float, float]:
        return LEFT + across * (n - 1), HIGH - BOTTOM - up * (value - low)

    drawn = [*_axes(last, low, high, place, unit)]
    drawn += _asking(_most_asking(lines, look), last, across)
    for line in sorted(lines, key=lambda one: one.words == look.highlight):
        drawn += _drawn(line, last, place, _kind(results, line.words, look))
    heights = spread([place(1, line.values[-1])[1] for line in lines], 15)
    for line, height in zip(lines, heights, strict=True):
        words = label(line.words)
        short = words if len(words) <= LETTERS else f"{words[: LETTERS - 1]}…"
        shown = f"{line.values[-1]:,.0f}" if unit == "tokens" else f"{line.values[-1]:.2f}"
        drawn.append(
            tag(
                "text",
                f"{short} {shown}",
                x=f"{WIDE - RIGHT + 12}",
                y=f"{height + 4:.1f}",
                class_=f"name {_kind(results, line.words, look)}".strip(),
            )
        )
    return tag(
        "div",
        tag(
            "svg",
            *drawn,
            viewBox=f"0 0 {WIDE} {HIGH}",
            role="img",
            aria_label=f"{unit} after every iteration",
        ),
        class_="scroll",
    )


def _axes(last: int, low: float, high: float, place: object, unit: str) -> list[Html]:
    assert callable(place)
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


def _asking(line: FigureLine | None, last: int, across: float) -> list[Html]:
    """Under the axis: how many questions of a method make each iteration."""
    if line is None:
        return []
    y = HIGH - BOTTOM + 36
    drawn = [
        tag("text", str(count), x=f"{LEFT + across * n:.1f}", y=y, class_="tick mid")
        for n, count in enumerate(line.asking[:last])
    ]
    name = label(line.words)
    words = f"asking: {name}"
    words = words if len(words) <= LETTERS else f"{words[: LETTERS - 1]}…"
    return [*drawn, tag("text", words, x=WIDE - RIGHT + 12, y=y, class_="tick")]


def _drawn(line: FigureLine, last: int, place: object, kind: str) -> list[Html]:
    """A line, its marks, and the dotted rest of a method that had stopped."""
    assert callable(place)
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
        drawn.append(_mark(end, f"open {kind}".strip(), kind))
    return [*drawn, *(_mark(point, f"mark {kind}".strip(), kind) for point in points)]


def _mark(point: tuple[float, float], class_: str, kind: str) -> Html:
    x, y = point
    if kind == "base":
        corners = [(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)]
        return tag(
            "polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), class_=class_
        )
    return tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r="4.5", class_=class_)


# Bars


def chain_positions(results: Results, look: Look) -> Html:
    """The share of every link's passages that each method misses."""
    evaluation = results.evaluation
    shares = {
        words: positions(evaluation, evaluation.of(words), look.k) for words in order(results)
    }
    perfect = (
        positions(evaluation, evaluation.ceiling, look.k)
        if evaluation.ceiling and look.k in evaluation.ceiling[0].recall
        else []
    )
    count = max((len(found) for found in shares.values()), default=0)
    sizes = next((found for found in shares.values() if len(found) == count), [])
    heads = [
        tag(
            "th",
            tag("b", str(n)),
            tag("small", f"link {n}, {size.of:,} passages"),
            scope="col",
            class_="link",
        )
        for n, size in enumerate(sizes, start=1)
    ]
    rows = [
        tag(
            "tr",
            tag("th", label(words), scope="row", dir="auto"),
            *(_share(Pick("link", str(n), words), one) for n, one in enumerate(found, start=1)),
            class_=_kind(results, words, look) or None,
        )
        for words, found in shares.items()
    ]
    if perfect:
        cells = [tag("td", _bar(one.value), _missed_words(one)) for one in perfect]
        name = tag("th", PERFECT.capitalize(), scope="row")
        rows.append(tag("tr", name, *cells, class_="perfect"))
    return scrolling([tag("th", ""), *heads], rows)


def _share(pick: Pick, share: Share) -> Html:
    title = f"{share.missed} of {share.of} missed"
    return tag("td", _bar(share.value), picked(pick, _missed_words(share), title=title))


def _missed_words(share: Share) -> Html:
    return tag("span", f"{100 * share.value:.0f} %" if share.of else "", class_="number")


def _bar(value: float) -> Html:
    return tag("span", tag("i", style=f"width:{100 * value:.1f}%"), class_="bar")


def scrolling(heads: Sequence[Html], rows: Sequence[Html], kind: str = "bars") -> Html:
    """A table of this kind, which scrolls sideways where there is no room for it."""
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_=kind)
    return tag("div", table, class_="scroll")


def groups(results: Results, found: Sequence[QuestionGroup], look: Look) -> Html:
    """Recall of every method on every kind of question."""
    heads = [
        tag("th", group.name, tag("small", count(group.n, "question")), scope="col")
        for group in found
    ]
    rows = [
        tag(
            "tr",
            tag("th", label(words), scope="row", dir="auto"),
            *(_group_cell(group, words) for group in found),
            class_=_kind(results, words, look) or None,
        )
        for words in order(results)
    ]
    return scrolling([tag("th", ""), *heads], rows)


def _group_cell(group: QuestionGroup, words: str) -> Html:
    value = group.recall.get(words)
    if value is None:
        return tag("td", "")
    number = picked(Pick("kind", group.name, words), tag("span", f"{value:.2f}", class_="number"))
    return tag("td", _bar(value), number)


def buried(results: Results, look: Look) -> Html:
    """At which ranks every method has the gold passages; darker: more of them."""
    evaluation = results.evaluation
    found = {words: burial(evaluation.of(words)) for words in order(results)}
    names = list(next(iter(found.values()), {}))
    heads = [tag("th", name, scope="col") for name in names]
    rows = [
        tag(
            "tr",
            tag("th", label(words), scope="row", dir="auto"),
            *(_heat(Pick("ranks", name, words), n, sum(bins.values())) for name, n in bins.items()),
            class_=_kind(results, words, look) or None,
        )
        for words, bins in found.items()
    ]
    return scrolling([tag("th", "rank"), *heads], rows, "heat")


def deep(results: Results, look: Look) -> Html:
    """Recall as far down as rankings go (BDTR Fig. 4); darker: more."""
    found = {words: deep_recall(results.evaluation.of(words)) for words in order(results)}
    names = list(next((cells for cells in found.values() if cells), {}))
    rows = [
        tag(
            "tr",
            tag("th", label(words), scope="row", dir="auto"),
            *(
                tag("td", f"{value:.2f}", style=f"--share:{100 * value:.0f}%")
                for value in cells.values()
            ),
            class_=_kind(results, words, look) or None,
        )
        for words, cells in found.items()
        if cells
    ]
    heads = [tag("th", f"R@{k}", scope="col") for k in names]
    return scrolling([tag("th", ""), *heads], rows, "heat")


def _heat(pick: Pick, count: int, total: int) -> Html:
    share = count / total if total else 0.0
    return tag("td", picked(pick, f"{count:,}"), style=f"--share:{100 * math.sqrt(share):.0f}%")


def overlapping(found: Overlap, first: str, second: str) -> Html:
    """Four parts of all gold passages: found by both, by one alone, by neither."""
    total = sum(found)
    parts = [
        ("both", found.both, "both find", None),
        ("one", found.first, f"only {label(first)}", Pick("only", second, first)),
        ("other", found.second, f"only {label(second)}", Pick("only", first, second)),
        ("none", found.neither, "neither", None),
    ]
    bars = [
        tag("i", class_=kind, style=f"flex-grow:{count}", title=f"{words}: {count}")
        for kind, count, words, _ in parts
        if count
    ]
    rows = [
        tag(
            "li",
            tag("i", class_=kind),
            words,
            " ",
            picked(pick, f"{count:,}") if pick else tag("b", f"{count:,}"),
            f" ({100 * count / total:.0f} %)" if total else "",
        )
        for kind, count, words, pick in parts
    ]
    return tag("div", tag("div", *bars, class_="parts"), tag("ul", *rows), class_="overlap")


def heat_of(value: float, values: Mapping[str, float]) -> str:
    """How dark a cell is among others, as a percentage."""
    low, high = min(values.values()), max(values.values())
    return f"{100 * (value - low) / (high - low):.0f}%" if high > low else "0%"
