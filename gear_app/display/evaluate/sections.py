"""Sections of an evaluation, each a table whose numbers lead to questions, and perhaps a figure.
The page draws them tab by tab, a report in a row, and the command line prints the first table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from gear_app.core.text import count
from gear_app.display import glossary, palette, why_not
from gear_app.display.evaluate import words
from gear_app.display.evaluate.words import label, measure_name, p_words, with_interval
from gear_app.display.labels import dollars
from gear_app.display.markup import Html, explained, tag
from gear_app.evaluation import tables
from gear_app.evaluation.question_set import before_after
from gear_app.evaluation.results import Results
from gear_app.evaluation.tables import Table
from gear_app.evaluation.variants import backbones, grids, is_file, lacks_diversity
from gear_app.store.evaluations import ORACLE

if TYPE_CHECKING:
    import plotly.graph_objects as go  # late: half a second

MARKS = {"above": " ▲", "below": " ▼", "same": "", "": ""}
HELP = {"p, Holm": "p, Holm", "of ceiling": "of ceiling", "ms": "ms p50"}
HELP |= {name: f"model {name}" for name in ("calls", "tokens", "cost")} | {
    "iterations": "iteration"
}
_PAGE = """
body { margin: 0 auto; max-width: 1180px; padding: 24px; background: var(--gear-background);
  color: var(--gear-text); font-family: system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; } section { margin: 28px 0; overflow-x: auto; }
