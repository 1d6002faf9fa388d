"""Days and months of years in a normal form: "@month-day" and "@year-month", however written.

What is written in figures alone says which is the month only where one of them is greater than 12,
or where the other days of the same text do; else it is no mention. With stops between them the day
comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gear_app.types import Span

ENGLISH = tuple(
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
GERMAN = tuple(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
_OTHERS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januar februar marts april maj juni juli august september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada"
    " grudnia",
)
FOREIGN = {
    name.casefold(): number
    for names in (*(line.split() for line in _OTHERS), GERMAN)
    for number, name in enumerate(names, start=1)
} | {"jänner": 1, "feber": 2}
"""Their numbers, by the name in lower case."""

MONTH = {
    name[:length].casefold(): number
    for number, name in enumerate(ENGLISH, start=1)
    for length in (3, 4, len(name))
}
"""The numbers of English months, by their names and short forms in lower case."""

_NAMED_MONTH = "|".join(sorted(MONTH, key=len, reverse=True))
_FOREIGN_MONTH = "|".join(sorted(FOREIGN.keys() - MONTH.keys(), key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(
    rf"\b{_DAY}(?:\s*(?:[-–/&,]|to|and)\s*{_DAY})?\.?\s+(?:of\s+)?({_NAMED_MONTH})\b\.?"
    r"(?:,?\s+(\d{4})\b)?",
    re.IGNORECASE,
)
_DAY_FOREIGN = re.compile(
    rf"\b(\d{{1,2}})(?:er|º|°)?\.?\s+(?:de\s+|di\s+)?({_FOREIGN_MONTH})\b"
    r"(?:,?\s+(?:de\s+)?(\d{4})\b)?",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b({_NAMED_MONTH})\.?\s+{_DAY}\b(?:\s*(?:[-–]|to)\s*{_DAY})?(?!\d)(?:,?\s+(\d{{4}})\b)?",
    re.IGNORECASE,
)
_MONTH_YEAR = re.compile(rf"\b({_NAMED_MONTH})\.?,?\s+(\d{{4}})\b", re.IGNORECASE)
_SLASHED = re.compile(
    r"(?<![\w/.,-])(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?![\w/]|[.,]\d| (?:"
    rf"{_NAMED_MONTH})\b)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w.,/-])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})(?![\w/]|[.,]\d)")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_FEWEST = 3


def dates(text: str, *, day_first: bool | None = None) -> Iterator[tuple[str, Span]]:
    """Every day of a range, and the month of the year where one is given. `day_first` is the order
    of days in figures that do not tell it themselves; None where it is not known.
    """
    for match in _DAY_MONTH.finditer(text):
        yield from _days(match, MONTH[match[3].casefold()], match[1], match[2], match[4])
    for match in _DAY_FOREIGN.finditer(text):
        yield from _days(match, FOREIGN[match[2].casefold()], match[1], None, match[3])
    for match in _MONTH_DAY.finditer(text):
        if match[1] != "may":  # "they may 3 times"
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
            yield from _days(match, month, str(day), None, _year(match[3]))
    for match in _DOTTED.finditer(text):
        yield from _days(match, int(match[2]), match[1], None, _year(match[3]))
    for match in _ISO.finditer(text):
        yield from _days(match, int(match[2]), match[3], None, match[1])


def day_comes_first(text: str) -> bool | None:
    """Whether it does in a text's days with strokes; None where nothing says so.

    Those say it that can only be read one way. Where there are none: one place is the month where
    all that stands there is a month that a day written otherwise has, and not so in the other
    place; or where it is the same in all of _FEWEST days or more, and the other place is not.
    """
    pairs = {(int(match[1]), int(match[2])) for match in _SLASHED.finditer(text)}
    orders = {_day_first(*pair) for pair in pairs} - {None}
    if orders or not pairs:
        return orders.pop() if len(orders) == 1 else None
    first, second = ({pair[place] for pair in pairs} for place in (0, 1))
    named = _months(text)
    if (first <= named) != (second <= named):
        return second <= named
    if len(pairs) >= _FEWEST and (len(first) == 1) != (len(second) == 1):
        return len(second) == 1
    return None


def _months(text: str) -> set[int]:
    """The months of days that are not written with strokes."""
    found = {MONTH[match[3].casefold()] for match in _DAY_MONTH.finditer(text)}
    found |= {FOREIGN[match[2].casefold()] for match in _DAY_FOREIGN.finditer(text)}
    found |= {MONTH[match[1].casefold()] for match in _MONTH_DAY.finditer(text)}
    return found | {int(m[2]) for days in (_DOTTED, _ISO) for m in days.finditer(text)}


def foreign_days(text: str) -> Iterator[Span]:
    """Where months of other languages stand after a day: there they are no words."""
    return (Span(*match.span(2)) for match in _DAY_FOREIGN.finditer(text))


def _day_first(first: int, second: int) -> bool | None:
    if first > 12 >= second >= 1:
        return True
    return False if second > 12 >= first >= 1 else None


def _year(digits: str | None) -> str | None:
    """A year of four digits; two do not tell the century."""
    return digits if digits and len(digits) == 4 else None


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
    if year and int(year) > 12:
        yield f"@{year}-{month}", span
