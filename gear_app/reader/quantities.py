"""Quantities as texts state them, "3.3 km", "four rooms" or "EUR 12", and which of two is larger.

Units are pint's, those that mean the same to everybody; what else is counted, rooms or storeys, but
tons and pints as well, is compared with itself only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isclose, isfinite
from typing import TYPE_CHECKING, NamedTuple

from gear_app.language.amounts import amounts
from gear_app.language.answer_types import is_date
from gear_app.language.mentions import singular
from gear_app.language.numbers import COUNT, number_in
from gear_app.language.words import word_set

if TYPE_CHECKING:
    import pint
    from pint.facets.plain import PlainUnit

_LONGEST = 100  # characters of what is still a quantity
_ABOUT = "about|around|approximately|approx|roughly|nearly|almost|some|circa|ca|c|just|exactly|only"
_MEASURE = (
    "weight|mass|length|height|width|depth|size|area|distance|speed|temperature|duration|age|price"
    "|cost|fee|rent|total|sum|capacity|population"
)
_STATED = re.compile(
    rf"(?:(?:(?:the|a|an) )?(?P<measure>{_MEASURE}) of )?(?:(?:the|a|an|{_ABOUT})\b\.? )*"
    rf"(?P<number>[-−]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?|{COUNT})"
    r"(?!(?:st|nd|rd|th|s)\b|[-–/:.,'’]\d)"
    r"(?:[ -](?P<times>hundred|thousand|million|billion)\b)?"
    r"(?P<after>(?:[^\d]|(?<=[A-Za-z])[23]\b)*)"
)
_PERCENT = re.compile(r"\bper ?cent\b", re.IGNORECASE)
_COUNTED_TOO = re.compile(COUNT)
_UNCLEAR = re.compile(r"[1-9]\d{0,2}\.\d{3}")  # "12.500" is twelve and a half to some
_TIMES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_CURRENCY = slice(1, 4)  # of a normal form of money: "#eur18400"
_TOLD = word_set("long tall high wide deep thick heavy in length height width depth weight")

_PREFIXES = frozenset(("", *word_set("nano micro milli centi deci hecto kilo mega giga tera")))
_PREFIXED = word_set("meter gram second liter watt watt_hour hertz volt ampere pascal")
_PLAIN = word_set(
    "metric_ton minute hour day week month year century mile foot inch yard ounce pound stone"
    " hectare acre mile_per_hour knot bar"
)
_ALONE = word_set("degree_Celsius degree_Fahrenheit")  # a power or a rate of them has no zero
_OTHERS = word_set("a d has in pound pounds")  # pint has them as units; texts seldom do
_SPELLINGS = {"kilo": "kg", "kilos": "kg", "Kg": "kg", "KG": "kg", "Km": "km", "KM": "km"}
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_WORD = re.compile(r"([A-Za-zµ°]{1,20})([23²³]?)")
_EXPONENTS = {"": 1, "2": 2, "²": 2, "3": 3, "³": 3}


class Quantity(NamedTuple):
    """A number, its unit or the words for what it counts ("km", "EUR", "guest rooms"; "" for a
    bare number), and what is said to be measured: "long" in "5 km long".

    Of "EUR 12 per night" or "5 km and a half" the unit is all that follows the number: it is
    compared with the same words only.
    """

    value: float
    unit: str
    told: str = ""


def quantity(text: str) -> Quantity | None:
    """The number that a text states. None where it states no number or several, a date, a bound
    ("more than five"), or a number that may be read in two ways ("12.500").
    """
    if len(text) > _LONGEST:
        return None
    text, currency = _money(_PERCENT.sub("%", text))
    found = _STATED.fullmatch(text.strip(" ."))
    if found is None or _COUNTED_TOO.search(found["after"]):
        return None
    if _UNCLEAR.fullmatch(found["number"].lstrip("-−")) and not currency:
        return None
    value = number_in(found["number"].replace("−", "-"))
    if value is None:
        return None
    value *= _TIMES.get(found["times"], 1)
    words = found["after"].split()
    taken = _taken(words, currency)
    if taken and _TOLD.issuperset(words[taken:]):
        told = [found["measure"] or "", *words[taken:]]
        return Quantity(value, " ".join(words[:taken]), " ".join(told).strip())
    if is_date(text) and any(character.isalpha() for character in text):
        return None
    return Quantity(value, " ".join(words), found["measure"] or "")


def difference(one: Quantity, other: Quantity) -> float | None:
    """How much more the first is, in whatever unit; None where their units measure other things."""
    units = _unit(one.unit), _unit(other.unit)
    if units == (None, None):
        words = [unit if len(unit) < 4 else singular(unit) for unit in (one.unit, other.unit)]
        return one.value - other.value if words[0] == words[1] else None  # "Mb" is not "MB"
    if units[0] is None or units[1] is None or units[0].dimensionality != units[1].dimensionality:
        return None
    left, right = (
        _registry().Quantity(of.value, unit).to_base_units().m
        for of, unit in zip((one, other), units, strict=True)
    )
    if not isfinite(left - right):
        return None
    return 0.0 if isclose(left, right, rel_tol=1e-9) else left - right


def _money(text: str) -> tuple[str, str]:
    """A text with its one amount of money as a plain number and the currency's code behind it, and
    that code; the text as it is, and "", where it has none or several.
    """
    found = list(amounts(text))
    if len(found) != 1:
        return text, ""
    name, span = found[0]
    code = name[_CURRENCY].upper()
    number = name[_CURRENCY.stop :]
    return f"{text[: span.start]}{number} {code}{text[span.end :]}", code


def _taken(words: list[str], currency: str) -> int:
    """How many of the first words are a unit: two of "square metres of forest"."""
    if currency or words[:1] == ["%"]:
        return 1
    return next((n for n in (3, 2, 1) if len(words) >= n and _unit(" ".join(words[:n]))), 0)


@lru_cache(maxsize=1024)
def _unit(text: str) -> PlainUnit | None:
    """A unit as pint has it: "km", "square metres", "m²", "km/h", "litres per day"; None for other
    words. Only single names are given to pint, which would compute whatever an expression says.
    """
    above, _, below = text.replace(" per ", "/").partition("/")
    over, under = _power(above, alone=not below), _power(below)
    if over is None or (below and under is None):
        return None
    return over / under if under is not None else over


def _power(text: str, *, alone: bool = False) -> PlainUnit | None:
    """A unit or its square or cube; a temperature only where nothing else is with it, `alone`."""
    words = text.replace(".", "").split()
    exponent = _POWERS.get(words[0].casefold(), 1) if words else 1
    found = _WORD.fullmatch(words[-1]) if len(words) == (1 if exponent == 1 else 2) else None
    name = _named(found[1]) if found else ""
    if found is None or not name:
        return None
    exponent *= _EXPONENTS[found[2]]
    if name in _ALONE and not (alone and exponent == 1):
        return None
    return _registry().Unit(name) ** exponent


def _named(word: str) -> str:
    """The name that pint has for a unit; "" where it has none, or one that is not meant here."""
    word = _SPELLINGS.get(word, word.casefold() if len(word) > 4 else word)
    if word in _OTHERS:
        return ""
    read = _registry().parse_unit_name(word)
    prefix, name, _ = read[0] if read else ("", "", "")
    known = prefix in _PREFIXES if name in _PREFIXED else name in _PLAIN | _ALONE and not prefix
    return prefix + name if known else ""


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[float]:
    import pint  # late: scipy comes with it, which the web's process does without

    return pint.UnitRegistry()
