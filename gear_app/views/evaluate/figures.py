"""What is behind an evaluation's means, as charts and tables: after every iteration, by link, kind
of question, rank and setting, and what two methods have that the other has not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.evaluate.breakdown import (
    NOT_RANKED,
    RANK_BINS,
    IterationMeans,
    Overlap,
    QuestionGroup,
    Share,
    Spread,
    Spreads,
    all_recall,
    burial,
    ceiling_mean,
    deep_recall,
    positions,
    rounds,
)
from gear_app.evaluate.configurations import ALONE, DiversityPair, Effect, SettingGrid
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_facts import FIRST
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
from gear_app.text import count
from gear_app.views.evaluate.tables import (
    Look,
    ceiling,
    columns,
    drawn_ceiling,
    heads,
    kind_of,
    method_rows,
    number,
    order,
    p_words,
    perfect_row,
    row_name,
    with_interval,
)
from gear_app.views.evaluate.words import known_of, label, mean_words, measure_name
from gear_app.views.labels import base_name

ALL_GOLD = "the share of questions with all their gold"
LINKS = 80  # per cent of the width: all links have as much, and the numbers stand alike in all
TOKENS: dict[str, Callable[[IterationMeans], float]] = {
    "given": lambda one: one.tokens - one.output_tokens,
    "written": lambda one: one.output_tokens,
}


# Iterations


class Course(NamedTuple):
    """What each method has after every iteration, by method in the order of tables."""

    rounds: Mapping[str, Sequence[IterationMeans]]
    k: int

    @property
    def asking(self) -> dict[str, Sequence[IterationMeans]]:
        """Those of methods that ask a model."""
        return {words: means for words, means in self.rounds.items() if means[-1].tokens}


def course(results: Results, k: int) -> Course:
    """Recall, who asks, and tokens after every iteration, of the methods that were measured."""
    measured = {words: rounds(results.evaluation, words, k) for words in order(results)}
    return Course({words: means for words, means in measured.items() if means}, k)


def recall_chart(results: Results, look: Look, of: Course) -> Chart:
    """Recall after every iteration; dotted where nobody asks any more and the value is carried."""
    best, top = (of(results, f"recall@{look.k}") for of in (_best, drawn_ceiling))
    series = {words: [one.recall for one in means] for words, means in of.rounds.items()}
    values = [value for values in series.values() for value in values] or [0.0, 1.0]
    values += [] if top is None else [top]
    low = max(0.0, math.floor(min(values) * 10 - 0.2) / 10)
    high = min(1.0, math.ceil(max(values) * 10 + 0.2) / 10)
    levels = [low + n / 10 for n in range(max(1, round((high - low) * 10)) + 1)]
    chart = _chart(results, look, of, "round", series, levels)
    if top is not None:
        return replace(chart, ceiling=Level(PERFECT, top))
    aside = [] if best is None else [f"{PERFECT}{known_of(results)}: {mean_words(best)}"]
    return replace(chart, notes=[*aside, *chart.notes])


def _best(results: Results, metric: str) -> float | None:
    return ceiling_mean(results.evaluation, metric)


def token_chart(results: Results, look: Look, of: Course) -> Chart:
    """Mean tokens taken until each iteration (GEAR Fig. 4); of methods that ask a model."""
    series = {words: [one.tokens for one in means] for words, means in of.asking.items()}
    high = max((value for values in series.values() for value in values), default=0.0) or 1.0
    chart = _chart(results, look, of, "tokens", series, [high * n / 4 for n in range(5)])
    return replace(chart, format=",.0f")


def _chart(
    results: Results,
    look: Look,
    of: Course,
    kind: str,
    series: Mapping[str, Sequence[float]],
    levels: Sequence[float],
) -> Chart:
    """Lines whose marks lead to their questions, and below them how many questions of a method make
    each iteration.
    """
    last = max(map(len, series.values()), default=1)
    iterating = [words for words, values in series.items() if len(values) > 1]
    most = max(iterating, key=lambda words: len(series[words]), default="")
    most = look.highlight if look.highlight in iterating else most
    numbers = [one.asking for one in of.rounds[most]] if most else []
    picks = [str(Pick("asking", str(n), most)) for n in range(1, len(numbers) + 1)]
    whom = f", and how many questions {label(most)} still asks" if most else ""
    return Chart(
        f"{'tokens' if kind == 'tokens' else f'R@{look.k}'} after every iteration",
        [
            Series(
                label(words),
                values,
                kind_of(results, words, look),
                [
                    str(Pick(kind, str(n), words))
                    for n in (*range(1, len(values) + 1), *([last] * (len(values) < last)))
                ],
            )
            for words, values in series.items()
        ],
        levels,
        ".3f",
        counts=AxisCounts(f"asking: {label(most)}", numbers, picks) if most else None,
        notes=[f"under the axis: iterations{whom}"],
        wide=True,
    )


def round_table(results: Results, of: Course) -> Table:
    """Recall after each iteration, how many questions make it, and the perfect reader's recall."""
    rows = []
    for words, means in of.rounds.items():
        for kind, what, texts in (
            ("round", f"R@{of.k}", [mean_words(one.recall) for one in means]),
            ("asking", "asking", [str(one.asking) for one in means]),
        ):
            picks = [Pick(kind, str(n), words) for n in range(1, len(texts) + 1)]
            rows.append(TableRow(label(words), [Cell(what), *map(number, picks, texts)]))
    best = ceiling(results, f"recall@{of.k}")
    if best is not EMPTY:
        rows.append(TableRow(PERFECT.capitalize() + known_of(results), [Cell(f"R@{of.k}"), best]))
    return _by_iteration("", rows)


