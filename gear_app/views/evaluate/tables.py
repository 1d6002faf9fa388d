"""The tables and charts of an evaluation as values (gear_app.rendering): one row a method, the
perfect reader in the last, and any number leads to the questions behind it (evaluate.selection).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from gear_app.analysis.metrics import Interval
from gear_app.evaluate.breakdown import (
    ceiling_is_whole,
    ceiling_mean,
    share_of_gap,
)
from gear_app.evaluate.comparison import Measured
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.question_set import BeforeAfter
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.rendering.values import (
    EMPTY,
    Axis,
    Cell,
    GlossaryTerm,
    Mark,
    Range,
    Table,
    TableRow,
    Words,
)
from gear_app.views import glossary
from gear_app.views.evaluate.words import (
    MEASURES,
    known_of,
    label,
    long_name,
    mean_words,
    measure_name,
    share_words,
)
from gear_app.views.labels import dollars

MARKS = {
    "above": Mark("▲", "above", "above the baseline"),
    "below": Mark("▼", "below", "below the baseline"),
    "same": Mark("·", "same", "not told apart"),
    "": Mark(""),
}
MINUS = "−"
TAKEN = {  # of a language model, and what each number of the main table is over
    "calls": "Here as a mean over the questions.",
    "tokens": "Here as a mean over the questions.",
    "cost": "Here of all questions together, in dollars.",
}


class Look(NamedTuple):
    """What a visitor looks at: the highlighted method and the cut-off."""

    highlight: str
    k: int


# Rows and cells


def order(results: Results) -> list[str]:
    """The methods, that with the highest recall first."""
    evaluation = results.evaluation
    first = f"recall@{evaluation.ks[0]}"
    means = {
        words: measured.mean.value if (measured := results.comparison.of(words, first)) else -1.0
        for words in evaluation.methods
    }
    return sorted(evaluation.methods, key=lambda words: -means[words])


def kind_of(results: Results, words: str, look: Look) -> str:
    """The kind of a row: the baseline, the highlighted method, or another."""
    if words == results.comparison.baseline:
        return "base"
    return "hot" if words == look.highlight else ""


def with_missing(results: Results, words: str) -> str:
    """A method's name, with how many questions it is not measured on: "GEAR (3 failed, 14
    missing)".
    """
    failed = len(results.evaluation.failed_of(words))
    missing = len(results.evaluation.unmeasured.get(words, ()))
    numbers = [f"{failed} failed"] if failed else []
    numbers += [f"{missing} missing"] if missing else []
    return label(words) + (f" ({', '.join(numbers)})" if numbers else "")


def row_name(results: Results, words: str) -> str:
    """A method before its row: the baseline marked, and how many questions are missing."""
    name = with_missing(results, words)
    return f"◆ {name}" if words == results.comparison.baseline else name


def number(pick: Pick, words: Words, title: str = "", **more: Any) -> Cell:  # noqa: ANN401
    """A number that leads to the questions behind it; `more` are other fields of its cell."""
    return Cell(words, str(pick), title, **more)


def heads(*words: Words) -> list[Cell]:
    """The heads of columns."""
    return [Cell(one) for one in words]


def method_rows(
    results: Results, look: Look, cells: Mapping[str, Sequence[Cell]]
) -> list[TableRow]:
    """A row for each method with its cells."""
    return [
        TableRow(with_missing(results, words), of_method, kind_of(results, words, look))
        for words, of_method in cells.items()
    ]


def perfect_row(results: Results, cells: Sequence[Cell]) -> TableRow:
    """The last row of a table, of the ceiling; it says where that is not of all questions."""
    return TableRow(
        (GlossaryTerm(PERFECT.capitalize(), PERFECT), known_of(results)), cells, "perfect"
    )


def ceiling(results: Results, metric: str, **more: Any) -> Cell:  # noqa: ANN401
    """The ceiling of a measure; empty where it is not known."""
    value = ceiling_mean(results.evaluation, metric)
    if value is None:
        return EMPTY
    return number(Pick("measure", metric, PERFECT), mean_words(value), **more)


def with_interval(difference: Interval) -> str:
    """A difference with its 95 % interval."""
    value, low, high = difference
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})".replace("-", MINUS)


def p_words(p: float | None) -> str:
    """A p-value as it is printed; where there is none, since runs failed, that there is none."""
    if p is None:
        return "no verdict"
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


# All measures


def columns(results: Results) -> list[str]:
    """The measures of the main table: all but most of nDCG."""
    evaluation = results.evaluation
    deep = 10 if 10 in evaluation.ks else evaluation.ks[-1]
    names = [f"{name}@{k}" for name in ("recall", "all") for k in evaluation.ks]
    names += ["mrr", f"ndcg@{deep}"]
    return names + (["em", "f1"] if evaluation.answered else [])


def main(results: Results, look: Look) -> Table:
    """All measures of all methods."""
    names = columns(results)
    asks = any(row.spent.calls for row in results.evaluation.rows)
    shares = _shares(results, look.k)
    over: tuple[Words, ...] = ((GlossaryTerm("of ceiling"), known_of(results)),) if shares else ()
    taken = (
        [GlossaryTerm(what, "", _meaning(what, of)) for what, of in TAKEN.items()] if asks else []
    )
    table = [
        TableRow(
            row_name(results, words),
            [
                *(_measure(results, words, name) for name in names),
                *_difference(results, words, look.k),
                *([shares.get(words, EMPTY)] if shares else []),
                *_taken(results, words, asks=asks),
            ],
            kind_of(results, words, look),
        )
        for words in order(results)
    ]
    if results.evaluation.ceiling:
        table.append(perfect_row(results, [ceiling(results, name) for name in names]))
    return Table(
        heads(
            "Method",
            *map(measure_head, names),
            f"R@{look.k} over ◆",
            GlossaryTerm("p, Holm"),
            *over,
            GlossaryTerm("iterations", "iteration"),
            *taken,
            GlossaryTerm("ms p50"),
            GlossaryTerm("p95", "ms p95"),
        ),
        table,
    )


def measure_head(metric: str) -> GlossaryTerm:
    """A measure over its column, explained."""
    return GlossaryTerm(measure_name(metric), MEASURES[metric.split("@")[0]])


def _meaning(what: str, over: str) -> str:
    """What was asked of a language model, explained."""
    return f"{glossary.TERMS[f'model {what}']} {over}"


def _measure(results: Results, words: str, name: str) -> Cell:
    measured = results.comparison.of(words, name)
    if measured is None:
        return EMPTY
    pick, text = Pick("measure", name, words), mean_words(measured.mean.value)
    return number(pick, text, long_name(name), mark=MARKS[measured.verdict])


def _difference(results: Results, words: str, k: int) -> list[Cell]:
    """How far recall is above the baseline's, and how sure that is."""
    measured, baseline = results.comparison.of(words, f"recall@{k}"), results.comparison.baseline
    if words == baseline:
        return [Cell("baseline"), EMPTY]
    if measured is None or measured.difference is None:
        return [EMPTY, EMPTY]
    pick = Pick("over", f"{k} {baseline}", words)
    texts = with_interval(measured.difference), p_words(measured.corrected)
    return [number(pick, one) for one in texts]


