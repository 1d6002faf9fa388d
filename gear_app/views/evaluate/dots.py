"""Means with their intervals on common rows: one row a method, one column a measure."""

from __future__ import annotations

import math

from gear_app.analysis.metrics import Interval
from gear_app.evaluate.breakdown import ceiling_is_whole, ceiling_mean
from gear_app.evaluate.comparison import Measured
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.views.evaluate.figures import Look, method_row, order, picked
from gear_app.views.evaluate.words import known_of, label, long_name, mean_words
from gear_app.views.markup import Html, tag, term

LABEL = 44  # of a dot: how wide it is at most, in per cent of its cell


def dots(results: Results, look: Look) -> Html:
    """One row a method, one column a measure: means with their intervals on common rows."""
    evaluation = results.evaluation
    metrics = [f"recall@{k}" for k in evaluation.ks] + [f"all@{look.k}"]
    scales = {metric: _scale(results, metric) for metric in metrics}
    heads = [
        tag("th", long_name(metric), tag("small", *_ceiling_words(results, metric)), scope="col")
        for metric in metrics
    ]
    rows = [
        method_row(
            results,
            words,
            look,
            [_dot_cell(results, words, metric, scales[metric]) for metric in metrics],
        )
        for words in order(results)
    ]
    ticks = [tag("td", tag("div", *_ticks(scales[metric]), class_="track")) for metric in metrics]
    table = tag(
        "table",
        tag("thead", tag("tr", tag("th", ""), *heads)),
        tag("tbody", *rows),
        tag("tfoot", tag("tr", tag("th", ""), *ticks)),
        class_="dots",
    )
    return tag("div", table, class_="scroll")


def _scale(results: Results, metric: str) -> tuple[float, float]:
    """The least and the greatest value of an axis, at tenths."""
    found = [one.mean for (_, name), one in results.comparison.table.items() if name == metric]
    values = [value for mean in found for value in mean]
    top = _ceiling(results, metric)
    values += [] if top is None else [top]
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
    """Where the perfect reader's line is; None where its questions are not those of the dots."""
    evaluation = results.evaluation
    return ceiling_mean(evaluation, metric) if ceiling_is_whole(evaluation) else None


def shows_ceiling(results: Results) -> bool:
    """Whether any measure has the perfect reader's line."""
    return any(_ceiling(results, f"recall@{k}") is not None for k in results.evaluation.ks)


def _ceiling_words(results: Results, metric: str) -> list[object]:
    value = ceiling_mean(results.evaluation, metric)
    if value is None:
        return []
    number = picked(Pick("measure", metric, PERFECT), mean_words(value))
    return [term(PERFECT), " ", number, known_of(results)]


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
        marks.append(tag("span", "not measured", class_="value"))
        return tag("td", tag("div", *marks, class_="track"))
    mean = found.mean
    width = float(_at(mean.high, scale)[:-1]) - float(_at(mean.low, scale)[:-1])
    marks.append(tag("i", class_="range", style=f"left:{_at(mean.low, scale)};width:{width:.2f}%"))
    shape = "filled" if found.verdict in ("above", "below") else "hollow"
    if words == results.comparison.baseline:
        shape = "diamond"
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
            mean_words(mean.value),
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
