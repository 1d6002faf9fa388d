"""Rankings side by side as component data: a column a run, a row a rank, one passage one line; and
as a table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.analysis import gold as golds
from gear_app.analysis.gold_keys import stands_for
from gear_app.views import rankings
from gear_app.views.compare.run_columns import (
    SHOWN,
    Column,
    Difference,
    GoldRow,
    difference,
    found_within,
    state_words,
)
from gear_app.views.header import duration


def depth(k: int) -> int:
    """How many ranks are drawn for a cut-off."""
    return max(SHOWN, k)


def aligned(
    columns: Sequence[Column],
    gold: Sequence[GoldRow],
    base: str | None,
    k: int,
    kept: Collection[str] = (),
) -> dict[str, Any]:
    """Component data: the columns' heads, and every passage of their first ranks with its rank in
    all of them.

    A passage's `ranks` has one entry a column: its final rank however deep, None where the ranking
    does not have it or there is none. Gold passages are there even where no column shows them;
    `gold` is their number, 0 for others. Others come in the order of their best rank, ties in the
    order of the columns. `kept` are the ids of runs that were there before they were asked for.
    """
    rows = depth(k)
    numbers = {row.key: row.number for row in gold}
    ranks = [_ranks(column) for column in columns]
    shown: dict[str, tuple[int, int, str]] = {}  # key: best rank, passage id, title
    for column in columns:
        for rank, passage in enumerate(column.ranking[:rows], start=1):
            best, id_, title = shown.get(
                passage.key, (rank, passage.id, passage.title or passage.key)
            )
            shown[passage.key] = min(best, rank), id_, title
    for row in gold:
        shown.setdefault(row.key, (_best(ranks, row.key), _id(columns, row.key), row.title))
    order = sorted(shown.items(), key=lambda item: (numbers.get(item[0], 0), item[1][0]))
    return {
        "columns": [
            _head(column, columns, gold, base, k, column.run.id in kept) for column in columns
        ],
        "passages": [
            {
                "key": key,
                "id": id_,
                "title": title,
                "gold": numbers.get(key, 0),
                "ranks": [of.get(key) for of in ranks],
            }
            for key, (_, id_, title) in order
        ],
        "rows": rows,
        "cut": k,
    }


def rows(columns: Sequence[Column], gold: Sequence[GoldRow], k: int) -> list[dict[str, Any]]:
    """The same as a table: a line a rank, a column a run; gold passages have a star and their
    number.
    """
    numbers = {row.key: row.number for row in gold}
    done = [column for column in columns if column.digest]
    deepest = min(depth(k), max((len(column.ranking) for column in done), default=0))
    return [
        {"rank": rank} | {column.label: _title(column, rank, numbers) for column in done}
        for rank in range(1, deepest + 1)
    ]


def change_words(found: Difference) -> str:
    """The baseline's gold against this one's, in a word or two."""
    if found.gold:
        return f"{'+' if found.gold > 0 else '−'}{abs(found.gold)} gold"
    return "same gold"


def _head(
    column: Column,
    columns: Sequence[Column],
    gold: Sequence[GoldRow],
    base: str | None,
    k: int,
    kept: bool,
) -> dict[str, Any]:
    run, found = column.run, column.digest
    keys = [row.key for row in gold]
    rounds = (
        f"{run.iterations} iterations" if found and found.iterates and run.iterations > 1 else ""
    )
    return {
        "run": run.id,
        "label": column.label,
        "state": "done" if found else "busy" if run.state in ("queued", "running") else "bad",
        "words": (
            state_words(run) if found is None else "" if column.ranking else "No passage was found."
        ),
        "recall": f"{golds.recall_at(k, column.ranking, keys):.2f}" if found and keys else "",
        "counted": (
            f"{found_within(k, column.ranking, keys)} of {len(keys)} gold" if found and keys else ""
        ),
        "change": _change(column, columns, keys, base, k),
        "baseline": run.id == base,
        "length": len(column.ranking),
        "facts": " · ".join(filter(None, [rounds, duration(run.ms) if found else ""])),
        "kept": kept,
        "warning": found.gave_up if found else "",
    }


def _change(
    column: Column, columns: Sequence[Column], keys: Sequence[str], base: str | None, k: int
) -> dict[str, str] | None:
    against = next((one for one in columns if one.run.id == base and one.digest), None)
    if against is None or against is column or not column.digest:
        return None
    found = difference(against.ranking, column.ranking, keys, k)
    if not keys:
        return {"words": f"{len(found.gained)} new in {k}", "tone": ""}
    return {
        "words": change_words(found),
        "tone": "yes" if found.gold > 0 else "no" if found.gold < 0 else "",
    }


def _ranks(column: Column) -> Mapping[str, int]:
    return {passage.key: rank for rank, passage in enumerate(column.ranking, start=1)}


def _best(ranks: Sequence[Mapping[str, int]], key: str) -> int:
    return min((of[key] for of in ranks if key in of), default=0)


def _id(columns: Sequence[Column], key: str) -> int:
    found = (
        passage.id
        for column in columns
        for passage in column.ranking
        if stands_for(passage.key, key)
    )
    return next(found, 0)


def _title(column: Column, rank: int, numbers: Mapping[str, int]) -> str:
    if rank > len(column.ranking):
        return ""
    passage = column.ranking[rank - 1]
    star = f"★{numbers[passage.key]} " if passage.key in numbers else ""
    return star + (passage.title or passage.key)


def places(
    columns: Sequence[Column], key: str, base: str | None
) -> list[tuple[Column, int | None, str]]:
    """Where each finished column ranks a passage, and by how much that differs from the baseline,
    in words.
    """
    against = next((column for column in columns if column.run.id == base and column.digest), None)
    before = rankings.rank_of(key, against.ranking) if against else None
    found = []
    for column in columns:
        if column.digest:
            rank = rankings.rank_of(key, column.ranking)
            words = "baseline" if column is against else _moved(before, rank) if against else ""
            found.append((column, rank, words))
    return found


def _moved(before: int | None, after: int | None) -> str:
    if before == after:
        return "same rank" if after else ""
    if before is None:
        return "the baseline does not have it"
    if after is None:
        return f"the baseline has it at {before}"
    return f"{before - after} higher" if after < before else f"{after - before} lower"