def _shares(results: Results, k: int) -> dict[str, Cell]:
    """By method, how much of the way from the baseline to the perfect reader it goes; of those of
    which that is known.
    """
    baseline = results.comparison.baseline
    compared = [
        words
        for words in order(results)
        if (cell := results.comparison.of(words, f"recall@{k}")) and cell.difference
    ]
    gaps = {words: share_of_gap(results.evaluation, words, baseline, k) for words in compared}
    return {
        words: number(Pick("share", "", words), share_words(gap).replace("-", MINUS))
        for words, gap in gaps.items()
        if gap is not None
    }


def _taken(results: Results, words: str, *, asks: bool) -> list[Cell]:
    """What its runs took; each number leads to the questions that took most."""
    summary = results.evaluation.summary(words)
    if not summary["n"] or summary["iterations"] is None:
        return []
    cells = [("iterations", f"{summary['iterations']:.1f}")]
    if asks:
        rows = results.evaluation.of(words)  # what failed runs took is in the sums alone
        tokens = fmean(row.spent.tokens for row in rows)
        cells.append(("calls", f"{fmean(row.spent.calls for row in rows):.1f}"))
        cells += [("tokens", f"{tokens:,.0f}"), ("cost", dollars(summary["cost"]))]
    cells += [("ms", f"{summary['ms_p50']:.0f}"), ("ms", f"{summary['ms_p95']:.0f}")]
    return [number(Pick("took", what, words), text) for what, text in cells]


def main_rows(results: Results) -> list[dict[str, Any]]:
    """All measures as rows of plain numbers, for a table to copy from."""
    evaluation = results.evaluation
    rows: list[dict[str, Any]] = [
        {"method": words}
        | {
            name: measured.mean.value if (measured := results.comparison.of(words, name)) else None
            for name in evaluation.metrics
        }
        | {"n": len(evaluation.of(words))}
        for words in order(results)
    ]
    best = {name: ceiling_mean(evaluation, name) for name in evaluation.metrics}
    ceiling = {"method": PERFECT, **best, "n": len(evaluation.ceiling)}
    return [*rows, ceiling] if evaluation.ceiling else rows


