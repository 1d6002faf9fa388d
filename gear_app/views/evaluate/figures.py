"""Charts and tables behind an evaluation's means: by iteration, link, group of questions, rank and
setting, and gold passages that one of two methods has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from gear_app.evaluate.breakdown import (
    BINS,
    NOT_RANKED,
    RANK_BINS,
    burial,
    deep_recall,
    groups,
    oracle_mean,
    overlap,
    positions,
    rounds,
)
from gear_app.evaluate.configurations import ALONE, SettingGrid
from gear_app.evaluate.evaluation import rounded
from gear_app.evaluate.frames import FIRST
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import ALL_METHODS, Pick
from gear_app.rendering.values import (
    EMPTY,
    Axis,
    AxisCounts,
    Cell,
    Chart,
    Level,
    Range,
    Series,
    Slice,
    Table,
    TableRow,
    Whole,
    Words,
)
from gear_app.store.evaluations import ORACLE
from gear_app.text import count
from gear_app.views.evaluate.tables import (
    Look,
    columns,
    drawn_oracle,
    heads,
    kind_of,
    method_rows,
    number,
    oracle_cell,
    oracle_row,
    order,
    row_name,
    with_interval,
)
from gear_app.views.evaluate.words import label, mean_words, measure_name, oracle_questions, p_words
from gear_app.views.labels import base_name

ALL_GOLD = "the share of questions with all their gold"
LINKS = 80  # per cent of the width: all links have as much, and the numbers align in all
Course = Mapping[str, pd.DataFrame]  # iterations of each method, in the order of tables


# Iterations


def course(results: Results, k: int) -> Course:
    """Recall, questions and tokens of every iteration, of the methods that were measured."""
    by_method = {words: rounds(results.evaluation, words, k) for words in order(results)}
    return {words: table for words, table in by_method.items() if len(table)}


def with_tokens(of: Course) -> Course:
    """The methods that call a model."""
    return {words: table for words, table in of.items() if table["tokens"].iloc[-1]}


def recall_chart(results: Results, look: Look, of: Course) -> Chart:
    """Recall after every iteration; dotted if no question goes on and the value is carried."""
    metric = f"recall@{look.k}"
    mean, line = oracle_mean(results.evaluation, metric), drawn_oracle(results, metric)
    values = [value for table in of.values() for value in table["recall"]] or [0.0, 1.0]
    values += [] if line is None else [line]
    low = max(0.0, math.floor(min(values) * 10 - 0.2) / 10)
    high = min(1.0, math.ceil(max(values) * 10 + 0.2) / 10)
    levels = [low + n / 10 for n in range(max(1, round((high - low) * 10)) + 1)]
    chart = _chart(results, look, of, "recall", levels)
    if line is not None:
        return replace(chart, ceiling=Level(ORACLE, line))
    note = [] if mean is None else [f"{ORACLE}{oracle_questions(results)}: {mean_words(mean)}"]
    return replace(chart, notes=[*note, *chart.notes])


def token_chart(results: Results, look: Look, of: Course) -> Chart:
    """Mean tokens until each iteration (GEAR Fig. 4), of methods that call a model."""
    asking = with_tokens(of)
    high = max((table["tokens"].max() for table in asking.values()), default=0.0) or 1.0
    chart = _chart(results, look, asking, "tokens", [high * n / 4 for n in range(5)])
    return replace(chart, format=",.0f")


def _chart(results: Results, look: Look, of: Course, column: str, levels: Sequence[float]) -> Chart:
    """Lines whose marks lead to their questions, and below them how many questions of a method make
    each iteration.
    """
    last = max(map(len, of.values()), default=1)
    iterating = [words for words, table in of.items() if len(table) > 1]
    longest = max(iterating, key=lambda words: len(of[words]), default="")
    longest = look.highlight if look.highlight in iterating else longest
    numbers = [int(n) for n in of[longest]["asking"]] if longest else []
    picks = [str(Pick("asking", str(n), longest)) for n in range(1, len(numbers) + 1)]
    questions = f", and how many questions {label(longest)} still asks" if longest else ""
    kind, series = "round" if column == "recall" else column, []
    for words, table in of.items():
        places = [*range(1, len(table) + 1), *([last] * (len(table) < last))]
        marks = [str(Pick(kind, str(n), words)) for n in places]
        series.append(
            Series(label(words), list(table[column]), kind_of(results, words, look), marks)
        )
    return Chart(
        f"{'tokens' if column == 'tokens' else f'R@{look.k}'} after every iteration",
        series,
        levels,
        ".3f",
        counts=AxisCounts(f"asking: {label(longest)}", numbers, picks) if longest else None,
        notes=[f"under the axis: iterations{questions}"],
        wide=True,
    )


def round_table(results: Results, of: Course, k: int) -> Table:
    """Recall after each iteration, how many questions make it, and the oracle's recall."""
    rows = []
    for words, table in of.items():
        recall, asking = map(mean_words, table["recall"]), (f"{n:.0f}" for n in table["asking"])
        rows.append(_iterations(words, f"R@{k}", "round", recall))
        rows.append(_iterations(words, "asking", "asking", asking))
    cell = oracle_cell(results, f"recall@{k}")
    if cell is not EMPTY:
        rows.append(
            TableRow(ORACLE.capitalize() + oracle_questions(results), [Cell(f"R@{k}"), cell])
        )
    return _by_iteration("", rows)


