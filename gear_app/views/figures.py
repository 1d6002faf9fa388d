"""Recall of a run after every iteration: as a chart, as a table, and as numbers of one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import QuerySearch, keys, recall_per_iteration
from gear_app.events import RankedPassage
from gear_app.rendering.values import Chart, Series
from gear_app.views.labels import base_name
from gear_app.views.markup import explained


def recall_rows(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    cuts: Sequence[int],
) -> list[dict[str, str]]:
    """The figure as a table: one row an iteration, one column a cut-off; the baseline first."""
    rows = []
    if base:
        rows.append({"after": f"{base_name(base.base)} alone"} | _recalls(base.ranking, gold, cuts))
    for n, ranking in sorted(rankings.items()):
        rows.append({"after": f"iteration {n}"} | _recalls(ranking, gold, cuts))
    return rows


def _recalls(
    ranking: Sequence[RankedPassage], gold: Sequence[str], cuts: Sequence[int]
) -> dict[str, str]:
    return {f"R@{k}": f"{recall_at(keys(ranking), gold, k):.2f}" for k in cuts}


def baseline_label(base: QuerySearch, k: int) -> str:
    """What the baseline is, honestly: a first retrieval of fewer than k passages says so."""
    depth = len(base.ranking)
    return f"{base_name(base.base)} alone" + (f" (only {depth} deep)" if depth < k else "")


def recall_numbers(
    ranking: Sequence[RankedPassage],
    base: QuerySearch | None,
    gold: Sequence[str],
    cuts: Sequence[int],
) -> list[tuple[str, str]]:
    """Recall of one ranking as (cut-off, words), each with the baseline's where there is one."""
    return [
        (
            explained(f"R@{k}"),
            f"{recall_at(keys(ranking), gold, k):.2f}"
            + (
                f" · {baseline_label(base, k)} {recall_at(keys(base.ranking), gold, k):.2f}"
                if base
                else ""
            ),
        )
        for k in cuts
    ]


def recall_chart(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    k: int,
    method: str,
    current: int = 0,
) -> Chart:
    """Recall at k after every iteration, and the first retrieval's as a line of its own. `current`
    is the iteration that gets a larger mark.
    """
    recalls = recall_per_iteration(rankings, gold, k)
    series = [Series(method, recalls, "hot", now=current)]
    if base:
        alone = recall_at(keys(base.ranking), gold, k)
        series.append(Series(baseline_label(base, k), [alone]))
    return Chart(f"Recall at {k} after each iteration", series)
