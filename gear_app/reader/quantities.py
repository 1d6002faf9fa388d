"""Quantities as texts state them, "3.3 km", "four rooms" or "EUR 12", and which of two is larger.

Units are pint's; those that it does not know, rooms or storeys, are compared with themselves only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gear_app.english.answer_types import is_date
from gear_app.english.numbers import NUMBER_WORDS, counts
from gear_app.mentions.amounts import amounts
from gear_app.mentions.find import singular

if TYPE_CHECKING:
    import pint
    from pint.facets.plain import PlainQuantity

_NUMBER = re.compile(r"(?:(?<![\w)])[-−])?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)")
_LONGEST = 100  # characters of what is still a quantity
_CURRENCY = slice(1, 4)  # of a normal form of money: "#eur18400"
_UNIT = re.compile(r"[A-Za-zµ°]{1,20}(?:/[A-Za-z]{1,20})?")  # no superscripts: pint takes powers
_SPELLINGS = {"kilo": "kg", "kilos": "kg", "Kg": "kg", "KG": "kg", "Km": "km", "KM": "km"}


class Quantity(NamedTuple):
    """A number and the words of its unit, "" for a bare number."""

    value: float
    unit: str


def quantity(text: str) -> Quantity | None:
    """The number that a text states, and its unit: the rest of its words. None where it states no
    number or several, or a date.
    """
    if len(text) > _LONGEST:
        return None
    words = text.split()
    counted = [word for word in words if counts(word)]
    figures = _NUMBER.findall(text)
    if len(figures) + len(counted) != 1:
        return None
    if counted:
        others = " ".join(word for word in words if word not in counted)
        return Quantity(float(NUMBER_WORDS.index(counted[0])), others.strip(" ."))
    money = [name for name, _ in amounts(text)]
    if money:
        return Quantity(float(money[0][_CURRENCY.stop :]), money[0][_CURRENCY].upper())
    if is_date(text) and any(character.isalpha() for character in text):
        return None
    value = float(figures[0].replace(",", "").replace("−", "-"))
    return Quantity(value, _NUMBER.sub("", text).strip(" ."))


def difference(one: Quantity, other: Quantity) -> float | None:
    """How much more the first is, in whatever unit; None where their units measure other things."""
    if one.unit != other.unit:
        left, right = _in_base_units(one), _in_base_units(other)
        if left is not None and right is not None:
            return left.m - right.m if left.u == right.u else None
        if singular(one.unit) != singular(other.unit):
            return None
    return one.value - other.value


def _in_base_units(of: Quantity) -> PlainQuantity[float] | None:
    """As pint has it; None for a unit that it does not know."""
    import pint  # late: scipy comes with it, which the web's process does without

    unit = _SPELLINGS.get(of.unit, of.unit)
    if not _UNIT.fullmatch(unit):
        return None
    try:
        return _registry().Quantity(of.value, unit).to_base_units()
    except (pint.PintError, ValueError, ArithmeticError):  # "nan" is a number to pint
        return None


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[float]:
    import pint

    return pint.UnitRegistry()