def token_table(of: Course) -> Table:
    """Mean tokens given to a model and written by it until each iteration (GEAR Fig. 4)."""
    rows = []
    for words, table in with_tokens(of).items():
        written = table["output_tokens"]
        for part, tokens in (("given", table["tokens"] - written), ("written", written)):
            texts = (f"{value:,.0f}" for value in tokens)
            rows.append(_iterations(words, part, "tokens", texts, f" {part}"))
    return _by_iteration("tokens", rows)


def _iterations(words: str, name: str, kind: str, texts: Iterable[str], part: str = "") -> TableRow:
    cells = [number(Pick(kind, f"{n}{part}", words), text) for n, text in enumerate(texts, start=1)]
    return TableRow(label(words), [Cell(name), *cells])


def _by_iteration(name: str, rows: Sequence[TableRow]) -> Table:
    """Rows folded away under a figure, with a number for each iteration."""
    last = max((len(row.cells) - 1 for row in rows), default=0)
    named = heads("method", name, *(f"iteration {n}" for n in range(1, last + 1)))
    return Table(named, rows, "plain", folded=True)


# Links, groups of questions, ranks


def chain_positions(results: Results, look: Look) -> Table:
    """The share of every link's passages that each method misses."""
    names = [*order(results), *([ORACLE] * (look.k <= FIRST))]
    by_method = {words: positions(results.evaluation, words, look.k) for words in names}
    longest = max(by_method.values(), key=len)
    links = [
        Cell(
            str(n),
            small=(Cell(f"link {n}, {count(int(size), 'passage')}"),),
            kind="link",
            width=LINKS / len(longest),
        )
        for n, size in longest["of"].items()
    ]
    cells = {words: _links(words, table) for words, table in by_method.items()}
    oracle = cells.pop(ORACLE, [])
    rows = method_rows(results, look, cells)
    rows += oracle_row(results, oracle) if oracle else []
    return Table([EMPTY, *links], rows, "bars")


def _links(words: str, table: pd.DataFrame) -> list[Cell]:
    return [
        number(
            Pick("link", str(n), words),
            f"{100 * row['share']:.0f} %" if row["of"] else "",
            f"{row['missed']:.0f} of {row['of']:.0f} missed",
            bar=row["share"],
        )
        for n, row in table.iterrows()
    ]


def by_group(results: Results, column: str, metric: str, look: Look) -> Table:
    """A measure of every method on every group of questions, and the oracle's recall."""
    means = groups(results.evaluation, column, metric)
    name, _, k = metric.partition("@")
    alls = groups(results.evaluation, column, f"all@{k}") if name == "recall" else {}
    sizes = results.evaluation.asked[column].value_counts()
    named = [Cell(group, small=(Cell(count(int(sizes[group]), "question")),)) for group in means]
    cells = {
        words: [
            _group(Pick("kind", group, words), rows.get(words), alls.get(group, {}), sizes[group])
            for group, rows in means.items()
        ]
        for words in (*order(results), ORACLE)
    }
    oracle = cells.pop(ORACLE)
    table = method_rows(results, look, cells)
    table += oracle_row(results, oracle) if any(cell is not EMPTY for cell in oracle) else []
    return Table([EMPTY, *named], table, "bars")


def _group(
    pick: Pick,
    row: Mapping[str, float] | None,
    alls: Mapping[str, Mapping[str, float]],
    size: int,
) -> Cell:
    if row is None:
        return EMPTY
    known, complete = int(row["count"]), alls.get(pick.method)
    partial = pick.method == ORACLE and known < size
    below = Cell(f" all {mean_words(complete['mean'])}", title=ALL_GOLD) if complete else EMPTY
    return number(
        pick,
        mean_words(row["mean"]),
        f"of {known} of {size} questions" if partial else "",
        bar=row["mean"],
        small=(below,) if complete else (),
    )


