"""Causes of missed gold passages in the order of the steps, the last step passed and the first
that failed, and the causes of one method's losses under another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from gear_app.analysis.counts import Fate, GoldAnswer, StepPair, causes, steps
from gear_app.analysis.lost import Cause
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.frames import FIRST
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.events import VERBS
from gear_app.rendering.values import EMPTY, Cell, GlossaryTerm, Section, Table, TableRow
from gear_app.store.evaluations import ORACLE
from gear_app.views import why_not as why_words
from gear_app.views.evaluate.behind import limit_words, step_address
from gear_app.views.evaluate.tables import Look, kind_of, number, order, with_missing
from gear_app.views.evaluate.words import label
from gear_app.views.markup import Html, escaped, tag
from gear_app.views.palette import Palette

SHOWN = 60
FLOW_HIGH = 380


def sections(results: Results, answers: Sequence[GoldAnswer], look: Look) -> list[Section]:
    """Causes of missed passages, and steps at which the highlighted method fails."""
    return [
        Section(
            "causes",
            "Causes of missed passages",
            f"gold passages missed at {look.k}, by the first step that lost them"
            + oracle_words(results, look.k),
            [table(results, answers, look)],
        ),
        Section(
            "steps",
            f"Failing steps of {label(look.highlight)}",
            "passages by the last step passed and the first that failed",
            [matrix(answers, look.highlight)],
        ),
    ]


def table(results: Results, answers: Sequence[GoldAnswer], look: Look) -> Table:
    """Causes in the order of the steps, a column a method; an empty cell: none."""
    counted = causes(answers)
    methods = [words for words in order(results) if words in counted]
    most = max((n for of in counted.values() for n in of.values()), default=1)
    kinds = {words: kind_of(results, words, look) for words in methods}
    totals = {words: sum(counted[words].values()) for words in methods}
    heads = [
        Cell(
            with_missing(results, words),
            small=(number(Pick("missed", "", words), f"{totals[words]:,}"), Cell(" missed")),
        )
        for words in methods
    ]
    rows = []
    for cause in Cause:
        numbers = {words: counted[words].get(cause, 0) for words in methods}
        if not any(numbers.values()):
            continue
        cells = [
            number(Pick("cause", cause.value, words), f"{n:,}", bar=n / most, kind=kinds[words])
            if n
            else EMPTY
            for words, n in numbers.items()
        ]
        meaning = f"The passage {why_words.CAUSES[cause]}."
        rows.append(TableRow(GlossaryTerm(cause.value, "", meaning), cells))
    return Table([EMPTY, *heads], rows, "bars causes")


def matrix(answers: Sequence[GoldAnswer], method: str) -> Table:
    """A row a last good step, a column a first failing one; stronger colour: more passages."""
    counted = steps(answers, method)
    goods = sorted({pair.last_good for pair in counted}, key=_place)
    fails = sorted({pair.failing for pair in counted}, key=_place)
    most = max(counted.values(), default=1)
    rows = []
    for good in goods:
        numbers = {fail: counted.get(StepPair(good, fail), 0) for fail in fails}
        cells = [
            number(Pick("pair", f"{good} > {fail}", method), str(n), shade=n / most) if n else EMPTY
            for fail, n in numbers.items()
        ]
        rows.append(TableRow(good or "none", cells))
    return Table([Cell("last good ↓  first failing →"), *map(Cell, fails)], rows, "heat")


def _place(step: str) -> int:
    """Where a step stands among all: nothing first, then what comes before any retrieval."""
    return list(VERBS).index(step) if step in VERBS else -1 - bool(not step)


def flow_figure(found: Mapping[Fate, int], palette: Palette) -> go.Figure:
    """Causes under the first method at the left, what became of them at the right: green is found,
    brown lost by the second alone. The table under it says the same.
    """
    lefts = list(dict.fromkeys(fate.cause for fate in found))
    rights = list(dict.fromkeys(fate.other for fate in found))
    names = [str(escaped(one.value)) for one in (*lefts, *rights)]
    links = [_link_colour(fate, palette) for fate in found]
    return go.Figure(
        go.Sankey(
            arrangement="snap",
            node={
                "label": names,
                "pad": 14,
                "thickness": 12,
                "color": [_node_colour(one, palette) for one in (*lefts, *rights)],
                "line": {"width": 0},
                "hovertemplate": "%{label}: %{value}<extra></extra>",
            },
            link={
                "source": [lefts.index(fate.cause) for fate in found],
                "target": [len(lefts) + rights.index(fate.other) for fate in found],
                "value": list(found.values()),
                "color": links,
                "hovertemplate": "%{source.label} → %{target.label}: %{value}<extra></extra>",
            },
            textfont={"color": palette.text, "size": 13, "shadow": "none"},
        ),
        {
            "height": FLOW_HIGH,
            "margin": {"l": 8, "r": 8, "t": 10, "b": 10},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 13, "color": palette.text},
        },
    )


def _link_colour(fate: Fate, palette: Palette) -> str:
    if fate.other is Cause.FOUND:
        return _clear(palette.gold)
    return _clear(palette.words) if fate.cause is Cause.FOUND else _clear(palette.pruned)


def _node_colour(cause: Cause, palette: Palette) -> str:
    return palette.gold if cause is Cause.FOUND else palette.pruned


def _clear(colour: str) -> str:
    """A colour of the palette, half transparent."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.42)"