def token_table(of: Course) -> Table:
    """Mean tokens given to a model and written by it until each iteration (GEAR Fig. 4), of methods
    that ask one.
    """
    rows = []
    for words, means in of.asking.items():
        for what, taken in TOKENS.items():
            picks = [Pick("tokens", f"{n} {what}", words) for n in range(1, len(means) + 1)]
            texts = [f"{taken(one):,.0f}" for one in means]
            rows.append(TableRow(label(words), [Cell(what), *map(number, picks, texts)]))
    return _by_iteration("tokens", rows)


def _by_iteration(what: str, rows: Sequence[TableRow]) -> Table:
    """Rows folded away under a figure: what they are, and a number for each iteration."""
    last = max((len(row.cells) - 1 for row in rows), default=0)
    named = heads("method", what, *(f"iteration {n}" for n in range(1, last + 1)))
    return Table(named, rows, "plain", folded=True)


# Links, kinds of questions, ranks


def chain_positions(results: Results, look: Look) -> Table:
    """The share of every link's passages that each method misses."""
    evaluation = results.evaluation
    shares = {
        words: positions(evaluation, evaluation.of(words), look.k) for words in order(results)
    }
    known = evaluation.ceiling and look.k in evaluation.ceiling[0].recall
    perfect = positions(evaluation, evaluation.ceiling, look.k) if known else []
    most = max(shares.values(), key=len, default=[])
    links = [
        Cell(
            str(n),
            small=(Cell(f"link {n}, {count(one.of, 'passage')}"),),
            kind="link",
            width=LINKS / len(most),
        )
        for n, one in enumerate(most, start=1)
    ]
    cells = {words: _links(words, of) for words, of in shares.items()}
    rows = method_rows(results, look, cells)
    rows += [perfect_row(results, _links(PERFECT, perfect))] if perfect else []
    return Table([EMPTY, *links], rows, "bars")


def _links(words: str, shares: Sequence[Share]) -> list[Cell]:
    return [
        number(
            Pick("link", str(n), words),
            f"{100 * one.value:.0f} %" if one.of else "",
            f"{one.missed} of {one.of} missed",
            bar=one.value,
        )
        for n, one in enumerate(shares, start=1)
    ]


def groups(results: Results, among: Sequence[QuestionGroup], look: Look) -> Table:
    """Recall of every method on every kind of question, and of the perfect reader."""
    named = [Cell(one.name, small=(Cell(count(one.n, "question")),)) for one in among]
    cells = {words: [_group(one, words) for one in among] for words in order(results)}
    rows = method_rows(results, look, cells)
    if any(one.ceiling_n for one in among):
        rows.append(perfect_row(results, [_group(one, PERFECT) for one in among]))
    return Table([EMPTY, *named], rows, "bars")


def _group(group: QuestionGroup, words: str) -> Cell:
    perfect = words == PERFECT
    value = group.ceiling if perfect else group.recall.get(words)
    whole = group.ceiling_all if perfect else group.all_recall.get(words)
    if value is None:
        return EMPTY
    some = perfect and group.ceiling_n < group.n
    return number(
        Pick("kind", group.name, words),
        mean_words(value),
        f"of {group.ceiling_n} of {group.n} questions" if some else "",
        bar=value,
        small=() if whole is None else (Cell(f" all {mean_words(whole)}", title=ALL_GOLD),),
    )


def spread(results: Results, spreads: Spreads, look: Look) -> Table:
    """R@k by group of questions (GEAR's first version, Fig. 3): a dot at the mean, a line from the
    first to the third quartile.
    """
    axis = Axis(0.0, 1.0)
    cells = {
        words: [_spread(name, words, of.get(words), axis) for name, of in spreads.items()]
        for words in order(results)
    }
    foot = [Cell(ticks=axis)] * len(spreads)
    rows = method_rows(results, look, cells)
    return Table([EMPTY, *heads(*spreads)], rows, "dots", foot=foot)


