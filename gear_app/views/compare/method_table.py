"""The methods as a table, what each has that the baseline has not, and where each ranks one
passage.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis import gold as golds
from gear_app.analysis.digest import last_step
from gear_app.views.compare.aligned_rankings import change_words, places
from gear_app.views.compare.grid import Cell, Go, Grid, Piece, cell, rank_piece
from gear_app.views.compare.run_columns import Column, GoldRow, difference
from gear_app.views.header import duration, readable
from gear_app.views.spending import dollars


def difference_grid(
    columns: Sequence[Column], gold: Sequence[GoldRow], base: Column, k: int
) -> Grid:
    """A row a method: what its first k have that the baseline's have not, and how gold passages
    moved.
    """
    keys = [row.key for row in gold]
    heads = [
        "Method",
        *(["Gold"] if gold else []),
        f"Came into the first {k}",
        f"Left the first {k}",
    ]
    made = []
    for column in columns:
        if not column.digest or column is base:
            continue
        found = difference(base.ranking, column.ranking, keys, k)
        tone = "yes" if found.gold > 0 else "no" if found.gold < 0 else "quiet"
        last = Go(column.run.id, last_step(column.digest))
        row = [cell(column.label, go=Go(column.run.id), strong=True)]
        row += [cell(Piece(change_words(found), tone))] if gold else []
        row += [
            _names([p.key for p in of], [p.title or p.key for p in of], gold, last)
            for of in found[1:3]
        ]
        row += [_moves(found.moves, gold, last, k)] if gold else []
        made.append(row)
    return {
        "head": [cell(head) for head in heads + (["Gold moved"] if gold else [])],
        "rows": made,
        "kind": "differences",
    }


def _names(keys: Sequence[str], titles: Sequence[str], gold: Sequence[GoldRow], go: Go) -> Cell:
    """Titles in a row, gold ones first with their star."""
    numbers = {row.key: row.number for row in gold}
    stars = [
        Piece(f"★{numbers[key]} {title}", "gold")
        for key, title in zip(keys, titles, strict=True)
        if key in numbers
    ]
    others = [title for key, title in zip(keys, titles, strict=True) if key not in numbers]
    return cell(
        *(stars + [Piece(title, "item") for title in others] or [Piece("–", "absent")]), go=go
    )


def _moves(
    moves: Sequence[tuple[str, int | None, int | None]], gold: Sequence[GoldRow], go: Go, k: int
) -> Cell:
    by_key = {row.key: row for row in gold}
    pieces: list[Piece] = []
    for key, before, after in moves:
        name = Piece(f"★{by_key[key].number}", "star")
        arrow = Piece("→", "quiet", joined=True)
        pieces += [
            name,
            rank_piece(before, k, joined=True),
            arrow,
            rank_piece(after, k, joined=True),
        ]
    return cell(*(pieces or [Piece("none", "quiet")]), go=go)


def method_grid(
    columns: Sequence[Column], gold: Sequence[GoldRow], settings: Sequence[str]
) -> Grid:
    """A row a method: recall, iterations, time, why it stopped, its settings that are not the
    defaults.

    Where a run wrote an answer, that and its EM and F1 as well; calls, tokens and cost where one
    asked a model.
    """
    cuts = [f"R@{k}" for k in golds.CUTS] + ["All gold in 5"] if gold else []
    answered = any(column.digest and column.digest.answer for column in columns)
    cuts += ["Answer", "EM", "F1"] if answered else []
    asked = any(column.digest and column.run.spent.calls for column in columns)
    took = ["Calls", "Tokens", "Cost"] if asked else []
    heads = ["Method", *cuts, "Iterations", "Time", *took, "Stopped because", "Settings", "Made"]
    made = [
        _method_row(column, gold, words, answered=answered, asked=asked)
        for column, words in zip(columns, settings, strict=True)
    ]
    return {"head": [cell(head) for head in heads], "rows": made, "kind": "methods"}


def _method_row(
    column: Column, gold: Sequence[GoldRow], settings: str, *, answered: bool, asked: bool
) -> list[Cell]:
    run, found = column.run, column.digest
    keys = [row.key for row in gold]
    recalls = [golds.recall_at(k, column.ranking, keys) for k in golds.CUTS] if found else []
    cuts = [cell(f"{recall:.2f}") for recall in recalls]
    cuts += [cell(Piece(*(("yes", "yes") if recalls[0] == 1 else ("no", "no"))))] if recalls else []
    empty = [cell(Piece("–", "absent"))] * (len(golds.CUTS) + 1)
    why, sentence = why_stopped(column)
    return [
        cell(column.label, go=Go(run.id), strong=True),
        *((cuts or empty) if gold else []),
        *(_answer(column) if answered else []),
        cell(str(rounds(column)) if found else "–"),
        cell(duration(run.ms) if found else "–"),
        *(_took(column) if asked else []),
        cell(why, title=sentence),
        cell(Piece(settings or "defaults", "" if settings else "quiet"), title=settings),
        cell(Piece(readable(run.created), "quiet")),
    ]


def _took(column: Column) -> list[Cell]:
    """Calls with those kept and those not fully usable, tokens and dollars; a dash where the run
    has no ranking.
    """
    spent = column.run.spent
    if column.digest is None:
        return [cell("–")] * 3
    kept = Piece(f"({spent.kept} kept)" if spent.kept else "", "quiet")
    short = Piece(f"{spent.unusable} not fully usable" if spent.unusable else "", "no")
    tokens = cell(
        f"{spent.tokens:,}", title=f"{spent.input_tokens:,} in, {spent.output_tokens:,} out"
    )
    return [cell(f"{spent.calls:,}", kept, short), tokens, cell(dollars(spent.cost))]


def _answer(column: Column) -> list[Cell]:
    """What the run wrote, and how near that comes; a dash where it wrote nothing or no answer is
    known.
    """
    found, absent = column.digest.answer if column.digest else None, cell(Piece("–", "absent"))
    if found is None:
        return [absent] * 3
    words = (
        cell(found.answer, title=found.answer)
        if found.answer
        else cell(Piece("no answer", "quiet"))
    )
    if found.em is None or found.f1 is None:
        return [words, absent, absent]
    return [
        words,
        cell(Piece(*(("yes", "yes") if found.em else ("no", "no")))),
        cell(f"{found.f1:.2f}"),
    ]


def rounds(column: Column) -> int:
    """How many iterations the run had; a method of one step has one."""
    return max(1, column.run.iterations, *(column.digest.rounds if column.digest else ()))


def why_stopped(column: Column) -> tuple[str, str]:
    """Why a run ended: a word or two, and the sentence."""
    if column.digest is None:
        return column.run.state, column.run.message
    if column.digest.gave_up:
        return "a step gave up", column.digest.gave_up
    if column.digest.why:
        return column.digest.why, column.digest.sentence
    return (
        ("finished", "")
        if column.digest.iterates
        else ("one step", "It has one round, and that was it.")
    )


def place_grid(columns: Sequence[Column], key: str, base: str | None, k: int) -> Grid:
    """Where each method ranks one passage, each with the way into its final ranking."""
    made = [
        [
            cell(column.label, go=Go(column.run.id, last_step(column.digest)), strong=True),
            cell(
                rank_piece(rank, k)
                if rank
                else Piece(f"not in its {len(column.ranking)} passages", "absent")
            ),
            cell(Piece(words, "quiet")),
        ]
        for column, rank, words in places(columns, key, base)
        if column.digest
    ]
    return {
        "head": [cell(head) for head in ("Method", "Rank", "Against the baseline")],
        "rows": made,
        "kind": "places",
    }
