"""The tables of an evaluation as values (gear_app.rendering): a row a method, the oracle
decomposition in the last, and any number leads to the questions behind it (evaluate.selection).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gear_app.evaluate.breakdown import oracle_is_complete, oracle_mean, share_of_gap
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import is_file
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
from gear_app.store.evaluations import ORACLE
from gear_app.views import glossary
from gear_app.views.evaluate.words import (
    MEASURES,
    label,
    long_name,
    mean_words,
    measure_name,
    oracle_questions,
    p_words,
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
COSTS = {  # of a language model, and the questions of each number of the main table
    "calls": "Here as a mean over the questions.",
    "tokens": "Here as a mean over the questions.",
    "cost": "Here of all questions together, in dollars.",
}


class Look(NamedTuple):
    """The highlighted method and the cut-off."""

    highlight: str
    k: int


# Rows and cells


def order(results: Results) -> list[str]:
    """Methods by recall, the highest first."""
    first = f"recall@{results.evaluation.ks[0]}"
    means = {words: results.comparison.mean(words, first) for words in results.evaluation.methods}
    recall = {words: -1.0 if mean is None else mean for words, mean in means.items()}
    return sorted(recall, key=lambda words: recall[words], reverse=True)


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
    """A number that leads to the questions behind it; `more` are other fields of the cell."""
    return Cell(words, str(pick), title, **more)


def heads(*words: Words) -> list[Cell]:
    """Heads of columns."""
    return list(map(Cell, words))


def method_rows(
    results: Results, look: Look, cells: Mapping[str, Sequence[Cell]]
) -> list[TableRow]:
    """A row for each method with its cells."""
    return [
        TableRow(with_missing(results, words), of_method, kind_of(results, words, look))
        for words, of_method in cells.items()
    ]


def oracle_row(results: Results, cells: Sequence[Cell]) -> list[TableRow]:
    """The last row of a table, of the oracle decomposition, which says if it is not of all
    questions; none if no decomposition is known.
    """
    if results.evaluation.oracle.empty:
        return []
    name = (GlossaryTerm(ORACLE.capitalize(), ORACLE), oracle_questions(results))
    return [TableRow(name, cells, "oracle")]


def oracle_cell(results: Results, metric: str, **more: Any) -> Cell:  # noqa: ANN401
    """The oracle's mean of a measure; empty if it is not known."""
    value = oracle_mean(results.evaluation, metric)
    if value is None:
        return EMPTY
    return number(Pick("measure", metric, ORACLE), mean_words(value), **more)


def with_interval(value: float, low: float, high: float) -> str:
    """A difference with its 95 % interval."""
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})".replace("-", MINUS)


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
    calls = results.evaluation.measured["calls"].sum() > 0
    shares = _shares(results, look.k)
    over: tuple[Words, ...] = (
        ((GlossaryTerm("of ceiling"), oracle_questions(results)),) if shares else ()
    )
    costs = (
        [GlossaryTerm(name, "", _meaning(name, over_)) for name, over_ in COSTS.items()]
        if calls
        else []
    )
    table = [
        TableRow(
            row_name(results, words),
            [
                *(_measure(results, words, name) for name in names),
                *_difference(results, words, look.k),
                *([shares.get(words, EMPTY)] if shares else []),
                *_costs(results, words, calls=calls),
            ],
            kind_of(results, words, look),
        )
        for words in order(results)
    ]
    table += oracle_row(results, [oracle_cell(results, name) for name in names])
    return Table(
        heads(
            "Method",
            *map(measure_head, names),
            f"R@{look.k} over ◆",
            GlossaryTerm("p, Holm"),
            *over,
            GlossaryTerm("iterations", "iteration"),
            *costs,
            GlossaryTerm("ms p50"),
            GlossaryTerm("p95", "ms p95"),
        ),
        table,
    )


def measure_head(metric: str) -> GlossaryTerm:
    """A measure over its column, explained."""
    return GlossaryTerm(measure_name(metric), MEASURES[metric.split("@")[0]])


def _meaning(name: str, over: str) -> str:
    return f"{glossary.TERMS[f'model {name}']} {over}"


def _measure(results: Results, words: str, name: str) -> Cell:
    row = results.comparison.of(words, name)
    if row is None:
        return EMPTY
    pick, text = Pick("measure", name, words), mean_words(row["mean"])
    return number(pick, text, long_name(name), mark=MARKS[row["verdict"]])


def _difference(results: Results, words: str, k: int) -> list[Cell]:
    """How far recall is above the baseline's, and the corrected p-value."""
    row, baseline = results.comparison.of(words, f"recall@{k}"), results.comparison.baseline
    if words == baseline:
        return [Cell("baseline"), EMPTY]
    if row is None or not row["pairs"]:
        return [EMPTY, EMPTY]
    pick = Pick("over", f"{k} {baseline}", words)
    difference = with_interval(row["difference"], *row["difference_interval"])
    texts = difference, p_words(row["p_holm"])
    return [number(pick, text) for text in texts]


def _shares(results: Results, k: int) -> dict[str, Cell]:
    """By method, how much of the way from the baseline to the oracle it goes, if that is known."""
    baseline, cells = results.comparison.baseline, {}
    for words in order(results):
        share = share_of_gap(results.evaluation, words, baseline, k)
        if words != baseline and share is not None:
            text = share_words(share).replace("-", MINUS)
            cells[words] = number(Pick("share", "", words), text)
    return cells