# Means with their intervals


def dots(results: Results, look: Look) -> Table:
    """One column a measure: means with their intervals on common rows."""
    metrics = [f"recall@{k}" for k in results.evaluation.ks] + [f"all@{look.k}"]
    axes = {metric: _axis(results, metric) for metric in metrics}
    named = [Cell(long_name(metric), small=_ceiling_told(results, metric)) for metric in metrics]
    cells = {
        words: [_dot(results, words, metric, axes[metric]) for metric in metrics]
        for words in order(results)
    }
    foot = [Cell(ticks=axes[metric]) for metric in metrics]
    return Table([EMPTY, *named], method_rows(results, look, cells), "dots", foot=foot)


def _axis(results: Results, metric: str) -> Axis:
    """The axis of a measure, its ends at tenths."""
    means = [one.mean for (_, name), one in results.comparison.table.items() if name == metric]
    values = [value for mean in means for value in mean]
    top = drawn_ceiling(results, metric)
    values += [] if top is None else [top]
    low = math.floor(min(values, default=0.0) * 10 - 0.2) / 10
    high = math.ceil(max(values, default=1.0) * 10 + 0.2) / 10
    return Axis(max(0.0, low), min(1.0, max(high, low + 0.2)))


def drawn_ceiling(results: Results, metric: str) -> float | None:
    """Where the perfect reader's line is; None where its questions are others than the methods',
    with whose means it would be compared then.
    """
    whole = ceiling_is_whole(results.evaluation)
    return ceiling_mean(results.evaluation, metric) if whole else None


def _ceiling_told(results: Results, metric: str) -> tuple[Cell, ...]:
    best = ceiling(results, metric)
    if best is EMPTY:
        return (EMPTY,)
    return Cell(GlossaryTerm(PERFECT)), Cell(" "), best, Cell(known_of(results))


def _dot(results: Results, words: str, metric: str, axis: Axis) -> Cell:
    measured = results.comparison.of(words, metric)
    usual = results.comparison.of(results.comparison.baseline, metric)
    beside = usual.mean.value if usual else None, drawn_ceiling(results, metric)
    if measured is None:
        return Cell("not measured", range=Range(axis, None, *beside))
    shape = "filled" if measured.verdict in ("above", "below") else "hollow"
    if words == results.comparison.baseline:
        shape = "diamond"
    return number(
        Pick("measure", metric, words),
        mean_words(measured.mean.value),
        _told(results, words, metric, measured),
        range=Range(axis, measured.mean, *beside, shape),
    )


def _told(results: Results, words: str, metric: str, measured: Measured) -> str:
    """A dot in words."""
    value, low, high = measured.mean
    text = f"{label(words)}, {long_name(metric)}: {value:.3f} ({low:.3f} to {high:.3f})"
    if measured.difference is None or measured.corrected is None:
        return text
    return (
        f"{text}; {measured.difference.value:+.3f} from {label(results.comparison.baseline)}, p"
        f" {measured.corrected:.3f} after Holm"
    )


# Before and after a fix


def before_after(results: Results, changed: Sequence[BeforeAfter], k: int) -> Table:
    """A row a method: of how many questions, their recall when they were picked, and now; found and
    lost since. A set may remember other questions of other methods, so every row says its number.
    """
    rows = []
    for one in changed:
        of_all = f"{one.n:,}" if one.n == one.picked else f"{one.n:,} of {one.picked:,}"
        cells = [
            ("before", "", of_all),
            ("before", "", mean_words(one.before)),
            ("after", "", mean_words(one.after)),
            ("after", "", with_interval(one.difference)),
            ("after", "", p_words(one.p)),
            ("before", "all", mean_words(one.all_before)),
            ("after", "all", mean_words(one.all_after)),
            ("found", "", f"{one.found:,}"),
            ("lost", "", f"{one.lost:,}"),
        ]
        numbers = [number(Pick(kind, what, one.method), text) for kind, what, text in cells]
        rows.append(TableRow(label(one.method), numbers))
    if results.evaluation.ceiling:
        metric = f"recall@{k}"
        known = f"{len(results.evaluation.ceiling):,}"
        pick = Pick("measure", metric, PERFECT)
        rows.append(perfect_row(results, [number(pick, known), EMPTY, ceiling(results, metric)]))
    named = heads(
        *("Method", "questions", (GlossaryTerm(f"R@{k}", "R@k"), " before"), "now", "difference"),
        *(GlossaryTerm("p", "paired tests"), (GlossaryTerm(f"all@{k}", "all@k"), " before"), "now"),
        *("found", "lost"),
    )
    return Table(named, rows, "main few")