def _spread(name: str, words: str, of: Spread | None, axis: Axis) -> Cell:
    if of is None:
        return EMPTY
    shape = Range(axis, (of.mean, of.low, of.high))
    return number(Pick("kind", name, words), mean_words(of.mean), _quartiles(of), range=shape)


def _quartiles(of: Spread) -> str:
    middle = f"median {of.median:g}, middle half {of.low:g} to {of.high:g}"
    return f"{middle}, of {count(of.n, 'question')}"


def iterations(results: Results, spreads: Spreads, look: Look) -> Table:
    """Iterations by group of questions (GEAR's first version, Fig. 5), of methods that make several
    for some question.
    """
    most = {
        words: max(row.iterations for row in rows)
        for words in order(results)
        if (rows := results.evaluation.of(words))
    }
    cells = {
        words: [
            number(
                Pick("kind", name, words),
                f"{one.mean:.2f}",
                bar=one.mean / max(most.values()),
                small=(Cell(f" {_quartiles(one)}"),),
            )
            if (one := of.get(words))
            else EMPTY
            for name, of in spreads.items()
        ]
        for words, last in most.items()
        if last > 1
    }
    return Table([EMPTY, *heads(*spreads)], method_rows(results, look, cells), "bars")


def buried(results: Results, look: Look) -> Table:
    """At which ranks every method has the gold passages; darker: more of them."""
    evaluation = results.evaluation
    bins = {words: burial(evaluation.of(words)) for words in order(results)}
    cells = {
        words: [_at_ranks(words, name, n, sum(of.values())) for name, n in of.items()]
        for words, of in bins.items()
    }
    rows = method_rows(results, look, cells)
    if evaluation.ceiling:
        rows.append(perfect_row(results, _perfect_bins(burial(evaluation.ceiling))))
    return Table(heads("rank", *next(iter(bins.values()), {})), rows, "heat")


def _at_ranks(words: str, name: str, passages: int, total: int) -> Cell:
    shade = math.sqrt(passages / total) if total else 0.0
    return number(Pick("ranks", name, words), f"{passages:,}", shade=shade)


def _perfect_bins(bins: Mapping[str, int]) -> list[Cell]:
    """The bins as deep as the perfect reader's ranking goes, and what it does not have there."""
    known = [name for name in bins if name != NOT_RANKED and int(name.split("–")[1]) <= FIRST]
    total, pick = sum(bins.values()), Pick("ranks", NOT_RANKED, PERFECT)
    rest = number(pick, f"{bins[NOT_RANKED]:,} below {FIRST}", span=len(bins) - len(known))
    return [*(_at_ranks(PERFECT, name, bins[name], total) for name in known), rest]


def deep(results: Results, look: Look) -> Table:
    """Recall as far down as rankings go (BDTR Fig. 4), and below it the share of questions with all
    their gold; darker: more.
    """
    cells: dict[str, list[Cell]] = {}
    for words in order(results):
        if rows := results.evaluation.of(words):
            cells[words] = _deep(words, deep_recall(rows), deep_recall(rows, of=all_recall))
    table = method_rows(results, look, cells)
    if ceiling := results.evaluation.ceiling:
        best = _deep(PERFECT, deep_recall(ceiling, FIRST), deep_recall(ceiling, of=all_recall))
        table.append(perfect_row(results, best))
    return Table([EMPTY, *heads(*(f"R@{k}" for k in RANK_BINS))], table, "heat")


def _deep(words: str, shares: Mapping[int, float], whole: Mapping[int, float]) -> list[Cell]:
    cells = []
    for k, value in shares.items():
        complete = number(Pick("measure", f"all@{k}", words), mean_words(whole[k]))
        below = (Cell(" all ", title=ALL_GOLD), complete)
        pick = Pick("measure", f"recall@{k}", words)
        cells.append(number(pick, mean_words(value), shade=value, small=below))
    return cells


def overlapping(both: Overlap, first: str, second: str) -> Whole:
    """Four parts of all gold passages: found by both, by one alone, by neither; and how many of the
    last a perfect reader finds.
    """
    parts = [
        Slice("both", "both find", both.both, str(Pick("both", second, first))),
        Slice("one", f"only {label(first)}", both.first, str(Pick("only", second, first))),
        Slice("other", f"only {label(second)}", both.second, str(Pick("only", first, second))),
        Slice("none", "neither", both.neither, str(Pick("neither", second, first))),
    ]
    if both.ceiling is None:
        return Whole(parts)
    those = f"{both.neither:,} that neither finds"
    if both.ceiling_of < both.neither:
        those = f"{both.ceiling_of:,} of these whose question has known steps"
    return Whole(parts, f"A {PERFECT} finds {both.ceiling:,} of the {those}.")


