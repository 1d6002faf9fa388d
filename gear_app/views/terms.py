"""A passage's score as arithmetic: the parts it is made of, each in words, and what they come to.

Fused scores are sums of reciprocal ranks, ensembled ones means. A score of a pool is the greatest
of its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from gear_app.events import Part, RankedPassage
from gear_app.views.beam import DIGITS, exact

KINDS: Mapping[str, str] = {
    "bm25": "words",
    "dense": "passage",
    "hybrid": "passage",
    "base": "passage",
    "walk": "kept",
    "beams": "kept",
    "gist": "gist",
    "iteration": "kept",
    "query": "kept",
}
Way = Literal["sum", "mean", "greatest"]
"""How a score is made of its parts: reciprocal ranks added up, normalised scores averaged, or the
greatest taken."""


def kind(part: Part) -> str:
    """The palette's name for what a part is: base retrieval (BM25's apart from the dense), beams,
    walk or gist.

    In a pool the question's own list is base retrieval's; the others are what the method added.
    """
    if part.source == "query 1":
        return "passage"
    return KINDS.get(part.source.split(" ")[0], "pruned")


def source(part: Part, gist: Sequence[str] = ()) -> str:
    """A part's list and the passage's rank in it, in words."""
    name, _, number = part.source.partition(" ")
    words = (
        gist[int(number) - 1]
        if name == "gist" and number.isdigit() and int(number) <= len(gist)
        else ""
    )
    return f"rank {part.rank} in {part.source}" + (f": {words}" if words else "")


def term(part: Part, gist: Sequence[str] = (), way: Way = "sum") -> str:
    """A part as arithmetic: 1 / (constant + rank) = value, or a list's own score and what it is
    normalised to.
    """
    own = f", score {exact(part.score)}" if part.score is not None else ""
    if way == "greatest":
        return f"{part.source}: rank {part.rank}{own}, normalised {exact(part.value)}"
    if way == "mean":
        return (
            f"{exact(part.value)} · half of {exact(2 * part.value)}, to which {source(part)}{own}"
            " is normalised"
        )
    constant = round(1 / part.value) - part.rank if part.value else 0
    return f"1/({constant} + {part.rank}) = {exact(part.value)} · {source(part, gist)}"


def total(passage: RankedPassage, way: Way = "sum") -> str:
    """What the parts come to."""
    if way != "greatest" or not passage.parts:
        return f"= {exact(added([part.value for part in passage.parts], passage.score))}"
    greatest = max(part.value for part in passage.parts)
    if passage.score > 1:
        return (
            f"{exact(passage.score)}: promoted above every score of the pool, where it has"
            f" {exact(greatest)}"
        )
    if not passage.score and not greatest:
        return "= 0: the last of its query, or below the pool in the order of the first query"
    return f"= {exact(passage.score)}, the greatest of them, not the sum"


def added(values: Sequence[float], score: float) -> float:
    """What terms add up to as they are shown, each rounded: it may be a millionth or two beside the
    score. The score itself where terms are missing.
    """
    total = round(sum(round(value, DIGITS) for value in values), DIGITS)
    return total if abs(total - score) < (len(values) + 1) * 10.0**-DIGITS else score


def joined(passage: RankedPassage, gist: Sequence[str] = (), way: Way = "sum") -> str:
    """All parts in one line for a table: as a sum, or as a choice of the greatest."""
    parts = [f"{part.value:.6f} ({source(part, gist)})" for part in passage.parts]
    return f"greatest of: {', '.join(parts)}" if way == "greatest" and parts else " + ".join(parts)


def drawn(passage: RankedPassage, way: Way = "sum") -> tuple[Part, ...]:
    """The parts a bar is made of: all that are added up, or the greatest, the earliest of
    several.
    """
    if way != "greatest" or not passage.parts:
        return passage.parts
    return (max(passage.parts, key=lambda part: part.value),)


def longest(ranking: Sequence[RankedPassage], way: Way = "sum") -> float:
    """The score that fills the bar: the best; in a pool 1, which promoted passages are above."""
    best = max((passage.score for passage in ranking), default=0.0)
    return min(1.0, best) if way == "greatest" else best