h2 { font-size: 17px; } p { color: var(--gear-muted-text); font-size: 13px; margin: 0 0 4px; }
pre { background: var(--gear-panel); padding: 10px 12px; border-radius: 7px; overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; } th { font-weight: 500; text-align: start; }
th, td { border: 0; border-bottom: 1px solid var(--gear-grid); padding: 5px 9px; }
"""


@dataclass(frozen=True)
class Section:
    """`words` is the table as it is shown: its rows are `rows` of the table, its heads lead to the
    `columns` of the table that they name.
    """

    key: str
    title: str
    note: str
    table: Table
    words: pd.DataFrame
    rows: list[Any]
    columns: Mapping[str, Any]
    figure: Callable[[palette.Palette], go.Figure] | None = None
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
    texts.index = pd.Index([_row(results, name) for name in rows])
    texts.columns = pd.Index([_head(results, name) for name in columns])
    heads = dict(zip(texts.columns, columns, strict=True))
    return Section(key, title, note, table, texts, rows, heads, **more)


def _row(results: Results, name: object) -> str:
    if name == ORACLE:
        return ORACLE.capitalize() + words.oracle_questions(results)
    if name not in results.evaluation.methods:
        return str(name)
    mark = "◆ " if name == results.comparison.baseline else ""
    return mark + words.with_missing(results, str(name))


def _head(results: Results, name: object) -> str:
    text = str(name)
    return label(text) if name in results.evaluation.methods else measure_name(text)


def result(results: Results, k: int, highlight: str) -> Iterator[Section]:
    """Before and after of a question set, and all methods with intervals, tests and costs."""
    if changed := before_after(results.evaluation, k):
        yield from _before(results, changed, k)
    yield measures(results, k, highlight)


def measures(results: Results, k: int, highlight: str = "") -> Section:
    """All measures of all methods, with tests and costs."""
    comparison, metrics = results.comparison, words.shown_measures(results.evaluation, k)
    table = tables.measured(results.evaluation, comparison.baseline)
    means = section(results, "measures", "Means with 95 % intervals", "", table)
    rows = [*words.methods_by_recall(results), *(name for name in means.rows if name == ORACLE)]
    names = [_row(results, name) for name in rows]
    shown = means.words.reindex(names, columns=list(map(measure_name, metrics)), fill_value="")
    columns: dict[str, Any] = dict(zip(shown.columns, metrics, strict=True))
    for head, metric in columns.items():
        tests = [comparison.of(name, metric) or {} for name in rows]
        shown[head] += [MARKS[test.get("verdict", "")] for test in tests]
    more = [_tests_and_costs(results, name, k) for name in rows]
    for head, column in _extra_columns(k).items():
        cells = [of_method.get(head, "") for of_method in more]
        if any(cells):
            shown[head], columns[head] = cells, column
    terms = {measure_name(name): words.MEASURES[name.split("@")[0]] for name in metrics}
    terms |= {head: term for head, term in HELP.items() if head in shown}
    return replace(
        means,
        note=words.tests_note(results),
        words=shown,
        rows=rows,
        columns=columns,
        figure=_intervals(results, highlight, k),
        help={head: glossary.TERMS[term] for head, term in terms.items()},
    )


def _extra_columns(k: int) -> dict[str, str]:
    """Columns after the measures, and the column of the table behind each."""
    recall = f"recall@{k}"
    tests = dict.fromkeys((f"R@{k} over ◆", "p, Holm", "of ceiling"), recall)
    costs = {name: name for name in ("iterations", "calls", "tokens", "cost")}
    return tests | costs | {"ms": "ms"}


def _tests_and_costs(results: Results, method: str, k: int) -> dict[str, str]:
    """Cells of a method after its measures."""
    evaluation, baseline = results.evaluation, results.comparison.baseline
    row = results.comparison.of(method, f"recall@{k}")
    cells: dict[str, str] = {f"R@{k} over ◆": "baseline"} if method == baseline else {}
    if row and row["pairs"]:
        difference = with_interval(row["difference"], *row["difference_interval"])
        cells = {f"R@{k} over ◆": difference, "p, Holm": p_words(row["p_holm"])}
        share = tables.share_of_gap(evaluation, method, baseline, k)
        cells |= {} if share is None else {"of ceiling": words.share_words(share)}
    rows = evaluation.of(method)
    if method == ORACLE or is_file(method) or rows.empty:
        return cells
    summary = evaluation.summary(method)
    cells |= {"iterations": f"{summary['iterations']:.1f}"}
    if evaluation.measured["calls"].sum() > 0:
        cells |= {"calls": f"{rows['calls'].mean():.1f}", "tokens": f"{rows['tokens'].mean():,.0f}"}
        cells |= {"cost": dollars(summary["cost"])}
    return cells | {"ms": f"{summary['ms_p50']:.0f}"}


def _intervals(results: Results, highlight: str, k: int) -> Callable[[palette.Palette], go.Figure]:
    def draw(colours: palette.Palette) -> go.Figure:
        from gear_app.display.evaluate.figures import intervals

        return intervals(results, highlight, k, colours)

    return draw


def _lines(
    results: Results, table: Table, highlight: str, metric: str = ""
) -> Callable[[palette.Palette], go.Figure]:
    def draw(colours: palette.Palette) -> go.Figure:
        from gear_app.display.evaluate.figures import lines, with_oracle

        figure = lines(results, table, highlight, colours)
        if metric:
            with_oracle(figure, results.evaluation, metric, colours)
        return figure

    return draw


def _before(results: Results, changed: list[dict[str, Any]], k: int) -> Iterator[Section]:
    means, counts = tables.before_after(results.evaluation, k)
    note = "the same questions when they were picked and now; paired tests, not corrected"
    note = ". ".join([note, *words.before_notes(results, changed)])
    figure = section(results, "before", "Before and after", note, means)
    by_method = {row["method"]: row for row in changed}
    rows = [by_method[name] for name in figure.rows]
    more = {
        "difference": [
            with_interval(row["difference"], *row["difference_interval"]) for row in rows
        ],
        "p": [p_words(row["p"]) for row in rows],
        "questions": [f"{row['n']:,} of {row['picked']:,}" for row in rows],
    }
    yield replace(figure, words=figure.words.assign(**more))
    if len(counts.cells):
        title = f"Gold passages found and lost since, among the first {k}"
        yield section(results, "found", title, "", counts)


def questions(results: Results, k: int, highlight: str) -> Iterator[Section]:
    """Recall by iteration, link and group of questions."""
    evaluation, baseline = results.evaluation, results.comparison.baseline
    table = tables.rounds(evaluation, k, baseline)
    if len(table.cells):
        note = f"R@{k} of all passages so far; dotted: carried forward"
        figure = _lines(results, table, highlight, f"recall@{k}")
        yield section(results, "rounds", "Recall by iteration", note, table, figure=figure)
    for column, title, note in (
        ("hops", "Recall by number of hops", ""),
        ("type", "Recall by type of question", ""),
        ("density", "Recall by triple density", ", by the mean number of triples of gold passages"),
    ):
        table = tables.groups(evaluation, column, f"recall@{k}", baseline)
        if len(table.cells):
            sizes = evaluation.asked[column].value_counts()
            methods = ", ".join(
                f"{name}: {count(int(sizes[name]), 'question')}" for name in table.numbers
            )
            yield section(results, column, title, f"R@{k}{note}. {methods}", table, shaded=True)
        answers = (
            tables.groups(evaluation, "type", "em", baseline)
            if column == "type" and evaluation.answered
            else None
        )
        if answers and len(answers.cells):
            yield section(
                results, "type-em", "Answers by type of question", "EM", answers, shaded=True
            )


def papers(results: Results, k: int, highlight: str) -> Iterator[Section]:
    """Tables and figures of the papers, for the methods that are measured."""
    evaluation, baseline, metric = results.evaluation, results.comparison.baseline, f"recall@{k}"
    methods = evaluation.methods
    calls, tokens = tables.asking(evaluation), tables.tokens(evaluation)
    if len(calls.cells):
        yield section(results, "asking", "Questions by iteration", "questions that make it", calls)
    if len(tokens.cells):
        note = "means over all questions (GEAR, figure 4)"
        yield section(results, "tokens", "Tokens by iteration", note, tokens, places=0)
    iterations = tables.groups(evaluation, "hops", "iterations", baseline)
    if (evaluation.measured["iterations"] > 1).any() and len(iterations.cells):
        title = "Iterations by number of hops"
        yield section(
            results, "iterations", title, "means; GEAR, version 1, figure 5", iterations, places=2
        )
    links = tables.links(evaluation, k, baseline)
    if len(links.cells):
        note = f"share of passages not in the first {k}; a passage that is two links counts twice"
        yield section(results, "links", "Missed links of the chain", note, links, shaded=True)
    note = f"passages that it and the method have in the first {k} (BDTR, figure 3)"
    if len(methods) > 1:
        overlap = tables.overlap(evaluation, baseline, k)
        yield section(
            results, "overlap", f"Gold passages shared with {label(baseline)}", note, overlap
        )
    title, note = "Ranks of the gold passages", "BDTR, figure 4"
    yield section(results, "ranks", title, note, tables.burial(evaluation), shaded=True)
    title, note = "Recall at deeper cut-offs", "each question counts alike (BDTR, figure 4)"
    yield section(results, "deep", title, note, tables.deep(evaluation, baseline), shaded=True)
    if over := backbones(methods):
        for name in (metric, *(["em"] if evaluation.answered else [])):
            title = f"Iterative methods by their base, {measure_name(name)}"
            yield section(
                results,
                f"base-{name}",
                title,
                "BDTR, table 1",
                tables.grid(evaluation, over, name),
                shaded=True,
            )
    yield from settings(results, k)


def settings(results: Results, k: int) -> Iterator[Section]:
    """Ablations: diversity, two settings against each other, and the mean of every value."""
    evaluation, metric = results.evaluation, f"recall@{k}"
    missing = lacks_diversity(evaluation.methods)
    if pairs := tables.diversity(evaluation, k):
        cells = {(label(pair["on"]), "with γ"): pair["on"] for pair in pairs}
        cells |= {(label(pair["on"]), "without"): pair["off"] for pair in pairs}
        more = {
            "difference": [
                with_interval(pair["difference"], *pair["difference_interval"]) for pair in pairs
            ],
            "p": [p_words(pair["p"]) for pair in pairs],
            f"all@{k} with γ": [f"{pair['all_on']:.3f}" for pair in pairs],
            f"all@{k} without": [f"{pair['all_off']:.3f}" for pair in pairs],
        }
        note = f"R@{k}; paired tests, not corrected (GEAR, table 4)"
        table = tables.grid(evaluation, cells, metric)
        diversity = section(results, "diversity", "Diversity across beams", note, table)
        yield replace(diversity, words=diversity.words.assign(**more))
    for grid in grids(evaluation.methods):
        title = f"{label(grid.method)} by {' and '.join(grid.names)}"
        table = tables.grid(evaluation, grid.words, metric)
        yield section(
            results, f"grid-{grid.method}", title, f"R@{k} (GEAR, table 9)", table, shaded=True
        )
    effects = tables.settings(evaluation)
    if len(effects.cells):
        note = "mean over all configurations with this value"
        note += f". To see what diversity does, add the method: {missing}" if missing else ""
        yield section(results, "effects", "Mean effect of each setting", note, effects)


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
    highlight = words.best_method(results, k)
    dark = palette.css_variables(palette.DARK)
    style = palette.css_variables(palette.LIGHT) + f"@media(prefers-color-scheme:dark){{{dark}}}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"Evaluation of {results.facts.collection}"),
        tag("style", Html(style + _PAGE)),
    )
    drawn = [
        tag(
            "section",
            tag("h2", section_.title, dir="auto"),
            tag("p", explained(section_.note), dir="auto"),
            Html(section_.words.to_html(border=0)),
        )
        for part in (result, questions, papers)
        for section_ in part(results, k, highlight)
    ]
    body = tag(
        "body",
        tag("h1", words.verdict(results, k), dir="auto"),
        tag("p", words.facts_line(results.facts), dir="auto"),
        *[tag("p", line, dir="auto") for line in words.remarks(results)],
        *drawn,
        tag(
            "section",
            tag("h2", "The same again", dir="auto"),
            tag("pre", results.command, dir="auto"),
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")