def _costs(results: Results, words: str, *, calls: bool) -> list[Cell]:
    """Costs of a method's runs; each number leads to the questions that cost most."""
    summary, rows = results.evaluation.summary(words), results.evaluation.of(words)
    if is_file(words) or rows.empty:
        return []
    cells = [("iterations", f"{summary['iterations']:.1f}")]
    if calls:
        tokens = (rows["input_tokens"] + rows["output_tokens"]).mean()
        cells.append(("calls", f"{rows['calls'].mean():.1f}"))
        cells += [("tokens", f"{tokens:,.0f}"), ("cost", dollars(summary["cost"]))]
    cells += [("ms", f"{summary['ms_p50']:.0f}"), ("ms", f"{summary['ms_p95']:.0f}")]
    return [number(Pick("took", name, words), text) for name, text in cells]


def main_rows(results: Results) -> list[dict[str, Any]]:
    """All measures as rows of plain numbers, for a table to copy from."""
    evaluation, mean = results.evaluation, results.comparison.mean
    rows: list[dict[str, Any]] = []
    for words in order(results):
        means = {name: mean(words, name) for name in evaluation.metrics}
        rows.append({"method": words} | means | {"n": len(evaluation.of(words))})
    if len(evaluation.oracle):
        means = {name: oracle_mean(evaluation, name) for name in evaluation.metrics}
        rows.append({"method": ORACLE} | means | {"n": len(evaluation.oracle)})
    return rows


# Means with their intervals


def dots(results: Results, look: Look) -> Table:
    """One column a measure: means with their intervals on common rows."""
    metrics = [f"recall@{k}" for k in results.evaluation.ks] + [f"all@{look.k}"]
    axes = {metric: _axis(results, metric) for metric in metrics}
    named = [Cell(long_name(metric), small=_oracle_note(results, metric)) for metric in metrics]
    cells = {
        words: [_dot(results, words, metric, axes[metric]) for metric in metrics]
        for words in order(results)
    }
    foot = [Cell(ticks=axes[metric]) for metric in metrics]
    return Table([EMPTY, *named], method_rows(results, look, cells), "dots", foot=foot)


def _axis(results: Results, metric: str) -> Axis:
    """The axis of a measure, from tenth to tenth."""
    rows = [row for (_, name), row in results.comparison.rows.items() if name == metric]
    values = [end for row in rows for end in row["interval"]]
    top = drawn_oracle(results, metric)
    values += [] if top is None else [top]
    low = math.floor(min(values, default=0.0) * 10 - 0.2) / 10
    high = math.ceil(max(values, default=1.0) * 10 + 0.2) / 10
    return Axis(max(0.0, low), min(1.0, max(high, low + 0.2)))


def drawn_oracle(results: Results, metric: str) -> float | None:
    """The oracle's line in a figure; None if its questions differ from those of the methods, with
    whose means it would be compared.
    """
    complete = oracle_is_complete(results.evaluation)
    return oracle_mean(results.evaluation, metric) if complete else None


def _oracle_note(results: Results, metric: str) -> tuple[Cell, ...]:
    mean = oracle_cell(results, metric)
    if mean is EMPTY:
        return (EMPTY,)
    return Cell(GlossaryTerm(ORACLE)), Cell(" "), mean, Cell(oracle_questions(results))


def _dot(results: Results, words: str, metric: str, axis: Axis) -> Cell:
    row, baseline = results.comparison.of(words, metric), results.comparison.baseline
    lines = results.comparison.mean(baseline, metric), drawn_oracle(results, metric)
    if row is None:
        return Cell("not measured", range=Range(axis, None, *lines))
    shape = "filled" if row["verdict"] in ("above", "below") else "hollow"
    shape = "diamond" if words == baseline else shape
    interval = (row["mean"], *row["interval"])
    title = "{}, {}: {:.3f} ({:.3f} to {:.3f})".format(label(words), long_name(metric), *interval)
    if row["verdict"]:
        title += (
            f"; {row['difference']:+.3f} from {label(baseline)}, p {row['p_holm']:.3f} after Holm"
        )
    return number(
        Pick("measure", metric, words),
        mean_words(row["mean"]),
        title,
        range=Range(axis, interval, *lines, shape),
    )


# Before and after a fix


def before_after(results: Results, changed: Sequence[Mapping[str, Any]], k: int) -> Table:
    """A row a method: how many questions, their recall when they were picked, and now; gold
    passages found and lost since. A set may store other questions of other methods.
    """
    rows = []
    for row in changed:
        n, picked = row["n"], row["picked"]
        difference = with_interval(row["difference"], *row["difference_interval"])
        cells = [
            ("before", "", f"{n:,}" if n == picked else f"{n:,} of {picked:,}"),
            ("before", "", mean_words(row["before"])),
            ("after", "", mean_words(row["after"])),
            ("after", "", difference),
            ("after", "", p_words(row["p"])),
            ("before", "all", mean_words(row["all_before"])),
            ("after", "all", mean_words(row["all_after"])),
            ("found", "", f"{row['found']:,}"),
            ("lost", "", f"{row['lost']:,}"),
        ]
        words = row["method"]
        numbers = [number(Pick(kind, detail, words), text) for kind, detail, text in cells]
        rows.append(TableRow(label(words), numbers))
    metric = f"recall@{k}"
    size = number(Pick("measure", metric, ORACLE), f"{len(results.evaluation.oracle):,}")
    rows += oracle_row(results, [size, EMPTY, oracle_cell(results, metric)])
    named = heads(
        *("Method", "questions", (GlossaryTerm(f"R@{k}", "R@k"), " before"), "now", "difference"),
        *(GlossaryTerm("p", "paired tests"), (GlossaryTerm(f"all@{k}", "all@k"), " before"), "now"),
        *("found", "lost"),
    )
    return Table(named, rows, "main few")
