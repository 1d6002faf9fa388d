"""Sections of an evaluation, which its page draws tab by tab and a report in a row, with the
conditions of all numbers and the command that measures the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gear_app.evaluate import breakdown
from gear_app.evaluate.configurations import backbones, diversity, effects, grids, lacks_diversity
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.results import Results
from gear_app.rendering import html
from gear_app.rendering.values import Drawn, Note, Section
from gear_app.text import count
from gear_app.views import palette
from gear_app.views.evaluate import figures, tables, words
from gear_app.views.evaluate.tables import Look
from gear_app.views.evaluate.words import label, measure_name
from gear_app.views.markup import Html, tag

DENSITY_NOTE = "questions by the mean number of triples of their gold passages"
DEEP_NOTE = "R@k of the last ranking, as deep as it goes: each question counts alike"
DIVERSITY_NOTE = "the same method with γ and without; paired tests, not corrected"
SPREAD_NOTE = "dot: mean R@k; line: from the first to the third quartile"
ORACLE_NOTE = "; thin line: oracle decomposition over hybrid"
BEFORE_NOTE = "the same questions when they were picked and now; paired tests"
OVERLAP = "overlap"  # the section of two methods; a visitor chooses the second
_PAGE = """
body { margin: 0 auto; max-width: 1180px; padding: 24px; background: var(--gear-background);
  color: var(--gear-text); font-family: system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; } section { margin: 28px 0; }
.facts { color: var(--gear-muted-text); font-size: 13px; margin: 0 0 4px; }
pre { background: var(--gear-panel); padding: 10px 12px; border-radius: 7px; overflow-x: auto; }
.gear-term:hover::after, .gear-term:focus::after { content: attr(aria-description);
  position: fixed; z-index: 2; width: max-content; max-width: 320px; margin: 20px 0 0 -80px;
  padding: 6px 10px; border-radius: 6px; background: var(--gear-text);
  color: var(--gear-background); font-size: 13px; font-weight: 400; text-align: start;
  white-space: normal; }
