"""The tables of an evaluation: all measures, before and after a fix, and iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from gear_app.analysis.metrics import Interval
from gear_app.evaluate.breakdown import IterationMeans, ceiling_mean, rounds, share_of_gap
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.question_set import BeforeAfter
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick
from gear_app.views import glossary
from gear_app.views.evaluate.figures import (
    Look,
    kind_of,
    order,
    perfect_row,
    picked,
    scrolling,
    with_missing,
)
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
from gear_app.views.markup import Html, join, tag, term

MARKS = {"above": "▲", "below": "▼", "same": "·", "": ""}
MARK_WORDS = {
    "above": "above the baseline",
    "below": "below the baseline",
    "same": "not told apart",
}
MINUS = "−"
TOKENS: dict[str, Callable[[IterationMeans], float]] = {
    "given": lambda one: one.tokens - one.output_tokens,
    "written": lambda one: one.output_tokens,
}


TAKEN = {  # of a language model, and what each number of the main table is over
    "calls": "Here as a mean over the questions.",
    "tokens": "Here as a mean over the questions.",
    "cost": "Here of all questions together, in dollars.",
}


def columns(results: Results) -> list[str]:
    """The measures of the main table: all but most of nDCG."""
    evaluation = results.evaluation
    deep = 10 if 10 in evaluation.ks else evaluation.ks[-1]
    names = [f"{name}@{k}" for name in ("recall", "all") for k in evaluation.ks]
    names += ["mrr", f"ndcg@{deep}"]
    return names + (["em", "f1"] if evaluation.answered else [])


def main(results: Results, look: Look) -> Html:
    """All measures of all methods; any number leads to the questions behind it."""
    names = columns(results)
    asks = any(row.calls for row in results.evaluation.rows)
    waits = any(row.trips for row in results.evaluation.rows)
    shares = _shares(results, look.k)
    heads: list[object] = ["Method", *map(measure_head, names), f"R@{look.k} over ◆"]
    heads += [
        term("p, Holm"),
        *([join([term("of ceiling"), known_of(results)])] if shares else []),
        term("iterations", "iteration"),
        *([_taken(what, over) for what, over in TAKEN.items()] if asks else []),
        term("ms p50"),
        term("p95", "ms p95"),
        *([term("round trips p50"), term("waited ms p50")] if waits else []),
    ]
    rows = [
        tag(
            "tr",
            tag("th", row_name(results, words), scope="row", dir="auto"),
            *(_measure_cell(results, words, name) for name in names),
            *(tag("td", cell) for cell in _difference_cells(results, words, look.k)),
            *([tag("td", shares.get(words, ""))] if shares else []),
            *(tag("td", cell) for cell in _facts_cells(results, words, asks=asks, waits=waits)),
            class_=kind_of(results, words, look) or None,
        )
        for words in order(results)
    ]
    if results.evaluation.ceiling:
        rest = [tag("td", "")] * (len(heads) - 1 - len(names))
        rows.append(perfect_row(results, [*perfect_cells(results, names), *rest]))
    return scrolling([tag("th", name, scope="col") for name in heads], rows, "main")


def measure_head(metric: str) -> Html:
    """A measure over its column, explained."""
    return term(measure_name(metric), MEASURES[metric.split("@")[0]])


def _taken(what: str, over: str) -> Html:
    """What was asked of a language model over its column, explained."""
    return term(what, meaning=f"{glossary.TERMS[f'model {what}']} {over}")


def main_rows(results: Results) -> list[dict[str, Any]]:
    """The same as rows, for a table to copy from."""
    evaluation = results.evaluation
    rows: list[dict[str, Any]] = [
        {"method": words}
        | {
            name: found.mean.value if (found := results.comparison.of(words, name)) else None
            for name in evaluation.metrics
        }
        | {"n": len(evaluation.of(words))}
        for words in order(results)
    ]
    best = {name: ceiling_mean(evaluation, name) for name in evaluation.metrics}
    ceiling = {"method": PERFECT, **best, "n": len(evaluation.ceiling)}
    return [*rows, ceiling] if evaluation.ceiling else rows


def row_name(results: Results, words: str) -> str:
    """A method before its row: the baseline marked, and how many questions are missing."""
    name = with_missing(results, words)
    return f"◆ {name}" if words == results.comparison.baseline else name


def _measure_cell(results: Results, words: str, name: str) -> Html:
    found = results.comparison.of(words, name)
    if found is None:
        return tag("td", "")
    mark = MARKS[found.verdict]
    number = picked(
        Pick("measure", name, words), mean_words(found.mean.value), title=long_name(name)
    )
    kind = found.verdict or None
    return tag("td", number, tag("sup", mark, class_=kind, title=MARK_WORDS.get(found.verdict)))


def perfect_cells(results: Results, names: Sequence[str]) -> list[Html]:
    """The ceiling of each measure; empty where it is not known."""
    values = {name: ceiling_mean(results.evaluation, name) for name in names}
    return [
        tag(
            "td", "" if value is None else picked(Pick("measure", name, PERFECT), mean_words(value))
        )
        for name, value in values.items()
    ]


def _difference_cells(results: Results, words: str, k: int) -> list[object]:
    """How far recall is above the baseline's, and how sure that is."""
    found = results.comparison.of(words, f"recall@{k}")
    if words == results.comparison.baseline:
        return ["baseline", ""]
    if found is None or found.difference is None:
        return ["", ""]
    pick = Pick("over", f"{k} {results.comparison.baseline}", words)
    return [picked(pick, with_interval(found.difference)), picked(pick, p_words(found.corrected))]


