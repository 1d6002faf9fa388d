"""Facts in the brackets after a name: its abbreviation, and the dates of birth and death."""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_YEAR = r"(?:\d{1,4} ?(?:BCE?|AD|CE)|\d{3,4})\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:{_DAY} {_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}|{_MONTH},? {_YEAR}|\b{_YEAR})"
_ABOUT = r"(?:(?:c\.|ca\.|circa) ?)?"
_LIFE = re.compile(rf"(?:born )?{_ABOUT}({_DATE})[^;\d]*[–—-][^;\d]*?({_DATE})")
_EVENT = re.compile(rf"\b(born|died|b\.|d\.)(?!\w)[^;\d]*?({_DATE})")
_ABBREVIATION = re.compile(r"[A-Z][A-Z&.-]{1,9}$")


class BracketFact(NamedTuple):
    """Fact in brackets about the name before them."""

    predicate: str
    object: str


def is_abbreviation(text: str) -> bool:
    """Whether brackets hold an abbreviation."""
    return bool(_ABBREVIATION.match(text))


def bracket_facts(text: str) -> list[BracketFact]:
    """An abbreviation, or the dates of a life; none where brackets hold something else.

    A single year says nothing ("Film (1998)"); two dates with a dash are a life.
    """
    if is_abbreviation(text):
        return [BracketFact("also known as", text)]
    life = _LIFE.match(text)
    if life:
        return [_dated("was born", life[1]), _dated("died", life[2])]
    return [
        _dated("was born" if verb.startswith("b") else "died", date)
        for verb, date in _EVENT.findall(text)
    ]


def _dated(verb: str, date: str) -> BracketFact:
    has_day = len(re.findall(r"\d+", date)) == 2
    return BracketFact(f"{verb} {'on' if has_day else 'in'}", date)
