"""Days and months of years in a normal form: "@month-day" and "@year-month", however written.

English names of months have a capital. In figures with strokes the order of day and month is read
from a number greater than 12, in the date or in the others of the text; else it is no date. With
stops between them the day comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gear_app.core.types import Span

ENGLISH = tuple(
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
MONTH = {
    name[:length].casefold(): number
    for number, name in enumerate(ENGLISH, start=1)
    for length in (3, len(name))
} | {"sept": 9}
"""The numbers of months, by their names and short forms in lower case."""

_MONTH = "|".join(f"{name.title()}|{name.upper()}" for name in sorted(MONTH, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(
    rf"\b{_DAY}(?:\s*(?:[-–/&,]|to|and)\s*{_DAY})?\.?\s+(?:of\s+)?({_MONTH})\b\.?"
    r"(?:,?\s+(\d{4})\b)?"
)
_MONTH_DAY = re.compile(
    rf"\b({_MONTH})\.?\s+{_DAY}\b(?:\s*(?:[-–]|to)\s*{_DAY})?(?!\d)(?:,?\s+(\d{{4}})\b)?"
)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\.?,?\s+(\d{{4}})\b")
_SLASHED = re.compile(
    rf"(?<![\w/.,-])(\d{{1,2}})/(\d{{1,2}})(?:/(\d{{4}}|\d{{2}}))?(?![\w/]|[.,]\d| (?:{_MONTH})\b)"
)
_DOTTED = re.compile(r"(?<![\w.,/-])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?![\w/]|[.,]\d)")
_FEWEST = 3
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def dates(text: str, *, day_first: bool | None = None) -> Iterator[tuple[str, Span]]:
    """Every day of a range, and the month of the year where one is given.

    `day_first` is the order of days in figures that do not state it themselves.
    """
    for match in _DAY_MONTH.finditer(text):
        yield from _days(match, MONTH[match[3].casefold()], match[1], match[2], match[4])
    for match in _MONTH_DAY.finditer(text):
        yield from _days(match, MONTH[match[1].casefold()], match[2], match[3], match[4])
    for match in _MONTH_YEAR.finditer(text):
        if int(match[2]) > 12:  # a year, not a day
            yield f"@{match[2]}-{MONTH[match[1].casefold()]}", Span(*match.span())
    for match in _SLASHED.finditer(text):
        first, second = int(match[1]), int(match[2])
        order = _day_first(first, second)
        order = day_first if order is None else order
        if order is not None or first == second:
            day, month = (second, first) if order is False else (first, second)
            yield from _days(match, month, str(day), None, match[3])
    for match in _DOTTED.finditer(text):
        yield from _days(match, int(match[2]), match[1], None, match[3])
    for match in _ISO.finditer(text):
        yield from _days(match, int(match[2]), match[3], None, match[1])


def day_comes_first(text: str) -> bool | None:
    """The order in a text's days with strokes; None where they do not state it.

    Days that have one reading state it. Without such days: the months of the text's other dates, or
    a place whose number is the same in _FEWEST days or more.
    """
    pairs = {(int(match[1]), int(match[2])) for match in _SLASHED.finditer(text)}
    orders = {_day_first(*pair) for pair in pairs} - {None}
    if orders or not pairs:
        return orders.pop() if len(orders) == 1 else None
    first, second = ({pair[place] for pair in pairs} for place in (0, 1))
    named = {MONTH[match[3].casefold()] for match in _DAY_MONTH.finditer(text)}
    named |= {MONTH[match[1].casefold()] for match in _MONTH_DAY.finditer(text)}
    if (first <= named) != (second <= named):
        return second <= named
    if len(pairs) >= _FEWEST and (len(first) == 1) != (len(second) == 1):
        return len(second) == 1
    return None


def _day_first(first: int, second: int) -> bool | None:
    if first > 12 >= second >= 1:
        return True
    return False if second > 12 >= first >= 1 else None


def _days(
    match: re.Match[str], month: int, first: str, last: str | None, year: str | None
) -> Iterator[tuple[str, Span]]:
    span = Span(*match.span())
    begin, end = int(first), int(last or first)
    if not 1 <= month <= 12:
        return
    if 1 <= begin <= end <= 31:
        for day in range(begin, end + 1):
            yield f"@{month}-{day}", span
    if year and len(year) == 4 and int(year) > 12:  # two digits do not state the century
        yield f"@{year}-{month}", span