def spread(results: Results, look: Look) -> Table:
    """R@k by hops (GEAR's first version, Fig. 3): a dot at the mean, a line from the first to the
    third quartile.
    """
    axis, spreads = Axis(0.0, 1.0), groups(results.evaluation, "hops", f"recall@{look.k}")
    cells = {
        words: [
            _spread(Pick("kind", group, words), rows.get(words), axis)
            for group, rows in spreads.items()
        ]
        for words in order(results)
    }
    foot = [Cell(ticks=axis)] * len(spreads)
    table = method_rows(results, look, cells)
    return Table([EMPTY, *heads(*spreads)], table, "dots", foot=foot)


def _spread(pick: Pick, row: Mapping[str, float] | None, axis: Axis) -> Cell:
    if row is None:
        return EMPTY
    shape = Range(axis, (row["mean"], row["25%"], row["75%"]))
    return number(pick, mean_words(row["mean"]), _quartiles(row), range=shape)


def _quartiles(row: Mapping[str, float]) -> str:
    middle = f"median {row['50%']:g}, middle half {row['25%']:g} to {row['75%']:g}"
    return f"{middle}, of {count(int(row['count']), 'question')}"


def iterations(results: Results, look: Look) -> Table:
    """Iterations by hops (GEAR's first version, Fig. 5), of methods that make several for some
    question.
    """
    evaluation = results.evaluation
    spreads = groups(evaluation, "hops", "iterations")
    last = {words: evaluation.of(words)["iterations"].max() for words in order(results)}
    most = max(last.values(), default=1.0)
    cells = {
        words: [
            _iterations_of(Pick("kind", group, words), rows.get(words), most)
            for group, rows in spreads.items()
        ]
        for words, own in last.items()
        if own > 1
    }
    return Table([EMPTY, *heads(*spreads)], method_rows(results, look, cells), "bars")


def _iterations_of(pick: Pick, row: Mapping[str, float] | None, most: float) -> Cell:
    if row is None:
        return EMPTY
    small = (Cell(f" {_quartiles(row)}"),)
    return number(pick, f"{row['mean']:.2f}", bar=row["mean"] / most, small=small)


def buried(results: Results, look: Look) -> Table:
    """Ranks at which every method has the gold passages; stronger colour: more of them."""
    bins = {words: burial(results.evaluation, words) for words in (*order(results), ORACLE)}
    cells = {
        words: [_at_ranks(words, name, n, sum(of.values())) for name, n in of.items()]
        for words, of in bins.items()
    }
    known = [at for at, last in enumerate(RANK_BINS) if last <= FIRST]
    pick, below = Pick("ranks", NOT_RANKED, ORACLE), bins[ORACLE][NOT_RANKED]
    rest = number(pick, f"{below:,} below {FIRST}", span=len(BINS) + 1 - len(known))
    of_oracle = cells.pop(ORACLE)
    oracle = [*(of_oracle[at] for at in known), rest]
    rows = method_rows(results, look, cells) + oracle_row(results, oracle)
    return Table(heads("rank", *BINS, NOT_RANKED), rows, "heat")


def _at_ranks(words: str, name: str, passages: int, total: int) -> Cell:
    shade = math.sqrt(passages / total) if total else 0.0
    return number(Pick("ranks", name, words), f"{passages:,}", shade=shade)


def deep(results: Results, look: Look) -> Table:
    """Recall as deep as rankings go (BDTR Fig. 4), and below it all-recall."""
    cells: dict[str, list[Cell]] = {}
    for words in (*order(results), ORACLE):
        alls = deep_recall(results.evaluation, words, "all")
        of_method = cells[words] = []
        for k, value in deep_recall(results.evaluation, words).items():
            complete = number(Pick("measure", f"all@{k}", words), mean_words(alls[k]))
            small = (Cell(" all ", title=ALL_GOLD), complete)
            pick = Pick("measure", f"recall@{k}", words)
            of_method.append(number(pick, mean_words(value), shade=value, small=small))
    oracle = cells.pop(ORACLE)
    measured = {words: of_method for words, of_method in cells.items() if of_method}
    rows = method_rows(results, look, measured) + oracle_row(results, oracle)
    return Table([EMPTY, *heads(*(f"R@{k}" for k in RANK_BINS))], rows, "heat")


def overlapping(results: Results, first: str, second: str, k: int) -> Whole:
    """Four parts of all gold passages: of both, of one alone, of neither; and how many of the last
    the oracle has.
    """
    sizes = overlap(results.evaluation, first, second, k)
    both, one, other, neither = (
        sizes[name] or 0 for name in ("both", "first", "second", "neither")
    )
    parts = [
        Slice("both", "both find", both, str(Pick("both", second, first))),
        Slice("one", f"only {label(first)}", one, str(Pick("only", second, first))),
        Slice("other", f"only {label(second)}", other, str(Pick("only", first, second))),
        Slice("none", "neither", neither, str(Pick("neither", second, first))),
    ]
    if sizes["ceiling"] is None:
        return Whole(parts)
    missed = f"{neither:,} that neither finds"
    if (known := sizes["ceiling_of"] or 0) < neither:
        missed = f"{known:,} of these whose question has known steps"
    return Whole(parts, f"The {ORACLE} finds {sizes['ceiling']:,} of the {missed}.")


