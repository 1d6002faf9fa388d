"""Days and months of years in a normal form: "@month-day" and "@year-month", and numbers in
digits or in words.

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
# The numbers of months, by their names and short forms in lower case.
MONTH = {
    name[:length].casefold(): number
    for number, name in enumerate(ENGLISH, start=1)
    for length in (3, len(name))
} | {"sept": 9}

_MONTH = "|".join(f"{name.title()}|{name.upper()}" for name in sorted(MONTH, key=len, reverse=True))
_DAY, _UNTIL = (rf"(?P<{name}>\d{{1,2}})(?:st|nd|rd|th)?" for name in ("day", "until"))
_NAME, _YEAR = rf"(?P<month>{_MONTH})", r"(?P<year>\d{4})"
_SLASHED = re.compile(
    r"(?<![\w/.,-])(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?"
    rf"(?![\w/]|[.,]\d| (?:{_MONTH})\b)"
)
_FEWEST = 3
_PATTERNS = (
    re.compile(
        rf"\b{_DAY}(?:\s*(?:[-–/&,]|to|and)\s*{_UNTIL})?\.?\s+(?:of\s+)?{_NAME}\b\.?"
        rf"(?:,?\s+{_YEAR}\b)?"
    ),
    re.compile(rf"\b{_NAME}\.?\s+{_DAY}\b(?:\s*(?:[-–]|to)\s*{_UNTIL})?(?!\d)(?:,?\s+{_YEAR}\b)?"),
    re.compile(rf"\b{_NAME}\.?,?\s+{_YEAR}\b"),
    _SLASHED,
    re.compile(
        r"(?<![\w.,/-])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d{2})(?![\w/]|[.,]\d)"
    ),
    re.compile(rf"\b{_YEAR}-(?P<month>\d{{2}})-(?P<day>\d{{2}})\b"),
)


def dates(text: str, *, day_first: bool | None = None) -> Iterator[tuple[str, Span]]:
    """Every day of a range, and the month of the year where one is given.

    `day_first` is the order of days in figures that do not state it themselves.
    """
    for match in (match for pattern in _PATTERNS for match in pattern.finditer(text)):
        written = {name: value or "" for name, value in match.groupdict().items()}
        name = written.get("month", "").casefold()
        month, day = MONTH.get(name) or int(name or 0), int(written.get("day") or 0)
        if "first" in written:
            first, second = int(written["first"]), int(written["second"])
            order = _day_first(first, second)
            order = day_first if order is None else order
            day, month = (second, first) if order is False else (first, second)
            month = 0 if order is None and first != second else month
        if 1 <= month <= 12:
            for name in _days(month, day, int(written.get("until") or day), written["year"]):
                yield name, Span(*match.span())


def day_comes_first(text: str) -> bool | None:
    """The order in a text's days with strokes, which days with one reading state; without such days
    a place whose number is the same in _FEWEST days or more is the month. None where it is open.
    """
    pairs = {(int(match["first"]), int(match["second"])) for match in _SLASHED.finditer(text)}
    orders = {_day_first(*pair) for pair in pairs} - {None}
    if orders or len(pairs) < _FEWEST:
        return orders.pop() if len(orders) == 1 else None
    first, second = (len({pair[place] for pair in pairs}) == 1 for place in (0, 1))
    return second if first != second else None


def _day_first(first: int, second: int) -> bool | None:
    if first > 12 >= second >= 1:
        return True
    return False if second > 12 >= first >= 1 else None


def _days(month: int, begin: int, end: int, year: str) -> Iterator[str]:
    if 1 <= begin <= end <= 31:
        for day in range(begin, end + 1):
            yield f"@{month}-{day}"
    if len(year) == 4 and int(year) > 12:  # two digits do not state the century
        yield f"@{year}-{month}"


NUMBER_WORDS = (
    "none one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty"
).split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_COUNTS = NUMBER_WORDS[2:]  # "one" may count nothing: "one of the founders"

# A word that counts what follows, "two" to "twenty": no name ("Three Rivers", "Seven against
# Thebes", "ten Downing Street"), no time ("ten past nine") and no fraction.
COUNT = re.compile(
    rf"(?:\b(?:{'|'.join(_COUNTS)})(?=$| [^A-Z\d])"
    rf"|\b(?:{'|'.join(map(str.title, _COUNTS))})"
    r"(?= (?:[a-z]+[^s\W]s|people|men|women|children)\b))"
    r"(?! (?:of|past|to|thirds|quarters|[a-z]+ths)\b)"
)


def number_in(words: str) -> float | None:
    """The number that words state: 1.333, three, third; None where they state none."""
    plain = words.strip().casefold().replace(",", "")
    if plain in NUMBER_WORDS:
        return float(NUMBER_WORDS.index(plain))
    if plain in ORDINALS:
        return float(ORDINALS.index(plain) + 1)
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", plain)
    return float(plain) if re.fullmatch(r"-?(?:\d+\.?\d*|\.\d+)", plain) else None