# Settings


def configurations(results: Results, look: Look) -> Table:
    """A row a configuration in the order they were asked for; darker: better in its column."""
    names = columns(results)
    cells: dict[str, list[Cell]] = {words: [] for words in results.evaluation.methods}
    for name in names:
        means = _means(results, name, results.evaluation.methods)
        for words, of_method in cells.items():
            of_method.append(_shaded(name, words, means))
    rows = [
        TableRow(row_name(results, words), of_method, kind_of(results, words, look))
        for words, of_method in cells.items()
    ]
    if results.evaluation.ceiling:
        rows.append(perfect_row(results, [ceiling(results, name) for name in names]))
    return Table([EMPTY, *heads(*map(measure_name, names))], rows, "heat")


def _means(results: Results, metric: str, methods: Iterable[str]) -> dict[str, float]:
    """The mean of a measure by method; without those that have none."""
    cells = {words: results.comparison.of(words, metric) for words in methods}
    return {words: cell.mean.value for words, cell in cells.items() if cell}


def _shaded(metric: str, words: str, among: Mapping[str, float]) -> Cell:
    """A method's mean, as dark as it is high among others."""
    if words not in among:
        return EMPTY
    low, high, value = min(among.values()), max(among.values()), among[words]
    shade = (value - low) / (high - low) if high > low else 0.0
    return number(Pick("measure", metric, words), mean_words(value), shade=shade)


def setting_effects(results: Results, effects: Sequence[Effect], k: int) -> Table:
    """The mean R@k over all configurations with each value of a setting."""
    rows = []
    for one in effects:
        pick = Pick("setting", f"{one.setting}={one.value}", ALL_METHODS)
        mean = number(pick, mean_words(one.mean), bar=one.mean)
        over = Cell(count(one.configurations, "configuration"))
        rows.append(TableRow(f"{one.setting} {one.value}", [mean, over]))
    best = _best(results, f"recall@{k}")
    if best is not None:
        rows.append(perfect_row(results, [ceiling(results, f"recall@{k}", bar=best)]))
    return Table(heads("setting", f"mean R@{k}", "over"), rows, "bars")


def grid(results: Results, of: SettingGrid, metric: str) -> Table:
    """Two settings against each other (GEAR Table 9), or methods and what they stand over (BDTR
    Table 1): a measure of every pair that is there; darker: better.
    """
    means = _means(results, metric, of.words.values())
    first, second = of.names
    rows = [
        TableRow(
            f"{first} {one}" if first else one if one == ALONE else label(one),
            [_shaded(metric, of.words.get((one, two), ""), means) for two in of.columns],
        )
        for one in of.rows
    ]
    if results.evaluation.ceiling:
        rows.append(perfect_row(results, [ceiling(results, metric)]))
    return Table(
        [EMPTY, *heads(*(f"{second} {two if first else base_name(two)}" for two in of.columns))],
        rows,
        "heat",
    )


def diversity(results: Results, pairs: Sequence[DiversityPair]) -> Table:
    """Beams with and without weights for diversity (GEAR Table 4), by cut-off."""
    rows = []
    for one in pairs:
        for k, means in one.recall.items():
            over = Pick("over", f"{k} {one.off}", one.on)
            sure = with_interval(one.difference[k]), p_words(one.p.get(k))
            sure_cells = [number(over, words) for words in sure]
            rows.append(_with_and_without(results, one, f"recall@{k}", means, sure_cells))
    for one in pairs:
        for k, means in one.all_recall.items():
            rows.append(_with_and_without(results, one, f"all@{k}", means, [EMPTY, EMPTY]))
    named: list[Words] = ["Method", "measure", "with diversity", "without", "difference", "p"]
    named += [PERFECT + known_of(results)] if results.evaluation.ceiling else []
    return Table(heads(*named), rows, "main few")


def _with_and_without(
    results: Results,
    pair: DiversityPair,
    metric: str,
    means: tuple[float, float],
    sure: Sequence[Cell],
) -> TableRow:
    names = zip((pair.on, pair.off), means, strict=True)
    numbers = [number(Pick("measure", metric, words), mean_words(mean)) for words, mean in names]
    best = [ceiling(results, metric)] if results.evaluation.ceiling else []
    return TableRow(label(pair.on), [Cell(measure_name(metric)), *numbers, *sure, *best])