def flow_table(fates: Mapping[Fate, int], method: str, other: str) -> Table:
    """The flow as a table; each number leads to its passages."""
    rows = []
    for fate, passages in fates.items():
        what = " > ".join((fate.cause.value, fate.other.value, other))
        cells = [Cell(fate.other.value), number(Pick("fate", what, method), f"{passages:,}")]
        rows.append(TableRow(fate.cause.value, cells))
    return Table([Cell(label(method)), Cell(label(other)), Cell("passages")], rows, "plain")


def picked_words(pick: Pick) -> str:
    """What a number is, as the title of its list of passages."""
    if pick.kind == "fate":
        cause, other_cause, other = pick.what.split(" > ", 2)
        return f"{label(pick.method)}: {cause}. {label(other)}: {other_cause}"
    return f"{label(pick.method)}: {pick.what or 'all it misses'}"


def oracle_words(results: Results, k: int) -> str:
    """How many gold passages the oracle misses; "" if it is not known."""
    ranks = results.evaluation.gold_of(ORACLE)["rank"]
    if ranks.empty or k > FIRST:
        return ""
    return f"; the {ORACLE} misses {(ranks > k).sum():,} of {len(ranks):,}"


def behind(evaluation: Evaluation, lost: Sequence[GoldAnswer], shown: int = SHOWN) -> Html:
    """Passages that were lost, the first `shown`, with the evidence; each leads to its run in
    Explore, at the step that lost it.
    """
    questions = {question.id: question.question for question in evaluation.questions}
    items = []
    for one in lost[:shown]:
        run, answer = evaluation.of(one.method).loc[one.question, "run"], one.answer
        step = answer.lost.number if answer.lost else None
        passage = tag(
            "a",
            tag("span", questions[one.question], class_="question", dir="auto"),
            tag("b", f"★ {answer.name}", dir="auto"),
            tag("span", f"rank {answer.rank or 'none'}", class_="value"),
            tag("span", why_words.line(answer), class_="why", dir="auto"),
            class_="question",
            href=step_address(run, answer.key, answer.k, step),
            data_run=run,
            data_step=step,
            data_passage=answer.key,
            data_k=answer.k,
        )
        items.append(tag("li", passage, class_="question-line"))
    inside = tag("ol", *items) if items else tag("p", "No passage.", class_="note")
    more = limit_words(shown, len(lost))
    return tag("div", inside, tag("p", more, class_="note") if more else "", class_="behind")
