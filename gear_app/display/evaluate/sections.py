"""Sections of an evaluation, each a table whose numbers lead to questions, and perhaps a figure.
The page draws them tab by tab, a report in a row, and the command line prints the first table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from gear_app.core.text import count
from gear_app.display import markup, why_not
from gear_app.display.evaluate import words
from gear_app.display.evaluate.words import label, measure_name, p_words, with_interval
from gear_app.display.labels import dollars
from gear_app.display.markup import Html, card, join, tag
from gear_app.display.share_pages import document
from gear_app.evaluation import tables
from gear_app.evaluation.question_set import differences
from gear_app.evaluation.results import Results
from gear_app.evaluation.tables import Table
from gear_app.evaluation.variants import backbones, grids, is_file
from gear_app.store.evaluations import ORACLE

MARKS = {"above": " ▲", "below": " ▼", "same": "", "": ""}
HELP = {  # the glossary's term for a column after the measures
    "p, Holm": "p, Holm",
    "of ceiling": "of ceiling",
    "iterations": "iteration",
    "calls": "model calls",
    "tokens": "model tokens",
    "cost": "model cost",
    "ms": "ms p50",
}


@dataclass(frozen=True)
class Section:
    """`words` is the table as it is shown: its rows are `rows` of the table, its heads lead to the
    `columns` of the table that they name. `figure` names one of display.evaluate.figures.
    """

    key: str
    title: str
    note: str
    table: Table
    words: pd.DataFrame
    rows: list[Any]
    columns: Mapping[str, Any]
    figure: str = ""
    shaded: bool = False
    help: Mapping[str, str] = field(default_factory=dict)  # by head

    @property
    def shares(self) -> pd.DataFrame:
        """Numbers of the shown table as shares of the largest, to shade its cells."""
        numbers = self.table.numbers.reindex(self.rows)[list(self.columns.values())]
        return (numbers / (numbers.max(axis=None) or 1.0)).set_axis(self.words.index)


def section(
    results: Results,
    key: str,
    title: str,
    note: str,
    table: Table,
    **more: Any,  # noqa: ANN401
) -> Section:
    """A section whose rows are methods by recall and the oracle last, or as they come."""
    numbers = table.numbers
    order = [name for name in (*words.methods_by_recall(results), ORACLE) if name in numbers.index]
    numbers = numbers.loc[order] if len(order) == len(numbers) else numbers
    places = more.pop("places", 0 if table.total == "sum" else 3)
    texts = numbers.map(lambda value: "" if pd.isna(value) else f"{value:,.{places}f}")
    rows, columns = list(numbers.index), list(numbers.columns)
    methods = results.evaluation.methods
    heads = [label(str(name)) if name in methods else measure_name(str(name)) for name in columns]
    texts.index, texts.columns = pd.Index([_row(results, name) for name in rows]), pd.Index(heads)
    return Section(
        key, title, note, table, texts, rows, dict(zip(heads, columns, strict=True)), **more
    )


def _row(results: Results, name: object) -> str:
    if name == ORACLE:
        return ORACLE.capitalize() + words.oracle_questions(results)
    if name not in results.evaluation.methods:
        return str(name)
    mark = "◆ " if name == results.comparison.baseline else ""
    return mark + words.with_missing(results, str(name))


def result(results: Results, k: int) -> Iterator[Section]:
    """Before and after of a question set, and all methods with intervals, tests and costs."""
    if changed := differences(results.evaluation, k):
        means, counts = tables.before_after(results.evaluation, k)
        note = "the same questions when they were picked and now; paired tests, not corrected"
        note = ". ".join([note, *words.before_notes(results, changed)])
        before = section(results, "before", "Before and after", note, means)
        rows = [changed[name] for name in before.rows]
        table = before.words.assign(
            difference=[
                with_interval(row["difference"], *row["difference_interval"]) for row in rows
            ],
            p=[p_words(row["p"]) for row in rows],
            questions=[f"{row['n']:,} of {row['picked']:,}" for row in rows],
        )
        yield replace(before, words=table)
        if len(counts.cells):
            title = f"Gold passages found and lost since, among the first {k}"
            yield section(results, "found", title, "", counts)
    yield measures(results, k)


def measures(results: Results, k: int) -> Section:
    """All measures of all methods, with tests and costs."""
    evaluation, recall = results.evaluation, f"recall@{k}"
    metrics = words.shown_measures(evaluation, k)
    table = tables.measured(evaluation, results.comparison.baseline)
    rows = words.methods_by_recall(results)
    rows += [ORACLE] if ORACLE in table.numbers.index else []
    columns = {measure_name(metric): metric for metric in metrics}
    terms = {head: words.MEASURES[name.split("@")[0]] for head, name in columns.items()} | HELP
    columns |= dict.fromkeys((f"R@{k} over ◆", "p, Holm", "of ceiling"), recall)
    columns |= {name: name for name in ("iterations", "calls", "tokens", "cost", "ms")}
    cells = pd.DataFrame(
        [
            {measure_name(metric): _mean(results, table, name, metric) for metric in metrics}
            | _tests_and_costs(results, name, k)
            for name in rows
        ],
        [_row(results, name) for name in rows],
    )
    columns = {head: column for head, column in columns.items() if head in cells}
    listed = cells.reindex(columns=list(columns)).fillna("")
    help_ = {head: markup.TERMS[term] for head, term in terms.items() if head in columns}
    title, note = "Means with 95 % intervals", words.tests_note(results)
    figure = "intervals"
    return Section("measures", title, note, table, listed, rows, columns, figure, help=help_)


def _mean(results: Results, table: Table, method: str, metric: str) -> str:
    """A mean and the mark of its test; "" where the method is not measured."""
    value = table.numbers.reindex([method], columns=[metric]).iloc[0, 0]
    verdict = results.comparison.row(method, metric).get("verdict", "")
    return "" if pd.isna(value) else f"{value:,.3f}{MARKS[verdict]}"


def _tests_and_costs(results: Results, method: str, k: int) -> dict[str, str]:
    evaluation, baseline = results.evaluation, results.comparison.baseline
    row = results.comparison.row(method, f"recall@{k}")
    cells: dict[str, str] = {f"R@{k} over ◆": "baseline"} if method == baseline else {}
    if row.get("pairs"):
        difference = with_interval(row["difference"], *row["difference_interval"])
        cells = {f"R@{k} over ◆": difference, "p, Holm": p_words(row["p_holm"])}
        share = tables.share_of_gap(evaluation, method, baseline, k)
        cells |= {} if share is None else {"of ceiling": words.share_words(share)}
    rows = evaluation.runs_of(method)
    if method == ORACLE or is_file(method) or rows.empty:
        return cells
    summary = evaluation.summary(method)
    cells |= {"iterations": f"{summary['iterations']:.1f}", "ms": f"{summary['ms_p50']:.0f}"}
    if evaluation.measured["calls"].sum() > 0:
        cells |= {"calls": f"{rows['calls'].mean():.1f}", "tokens": f"{rows['tokens'].mean():,.0f}"}
        cells |= {"cost": dollars(summary["cost"])}
    return cells


def questions(results: Results, k: int) -> Iterator[Section]:
    """Recall by iteration and by group of questions."""
    evaluation, baseline, recall = results.evaluation, results.comparison.baseline, f"recall@{k}"
    rounds = tables.rounds(evaluation, k, baseline)
    if len(rounds.cells):
        note = f"R@{k} of all passages so far; dotted: carried forward"
        yield section(results, "rounds", "Recall by iteration", note, rounds, figure="lines")
    density = f"R@{k}, by the mean number of triples of gold passages"
    listed = [
        ("hops", "hops", recall, "Recall by number of hops", f"R@{k}"),
        ("type", "type", recall, "Recall by type of question", f"R@{k}"),
        ("density", "density", recall, "Recall by triple density", density),
    ]
    if evaluation.answered:
        listed.append(("type-em", "type", "em", "Answers by type of question", "EM"))
    for key, column, metric, title, note in listed:
        table = tables.groups(evaluation, column, metric, baseline)
        if len(table.cells):
            sizes = evaluation.question_groups[column].value_counts()
            names = (f"{name}: {count(int(sizes[name]), 'question')}" for name in table.numbers)
            note = f"{note}. {', '.join(names)}"
            yield section(results, key, title, note, table, shaded=True)


def papers(results: Results, k: int) -> Iterator[Section]:
    """Tables and figures of the papers, for the methods that are measured."""
    evaluation, baseline, metric = results.evaluation, results.comparison.baseline, f"recall@{k}"
    shaded, shared = {"shaded": True}, f"Gold passages shared with {label(baseline)}"
    listed: list[tuple[str, str, str, Table, Mapping[str, Any]]] = [
        (
            "asking",
            "Questions by iteration",
            "questions that make it",
            tables.questions_by_iteration(evaluation),
            {},
        ),
        (
            "tokens",
            "Tokens by iteration",
            "means over all questions (GEAR, figure 4)",
            tables.tokens(evaluation),
            {"places": 0},
        ),
        (
            "iterations",
            "Iterations by number of hops",
            "means; GEAR, version 1, figure 5",
            tables.groups(evaluation, "hops", "iterations", baseline),
            {"places": 2},
        ),
        (
            "links",
            "Missed links of the chain",
            f"share of passages not in the first {k}; a passage that is two links counts twice",
            tables.links(evaluation, k, baseline),
            shaded,
        ),
        (
            "overlap",
            shared,
            f"passages that it and the method have in the first {k} (BDTR, figure 3)",
            tables.overlap(evaluation, baseline, k),
            {},
        ),
        (
            "ranks",
            "Ranks of the gold passages",
            "BDTR, figure 4",
            tables.gold_by_rank(evaluation),
            shaded,
        ),
    ]
    over = backbones(evaluation.methods)
    for name in (metric, *(["em"] if evaluation.answered else [])):
        title = f"Iterative methods by their base, {measure_name(name)}"
        table = tables.grid(evaluation, over, name)
        listed.append((f"base-{name}", title, "BDTR, table 1", table, shaded))
    for key, title, note, table, more in listed:
        if len(table.cells):
            yield section(results, key, title, note, table, **more)
    yield from settings(results, k)


def settings(results: Results, k: int) -> Iterator[Section]:
    """Ablations: two settings against each other."""
    evaluation = results.evaluation
    for grid in grids(evaluation.methods):
        title, note = (
            f"{label(grid.method)} by {' and '.join(grid.names)}",
            f"R@{k} (GEAR, table 9)",
        )
        table = tables.grid(evaluation, grid.words, f"recall@{k}")
        yield section(results, f"grid-{grid.method}", title, note, table, shaded=True)


def causes(results: Results, missed: pd.DataFrame, k: int) -> Section:
    """Missed gold passages by the first step that lost them, a column a method."""
    note = f"gold passages that are not in the first {k}, by the first step that lost them"
    table = tables.causes(missed)
    causes = section(results, "causes", "Causes of missed passages", note, table, shaded=True)
    meanings = [f"The passage {why_not.CAUSES[cause]}." for cause in causes.rows]
    return replace(causes, words=causes.words.assign(meaning=meanings))


def report(results: Results) -> str:
    """All sections as one HTML page that needs no other file, in the theme of the browser."""
    k = results.evaluation.ks[0]
    lines = [words.verdict(results, k), words.facts_line(results.facts), *words.remarks(results)]
    drawn = [
        card(
            markup.title(section_.title, section_.note),
            Html(section_.words.to_html(border=0, classes="gear-rows")),
        )
        for part in (result, questions, papers)
        for section_ in part(results, k)
    ]
    head = [tag("h1", lines[0], dir="auto"), *(tag("p", line, dir="auto") for line in lines[1:])]
    command = card(markup.title("The same again"), tag("pre", results.command, dir="auto"))
    return document(f"Evaluation of {results.facts.collection}", join([*head, *drawn, command]))
