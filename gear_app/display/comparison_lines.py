"""Rankings of a comparison as component data: a column a run, a row a rank, a line a passage."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gear_app.display.comparison import ComparedRun, Comparison
from gear_app.display.header import state_sentence
from gear_app.display.labels import as_sentence, duration, gave_up
from gear_app.trace.events import Failed
from gear_app.trace.metrics import stands_for
from gear_app.trace.rankings import keys

ROWS = 10  # ranks that are drawn, unless the cut-off is lower down


def component_data(comparison: Comparison, cached: Collection[str] = ()) -> dict[str, Any]:
    """Heads of the columns, and every passage of their first ranks with its rank in each column.

    Gold passages come first by number, though no column has them, then others by their best rank.
    `cached` are the ids of runs that were stored before the comparison.
    """
    rows, gold = max(ROWS, comparison.k), comparison.gold
    ranks = [_ranks(column, gold) for column in comparison.columns]
    passages: dict[str, tuple[int, int, str]] = {}  # best rank, id and title by key
    for column, positions in zip(comparison.columns, ranks, strict=True):
        for key, rank in positions.items():
            if rank <= rows or key in gold:
                passage = column.trace.final[rank - 1]
                best, id_, title = passages.get(key, (rank, passage.id, passage.name))
                passages[key] = min(best, rank), id_, title
    for key, title in gold.items():
        passages.setdefault(key, (0, 0, title))
    numbers = dict.fromkeys(passages, 0) | {key: n for n, key in enumerate(gold, start=1)}
    order = sorted(passages, key=lambda key: (numbers[key] or len(gold) + 1, passages[key][0]))
    return {
        "columns": [
            _head(column, comparison, column.run.id in cached) for column in comparison.columns
        ],
        "passages": [
            {
                "key": key,
                "id": passages[key][1],
                "title": passages[key][2],
                "gold": numbers[key],
                "ranks": [positions.get(key) for positions in ranks],
            }
            for key in order
        ],
        "rows": rows,
        "cut": comparison.k,
    }


def _ranks(column: ComparedRun, gold: Collection[str]) -> dict[str, int]:
    """Ranks by key; the parts of a gold document go by its key, with the rank of the first."""
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(column.trace.final, start=1):
        key = next(
            (gold_key for gold_key in gold if stands_for(passage.key, gold_key)), passage.key
        )
        ranks.setdefault(key, rank)
    return ranks


def _head(column: ComparedRun, comparison: Comparison, cached: bool) -> dict[str, Any]:
    run, recall = column.run, comparison.recall(column)
    number = column.trace.iterations if column.trace.iterates else 0
    iterations = f"{number} iterations" if number > 1 else ""
    facts = filter(None, [iterations, duration(run.ms)])
    state = "done" if column.trace else "busy" if run.going else "bad"
    empty = "No passage was found." if column.trace and not column.trace.final else ""
    return {
        "run": run.id,
        "label": column.label,
        "state": state,
        "words": empty if column.trace else state_sentence(run),
        "facts": " · ".join(facts) if column.trace else "",
        "warning": failure_words(column),
        "recall": "" if recall is None else f"{recall:.2f}",
        "counted": f"{comparison.hits(column)} of {len(comparison.gold)} gold",
        "change": _change(column, comparison),
        "best": column in comparison.best,
        "baseline": column is comparison.baseline,
        "length": len(column.trace.final),
        "cached": cached,
    }


def _change(column: ComparedRun, comparison: Comparison) -> dict[str, str] | None:
    """Gold passages more or fewer than the baseline has, without gold new passages."""
    base, k = comparison.baseline, comparison.k
    if base is column or not base.measured or not column.measured:
        return None
    if not comparison.gold:
        new = set(keys(column.trace.final[:k])) - set(keys(base.trace.final[:k]))
        return {"words": f"{len(new)} new in {k}", "tone": ""}
    more = comparison.hits(column) - comparison.hits(base)
    words = f"{more:+} gold".replace("-", "−") if more else "same gold"
    return {"words": words, "tone": ("", "yes", "no")[(more > 0) - (more < 0)]}


def failure_words(column: ComparedRun) -> str:
    """The failure after which a run still has a ranking; "" for none."""
    if column.trace and column.run.message:
        return f"Not measured, the ranking is from before a failure: {column.run.message}"
    failures = [
        f"{gave_up(step.verb)}: {as_sentence(event.message)}"
        for step in column.trace.steps
        for event in step.events
        if isinstance(event, Failed) and not event.dropped and step.verb != "answer"
    ]
    return failures[-1] if failures else ""
