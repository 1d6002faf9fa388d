"""Tables of a comparison as component data: words in cells, and from a cell into a run's step."""

from __future__ import annotations

from typing import Any, NamedTuple

from gear_app.analysis.gold import CUTS


class Go(NamedTuple):
    """Where a cell leads: a run's Explore view, at a step or where it opens by itself."""

    run: str
    step: int | None = None


class Piece(NamedTuple):
    """A word in a cell; `tone` is "top" (within the first k), "near" (not far), "absent", "yes",
    "no" or "quiet".

    `joined`: it stays on one line with the piece before it.
    """

    text: str
    tone: str = ""
    joined: bool = False


Cell = dict[str, Any]
Grid = dict[str, Any]


def cell(*pieces: Piece | str, go: Go | None = None, title: str = "", strong: bool = False) -> Cell:
    """A cell: its pieces, the step it opens, what it says when pointed at."""
    made = [Piece(piece) if isinstance(piece, str) else piece for piece in pieces]
    return {
        "pieces": [piece._asdict() for piece in made if piece.text],
        "go": go._asdict() if go else None,
        "title": title,
        "strong": strong,
    }


def rank_piece(rank: int | None, k: int, *, joined: bool = False) -> Piece:
    """A rank in its colour; – for none."""
    if rank is None:
        return Piece("–", "absent", joined)
    return Piece(str(rank), "top" if rank <= k else "near" if rank <= CUTS[-1] else "far", joined)
