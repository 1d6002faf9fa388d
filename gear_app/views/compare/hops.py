"""One row for every gold passage: in which iteration, and at which rank, each method first had
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.digest import Reached, last_step, reached
from gear_app.views.compare.grid import Cell, Go, Grid, Piece, cell, rank_piece
from gear_app.views.compare.run_columns import Column, GoldRow


def hop_grid(columns: Sequence[Column], gold: Sequence[GoldRow], k: int) -> Grid:
    """A row a gold passage: in which iteration and at which rank each method first had it in its
    first k; its end.
    """
    done = [column for column in columns if column.digest]
    head = [cell("Gold passage"), *(cell(column.label, go=Go(column.run.id)) for column in done)]
    return {
        "head": head,
        "rows": [
            [_gold_cell(row), *(_hop_cell(column, row, k) for column in done)] for row in gold
        ],
        "kind": "hops",
    }


def hop_rows(columns: Sequence[Column], gold: Sequence[GoldRow], k: int) -> list[dict[str, Any]]:
    """The same as a table, in words."""
    return [
        {"gold passage": f"★{row.number} {row.title}"}
        | {column.label: _hop_words(column, row, k) for column in columns if column.digest}
        for row in gold
    ]


def _gold_cell(row: GoldRow) -> Cell:
    hint = f"{row.question} → {row.answer}" if row.answer else row.question
    return cell(
        Piece(f"★{row.number}", "star"),
        Piece(row.title, "name"),
        Piece(hint, "hint"),
        title=row.title,
    )


def _hop_cell(column: Column, row: GoldRow, k: int) -> Cell:
    assert column.digest
    first, final = reached(column.digest, row.key, k), column.digest.rank(row.key)
    how = column.digest.found[row.key].how if row.key in column.digest.found else ""
    step = first.step if first else _way(column, row.key)
    pieces = _hop_pieces(first, final, k, iterates=column.digest.iterates)
    words = f"{_hop_words(column, row, k)}. {how}" if how else _hop_words(column, row, k)
    return cell(*pieces, go=Go(column.run.id, step), title=words)


def _way(column: Column, key: str) -> int:
    """The step to open for a passage that never came so high: what brought it nearest, else the
    final ranking.
    """
    assert column.digest
    found = column.digest.found.get(key)
    return found.step if found and found.step is not None else last_step(column.digest)


def _hop_pieces(first: Reached | None, final: int | None, k: int, *, iterates: bool) -> list[Piece]:
    if first is None:
        return [rank_piece(final, k)]
    begun = [
        rank_piece(first.rank, k),
        *([Piece(f"it. {first.iteration}", "quiet", joined=True)] if iterates else []),
    ]
    return (
        begun
        if first.rank == final
        else [*begun, Piece("→", "quiet", joined=True), rank_piece(final, k, joined=True)]
    )


def _hop_words(column: Column, row: GoldRow, k: int) -> str:
    assert column.digest
    first, final = reached(column.digest, row.key, k), column.digest.rank(row.key)
    ends = f"final rank {final}" if final else "not in the final ranking"
    if first is None:
        return f"never in the first {k}, {ends}"
    when = (
        f"iteration {first.iteration}, rank {first.rank}"
        if column.digest.iterates
        else f"rank {first.rank}"
    )
    return when if first.rank == final else f"{when}, {ends}"
