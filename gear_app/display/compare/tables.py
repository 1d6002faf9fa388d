"""Tables of a comparison, a dict a row: gold passages by method, methods, notes, and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.core.text import count
from gear_app.display.compare.lines import ROWS, failure_words
from gear_app.display.evidence import joined
from gear_app.display.labels import dollars, duration, readable_time
from gear_app.trace.evidence import evidence_of
from gear_app.trace.metrics import retrieved_answer, stands_for
from gear_app.trace.rankings import CUTS, rank_of
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.comparison import ComparedRun, Comparison

Row = dict[str, Any]
RECALLS = {k: f"R@{k}" for k in CUTS}
GOLD = "Gold passage"
GOLD_ABOUT = (
    "Rank when a passage first was in the first {}, the iteration (it.) of methods that have"
    " several, and → the final rank where it differs."
)
TIME, TOKENS, CALLS, COST = "Time", "Tokens", "Calls", "Cost"
AXES = {TIME: "Time (ms)", TOKENS: "Tokens, in and out", CALLS: CALLS, COST: "Cost ($)"}


def facts(comparison: Comparison) -> str:
    """Facts that all runs share, in a line."""
    sets = dict.fromkeys(
        column.run.triple_set for column in comparison.columns if column.run.triple_set
    )
    words = [
        count(len(comparison.columns), "method"),
        comparison.columns[0].run.collection,
        f"triples: {', '.join(sets)}" if sets else "",
        count(len(comparison.gold), "gold passage") if comparison.gold else "",
    ]
    return " · ".join(filter(None, words))


def verdict(comparison: Comparison) -> str:
    """The runs with the best recall, in a sentence; "" without a difference."""
    best = comparison.best
    if not best or not comparison.gold:
        return ""
    names, number = ", ".join(column.label for column in best), comparison.hits(best[0])
    needed = count(len(comparison.gold), "gold passage")
    return f"Best recall@{comparison.k}: {names} with {number} of {needed}"


def evidence_rows(comparison: Comparison) -> list[Row]:
    """The pair of each method and its name; methods with one pair share a row."""
    methods: dict[tuple[str, str], list[str]] = {}
    for column in comparison.columns:
        if evidence := evidence_of(column.trace or ()):
            pair = " and ".join(passage.name for passage in evidence.pair)
            methods.setdefault((pair, joined(evidence)), []).append(column.label)
    return [
        {"Method": ", ".join(names), "Most likely": pair, "Because": words}
        for (pair, words), names in methods.items()
    ]


def ranking_rows(comparison: Comparison) -> list[Row]:
    """The first ranks of all runs; gold passages have a star and their number."""
    depth = max((len(column.ranking) for column in comparison.done), default=0)
    return [
        {"rank": rank}
        | {column.label: _title(comparison, column, rank) for column in comparison.done}
        for rank in range(1, min(ROWS, depth) + 1)
    ]


def _title(comparison: Comparison, column: ComparedRun, rank: int) -> str:
    if rank > len(column.ranking):
        return ""
    passage = column.ranking[rank - 1]
    stars = (f"★{row.number} " for row in comparison.gold if stands_for(passage.key, row.key))
    return next(stars, "") + passage.name


def gold_rows(comparison: Comparison) -> list[Row]:
    """When and at which rank each method first had each gold passage in its first k."""
    return [
        {GOLD: f"★{row.number} {row.title}"}
        | {column.label: _rank_words(column, row.key, comparison.k) for column in comparison.done}
        for row in comparison.gold
    ]


def _rank_words(column: ComparedRun, key: str, k: int) -> str:
    """Rank and iteration when the passage first was in the first k, → the final rank."""
    first, final = column.first_within(key, k), rank_of(key, column.ranking)
    last = str(final) if final else "–"
    if first is None:
        return last
    iteration, rank = first
    words = f" · it. {iteration}" if column.trace and column.trace.iterates else ""
    change = f" → {last}" if rank != final else ""
    return f"{rank}{words}{change}"


def method_rows(comparison: Comparison, settings: Sequence[str]) -> list[Row]:
    """Recall, answer, iterations, time and cost of every run, without columns that are empty."""
    rows = [
        _method_row(column, comparison, words)
        for column, words in zip(comparison.columns, settings, strict=True)
    ]
    names = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    return [{name: row[name] for name in names} for row in rows]


def _method_row(column: ComparedRun, comparison: Comparison, settings: str) -> Row:
    run, trace = column.run, column.trace
    recalls = {name: comparison.recall(column, k) for k, name in RECALLS.items()}
    answer = retrieved_answer(trace, run.answers) if trace else None
    has_calls = trace is not None and run.spent.calls > 0
    return {
        "Method": column.label,
        **recalls,
        "Answer": (answer.answer or "no answer") if answer else "",
        "EM": answer.em if answer else None,
        "F1": answer.f1 if answer else None,
        "Iterations": _iterations(trace),
        "Time": duration(run.ms) if trace else "",
        "Calls": run.spent.calls if has_calls else None,
        "Tokens": run.spent.tokens if has_calls else None,
        "Cost": dollars(run.spent.cost) if has_calls else "",
        "Ended": failure_words(column) or _end(column),
        "Settings": settings,
        "Made": readable_time(run.created),
    }


def _iterations(trace: RunTrace | None) -> str:
    if trace is None:
        return ""
    return str(trace.iterations) if trace.iterates else "one step"


def _end(column: ComparedRun) -> str:
    if column.trace is None:
        return f"{column.run.state}: {column.run.message}".removesuffix(": ")
    return column.trace.end.sentence if column.trace.end else ""


def note_rows(comparison: Comparison) -> list[Row]:
    """Facts of the gist memory or thoughts by iteration, with the recall of the run (GEAR,
    Table 13).
    """
    noting = [(column, column.notes) for column in comparison.columns if column.notes]
    iterations = sorted({number for _, notes in noting for number in notes})
    return [
        {"Method": column.label, RECALLS[comparison.k]: comparison.recall(column)}
        | {_iteration(number): "\n".join(notes.get(number, ())) for number in iterations}
        for column, notes in noting
    ]


def _iteration(number: int) -> str:
    return f"Iteration {number}" if number else "Before any search"


def axes(comparison: Comparison) -> list[str]:
    """Costs that recall can be drawn against; those of language models where one was asked."""
    spent = [column.run.spent for column in comparison.done]
    model_columns = [TOKENS, CALLS] if any(spending.calls for spending in spent) else []
    return [TIME, *model_columns, *([COST] if any(spending.cost for spending in spent) else [])]


def cost_rows(comparison: Comparison, axis: str) -> list[Row]:
    """Cost and recall of every measured run; without runs of unknown cost."""
    rows = []
    for column in comparison.columns:
        run, spent = column.run, column.run.spent
        costs = {TIME: run.ms, TOKENS: spent.tokens, CALLS: spent.calls, COST: spent.cost}
        recall = comparison.recall(column)
        if recall is not None and costs[axis] is not None:
            rows.append(
                {"Method": column.label, AXES[axis]: costs[axis], RECALLS[comparison.k]: recall}
            )
    return rows