def _shares(results: Results, k: int) -> dict[str, Html]:
    """By method, how much of the way from the baseline to the perfect reader it goes; of those of
    which that is known.
    """
    baseline = results.comparison.baseline
    compared = [
        words
        for words in order(results)
        if (found := results.comparison.of(words, f"recall@{k}")) and found.difference
    ]
    gaps = {words: share_of_gap(results.evaluation, words, baseline, k) for words in compared}
    return {
        words: picked(Pick("share", "", words), share_words(gap).replace("-", MINUS))
        for words, gap in gaps.items()
        if gap is not None
    }


def _facts_cells(results: Results, words: str, *, asks: bool, waits: bool) -> list[object]:
    """What its runs took; each number leads to the questions that took most."""
    found = results.evaluation.summary(words)
    if not found["n"] or found["iterations"] is None:
        return [""] * (3 + 3 * asks + 2 * waits)
    cells = [("iterations", f"{found['iterations']:.1f}")]
    if asks:
        rows = results.evaluation.of(words)  # what failed runs took is in the sums alone
        tokens = fmean(row.input_tokens + row.output_tokens for row in rows)
        cells.append(("calls", f"{fmean(row.calls for row in rows):.1f}"))
        cells += [("tokens", f"{tokens:,.0f}"), ("cost", dollars(found["cost"]))]
    cells += [("ms", f"{found['ms_p50']:.0f}"), ("ms", f"{found['ms_p95']:.0f}")]
    if "round_trips_p50" in found:
        cells += [("trips", f"{found['round_trips_p50']:.0f}")]
        cells += [("waited", f"{found['waited_ms_p50']:.0f}")]
    listed: list[object] = [picked(Pick("took", what, words), told) for what, told in cells]
    return listed + [""] * (2 if waits and "round_trips_p50" not in found else 0)


# Before and after a fix