button { cursor: auto !important; text-decoration: none !important; }
"""


def sections(results: Results, look: Look) -> Iterator[Section]:
    """All sections in the order of the page."""
    for part in (result, course, kinds, settings):
        yield from part(results, look)


def result(results: Results, look: Look) -> Iterator[Section]:
    """Methods with their intervals, tests and costs."""
    k = look.k
    if changed := before_after(results.evaluation, k):
        drawn: list[Drawn] = [
            tables.before_after(results, changed, k),
            *before_note(results, changed),
        ]
        yield Section("before", "Before and now", BEFORE_NOTE, drawn)
    heading = "Means with 95 % intervals"
    yield Section("dots", heading, dots_note(results), [tables.dots(results, look)])
    of_files = [file.sentence(results.facts.k) for file in results.evaluation.files]
    remarks = [*results.facts.remarks, *of_files]
    notes = [Note(remarks)] if remarks else []
    table = tables.main(results, look)
    yield Section("table", "All measures", table_note(results), [table, *notes])


def course(results: Results, look: Look) -> Iterator[Section]:
    """Iterations, and links of the chain."""
    k, of = look.k, figures.course(results, look.k)
    drawn: list[Drawn] = [
        figures.recall_chart(results, look, of),
        figures.round_table(results, of, k),
    ]
    yield Section("rounds", "Recall after every iteration", rounds_note(results, k), drawn)
    if any(question.decomposition for question in results.evaluation.questions):
        table = figures.chain_positions(results, look)
        yield Section("links", "Missed links of the chain", links_note(results, k), [table])
    if figures.with_tokens(of):
        tokens: list[Drawn] = [figures.token_chart(results, look, of), figures.token_table(of)]
        yield Section("tokens", "Tokens until each iteration", "mean of all questions", tokens)


def kinds(results: Results, look: Look) -> Iterator[Section]:
    """Groups of questions, ranks of gold passages, and the overlap of two methods."""
    evaluation, k = results.evaluation, look.k
    for key, heading, note in (
        ("hops", "Recall by number of hops", ""),
        ("type", "Recall by type of question", ""),
        ("density", "Recall by triples of the gold passages", f", {DENSITY_NOTE}"),
    ):
        if not breakdown.group_names(evaluation, key):
            continue
        table = figures.by_group(results, key, f"recall@{k}", look)
        yield Section(key, heading, f"R@{k}{note}", [table])
        if key == "hops":
            yield from _by_hops(results, look)
        if key == "type" and evaluation.answered:
            answers = figures.by_group(results, key, "em", look)
            yield Section("type-em", "Answers by type of question", "EM", [answers])
    ranks, deep = figures.buried(results, look), figures.deep(results, look)
    yield Section("ranks", "Ranks of the gold passages", "stronger colour: more of them", [ranks])
    yield Section("deep", "Recall at deeper cut-offs", DEEP_NOTE, [deep])
    if others := compared(results, look):
        yield overlapping(results, look, others[0])


def _by_hops(results: Results, look: Look) -> Iterator[Section]:
    """The spread of recall and of iterations by hops."""
    table = figures.spread(results, look)
    yield Section("spread", "The middle half of the questions, by hops", SPREAD_NOTE, [table])
    if (results.evaluation.measured["iterations"] > 1).any():
        table = figures.iterations(results, look)
        heading, note = "Iterations by number of hops", "mean; bar: share of the most"
        yield Section("iterations", heading, note, [table])


def compared(results: Results, look: Look) -> list[str]:
    """Methods to compare the highlighted one with, the baseline first."""
    others = [words for words in results.evaluation.methods if words != look.highlight]
    return sorted(others, key=lambda words: words != results.comparison.baseline)


def overlapping(results: Results, look: Look, other: str) -> Section:
    """Gold passages of the highlighted method and of another."""
    return Section(
        OVERLAP,
        f"Gold passages of {label(look.highlight)} and {label(other)}",
        f"in the first {look.k}, each passage counting alike",
        [figures.overlapping(results, look.highlight, other, look.k)],
    )


def settings(results: Results, look: Look) -> Iterator[Section]:
    """Diversity, two settings against each other, all configurations, and the mean effect of every
    setting; none with only one configuration of each method.
    """
    k, evaluation = look.k, results.evaluation
    pairs, missing = diversity(evaluation), lacks_diversity(evaluation)
    means = effects(evaluation, f"recall@{k}")
    over = backbones(evaluation)
    if over:
        metrics = [f"recall@{k}", *(["em"] if evaluation.answered else [])]
        tables_ = [figures.grid(results, over, metric) for metric in metrics]
        note = f"{' and below it '.join(map(measure_name, metrics))}; stronger colour: better"
        yield Section("backbones", "Iterative methods by their base", note, tables_)
    if pairs.empty and not missing and not means:
        return
    if len(pairs):
        table = figures.diversity(results, pairs)
        yield Section("diversity", "Diversity across beams", DIVERSITY_NOTE, [table])
    for grid in grids(evaluation):
        yield Section(
            f"grid-{grid.method}",
            f"{label(grid.method)} by {' and '.join(grid.names)}",
            f"R@{k}; stronger colour: better",
            [figures.grid(results, grid, f"recall@{k}")],
        )
    drawn: list[Drawn] = [figures.configurations(results, look)]
    if missing:
        hint = f"To see what diversity across beams does, add the method: {missing}"
        drawn.append(Note([hint]))
    yield Section("matrix", "All configurations", "stronger colour: better in its column", drawn)
    if means:
        yield Section(
            "effects",
            "Mean effect of each setting",
            "mean over all configurations with this value",
            [figures.setting_effects(results, means, k)],
        )


def report(results: Results) -> str:
    """All sections as one HTML page that needs no other file, in the theme of the browser."""
    k = results.evaluation.ks[0]
    look = Look(words.best_method(results, k), k)
    dark = palette.css_variables(palette.DARK)
    style = palette.css_variables(palette.LIGHT) + f"@media(prefers-color-scheme:dark){{{dark}}}"
    again = tag("pre", results.command, dir="auto")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"Evaluation of {results.facts.collection}"),
        tag("style", Html(style + _PAGE + html.STYLE)),
    )
    body = tag(
        "body",
        tag("h1", words.verdict(results, k), dir="auto"),
        tag("p", words.facts_line(results.facts), class_="facts", dir="auto"),
        tag("p", words.failed_sentence(results.evaluation.failures), class_="facts", dir="auto"),
        tag(
            "div",
            *map(html.section, sections(results, look)),
            tag("section", tag("h2", "The same again", dir="auto"), again),
            class_="evaluation",
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


# Notes beside a heading


def before_note(results: Results, changed: Sequence[Mapping[str, Any]]) -> list[Note]:
    """Which questions before and after is of, if that is not every question with every method."""
    size, sentences = len(results.evaluation.questions), []
    if any(row["picked"] < size for row in changed):
        sentences = [
            "Each method is only on the questions that were picked with it, so that rows are not to"
            f" be compared with each other; all that follows is of all {count(size, 'question')}."
        ]
    if any(row["n"] < row["picked"] for row in changed):
        sentences.append(
            "Left out are questions that are not measured yet, or whose gold was changed since."
        )
    return [Note([" ".join(sentences)])] if sentences else []


def dots_note(results: Results) -> str:
    """Meaning of the marks of the dots."""
    baseline = label(results.comparison.baseline)
    note = f"mean with its 95 % interval; hollow: cannot be told from {baseline}, the diamond"
    ks = results.evaluation.ks
    lines = any(tables.drawn_oracle(results, f"recall@{k}") is not None for k in ks)
    return note + (ORACLE_NOTE if lines else "")


def rounds_note(results: Results, k: int) -> str:
    """Meaning of the lines of recall by iteration."""
    note = f"R@{k} of all passages so far; dotted: carried forward"
    return note + ("" if tables.drawn_oracle(results, f"recall@{k}") is None else ORACLE_NOTE)


def links_note(results: Results, k: int) -> str:
    """Meaning of the bars of links, and why there can be more links than gold passages."""
    note = f"share of each link’s passages not in the first {k}"
    repeated = breakdown.repeated_links(results.evaluation)
    if not repeated:
        return note
    return f"{note}; a passage that is two links counts at both ({count(repeated, 'question')})"


def table_note(results: Results) -> str:
    """Meaning of the marks of the table."""
    baseline, tests = label(results.comparison.baseline), results.comparison.tests
    note = f"▲ above, ▼ below {baseline}, Holm’s correction for {count(tests, 'test')} a measure"
    if results.evaluation.oracle.empty:
        return note
    note += "; the oracle decomposition is over hybrid, whatever a method is over, and no limit"
    if breakdown.oracle_is_complete(results.evaluation):
        return note
    fewer = f"its questions are fewer{words.oracle_questions(results)}"
    return f"{note}; {fewer}, so its row is not to be compared"