# Settings


def configurations(results: Results, look: Look) -> Table:
    """A row a configuration in the order they were named; stronger colour: better in its column."""
    names = columns(results)
    means = {name: _means(results, name, results.evaluation.methods) for name in names}
    cells = {
        words: [_shaded(name, words, means[name]) for name in names]
        for words in results.evaluation.methods
    }
    rows = [
        TableRow(row_name(results, words), of_method, kind_of(results, words, look))
        for words, of_method in cells.items()
    ]
    rows += oracle_row(results, [oracle_cell(results, name) for name in names])
    return Table([EMPTY, *heads(*map(measure_name, names))], rows, "heat")


def _means(results: Results, metric: str, methods: Iterable[str]) -> dict[str, float]:
    """The mean of a measure by method, without those that have none."""
    means = {words: results.comparison.mean(words, metric) for words in methods}
    return {words: mean for words, mean in means.items() if mean is not None}


def _shaded(metric: str, words: str, means: Mapping[str, float]) -> Cell:
    """A method's mean, as dark as it is high among others."""
    if words not in means:
        return EMPTY
    low, high, value = min(means.values()), max(means.values()), means[words]
    shade = (value - low) / (high - low) if high > low else 0.0
    return number(Pick("measure", metric, words), mean_words(value), shade=shade)


def setting_effects(results: Results, effects: Sequence[Mapping[str, Any]], k: int) -> Table:
    """The mean R@k over all configurations with each value of a setting."""
    rows = []
    for row in effects:
        pick = Pick("setting", f"{row['setting']}={row['value']}", ALL_METHODS)
        mean = number(pick, mean_words(row["mean"]), bar=row["mean"])
        over = Cell(count(row["configurations"], "configuration"))
        rows.append(TableRow(f"{row['setting']} {row['value']}", [mean, over]))
    metric = f"recall@{k}"
    mean_of_oracle = oracle_mean(results.evaluation, metric)
    if mean_of_oracle is not None:
        rows += oracle_row(results, [oracle_cell(results, metric, bar=mean_of_oracle)])
    return Table(heads("setting", f"mean R@{k}", "over"), rows, "bars")


def grid(results: Results, of: SettingGrid, metric: str) -> Table:
    """Two settings against each other (GEAR Table 9), or methods and their bases (BDTR Table 1): a
    measure of every pair that is measured; stronger colour: better.
    """
    first, second = of.names
    means = _means(results, metric, of.table.stack())
    rows = []
    for name, words in of.table.iterrows():
        plain = str(name) if name == ALONE else label(str(name)) if not first else f"{first} {name}"
        rows.append(TableRow(plain, [_shaded(metric, one, means) for one in words]))
    rows += oracle_row(results, [oracle_cell(results, metric)])
    named = [f"{second} {name if first else base_name(name)}" for name in of.table.columns]
    return Table([EMPTY, *heads(*named)], rows, "heat")


def diversity(results: Results, pairs: pd.DataFrame) -> Table:
    """Beams with and without weights for diversity (GEAR Table 4), by cut-off."""
    rows: dict[str, list[TableRow]] = {"recall": [], "all": []}
    for pair in pairs.to_dict("records"):
        over = Pick("over", f"{pair['k']} {pair['off']}", pair["on"])
        texts = (
            with_interval(pair["difference"], *pair["difference_interval"]),
            p_words(rounded(pair["p"])),
        )
        for name, of_name in rows.items():
            metric = f"{name}@{pair['k']}"
            cells = [
                number(Pick("measure", metric, pair[side]), mean_words(pair[f"{name}_{side}"]))
                for side in ("on", "off")
            ]
            cells += [number(over, text) for text in texts] if name == "recall" else [EMPTY] * 2
            cells += [oracle_cell(results, metric)] * (len(results.evaluation.oracle) > 0)
            of_name.append(TableRow(label(pair["on"]), [Cell(measure_name(metric)), *cells]))
    named: list[Words] = ["Method", "measure", "with diversity", "without", "difference", "p"]
    named += [ORACLE + oracle_questions(results)] if len(results.evaluation.oracle) else []
    return Table(heads(*named), [*rows["recall"], *rows["all"]], "main few")