def before_after(results: Results, found: Sequence[BeforeAfter], k: int) -> Html:
    """A row a method: of how many questions, their recall when they were picked, and now; found and
    lost since. A set may remember other questions of other methods, so every row says its number.
    """
    heads: list[object] = ["Method", "questions", join([term(f"R@{k}", "R@k"), " before"])]
    heads += ["now", "difference", term("p", "paired tests")]
    heads += [join([term(f"all@{k}", "all@k"), " before"]), "now", "found", "lost"]
    rows = [
        tag(
            "tr",
            tag("th", label(one.method), scope="row", dir="auto"),
            tag("td", picked(Pick("before", "", one.method), _questions(one))),
            tag("td", picked(Pick("before", "", one.method), mean_words(one.before))),
            tag("td", picked(Pick("after", "", one.method), mean_words(one.after))),
            tag("td", picked(Pick("after", "", one.method), with_interval(one.difference))),
            tag("td", picked(Pick("after", "", one.method), p_words(one.p))),
            tag("td", picked(Pick("before", "all", one.method), mean_words(one.all_before))),
            tag("td", picked(Pick("after", "all", one.method), mean_words(one.all_after))),
            tag("td", picked(Pick("found", "", one.method), f"{one.found:,}")),
            tag("td", picked(Pick("lost", "", one.method), f"{one.lost:,}")),
        )
        for one in found
    ]
    if results.evaluation.ceiling:
        metric = f"recall@{k}"
        (best,) = perfect_cells(results, [metric])
        asked = picked(Pick("measure", metric, PERFECT), f"{len(results.evaluation.ceiling):,}")
        rest = [tag("td", "")] * (len(heads) - 4)
        rows.append(perfect_row(results, [tag("td", asked), tag("td", ""), best, *rest]))
    return scrolling([tag("th", name, scope="col") for name in heads], rows, "main few")


def _questions(one: BeforeAfter) -> str:
    """How many questions a row is of: "5", "5 of 6" where one is not measured yet, or its gold was
    changed.
    """
    return f"{one.n:,}" if one.n == one.picked else f"{one.n:,} of {one.picked:,}"


def with_interval(difference: Interval) -> str:
    """A difference with its 95 % interval."""
    value, low, high = difference
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})".replace("-", MINUS)


def p_words(p: float | None) -> str:
    """A p-value as it is printed; where there is none, since runs failed, that there is none."""
    if p is None:
        return "no verdict"
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


# Iterations


def token_table(results: Results, k: int) -> Html:
    """Mean tokens given to a model and written by it until each iteration (GEAR Fig. 4), of methods
    that ask one.
    """
    measured = {words: rounds(results.evaluation, words, k) for words in order(results)}
    asking = {words: found for words, found in measured.items() if found and found[-1].tokens}
    rows = [
        (
            [label(words), what],
            [
                picked(Pick("tokens", f"{n} {what}", words), f"{taken(one):,.0f}")
                for n, one in enumerate(found, start=1)
            ],
        )
        for words, found in asking.items()
        for what, taken in TOKENS.items()
    ]
    return _by_iteration(["method", "tokens"], rows)


def round_table(results: Results, k: int) -> Html:
    """Recall after each iteration, how many questions make it, and the perfect reader's recall."""
    evaluation, rows = results.evaluation, []
    for words in order(results):
        found = rounds(evaluation, words, k)
        recall = [mean_words(one.recall) for one in found]
        asking = [str(one.asking) for one in found]
        for kind, what, cells in (("round", f"R@{k}", recall), ("asking", "asking", asking)):
            picks = [Pick(kind, str(n), words) for n in range(1, len(cells) + 1)]
            numbers = [picked(pick, cell) for pick, cell in zip(picks, cells, strict=True)]
            rows.append(([label(words), what], numbers))
    best = ceiling_mean(evaluation, f"recall@{k}")
    if best is not None:
        number = picked(Pick("measure", f"recall@{k}", PERFECT), mean_words(best))
        rows.append(([PERFECT.capitalize() + known_of(results), f"R@{k}"], [number]))
    return _by_iteration(["method", ""], rows)


def _by_iteration(names: Sequence[str], rows: Sequence[tuple[list[str], list[Html]]]) -> Html:
    """Rows folded away under a figure: what they are, and a number for each iteration."""
    last = max((len(numbers) for _, numbers in rows), default=0)
    heads = [*names, *(f"iteration {n}" for n in range(1, last + 1))]
    body = [
        tag(
            "tr",
            *(tag("td", text, dir="auto") for text in told),
            *(tag("td", number) for number in numbers),
            *[tag("td", "")] * (last - len(numbers)),
        )
        for told, numbers in rows
    ]
    table = scrolling([tag("th", name, scope="col") for name in heads], body, "plain")
    return tag("details", tag("summary", "As a table"), table)
