"""Numbers for the screen, with so many decimals that what is added up adds up as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

USUAL = 4  # what a table shows of a number by itself
STORED = 6  # those of a term
MOST = 9  # those of a factor; a number with more was not rounded, and is no part of a sum


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The decimals of each column, by name, whose numbers have more than a table shows by itself.
    Numbers that were never rounded ask for none.
    """
    places_of: dict[str, int] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float) and USUAL < (places := _decimals(value)) <= MOST:
                places_of[name] = max(places_of.get(name, 0), places)
    return places_of


def _decimals(value: float) -> int:
    exponent = Decimal(repr(value)).as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def number(value: float, places: int = 3) -> str:
    """A score with so many decimals, a real minus sign, and none before zero."""
    return f"{value:z.{places}f}".replace("-", "−")


def exact(value: float) -> str:
    """A term of a sum: the six decimals that are stored, so that the terms add up."""
    return number(value, STORED)


def fine(value: float) -> str:
    """A factor: so many decimals that what it is multiplied with comes out as printed."""
    more = f"{value:.{MOST}f}"
    return more if more[STORED - MOST :].strip("0") else exact(value)
