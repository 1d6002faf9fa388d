"""What words look like: names, ids and dates in text that has no grammar (cells, keys, titles)."""

from __future__ import annotations

import re

from gear_app.extract.words import MONTHS
from gear_app.language.firms import firms
from gear_app.types import Span

_INITIAL = r"[^\W\d_a-zß-öø-ÿ]\."
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*[\w]|[^\W\d_a-zß-öø-ÿ]"
_ID = r"(?=[\w./-]*\d)[^\W\d_]{1,12}[-_./]?\d[\w-]*|[^\W\d_]{2,12}(?:[-_][^\W_]+)*[-_]\d[\w-]*"
_DATE = (
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:{MONTHS})(?:,? \d{{4}})?|(?:{MONTHS}) \d{{1,2}}(?:, \d{{4}})?"
)
_ONE = rf"(?:(?:{_INITIAL} ?)+(?:{_ID}|{_CAPITAL})|{_ID}|{_CAPITAL}|{_INITIAL})"
_JOINT = "&|of|de|von|van|der|den|la|le|du|di|da"
_NAME = re.compile(rf"(?<![\w-])(?:{_DATE}|{_ONE}(?:(?: (?:{_JOINT})){{0,2}} {_ONE})*)(?!\w)")
_WHOLE_ID = re.compile(rf"(?:{_ID})$")
_SMALL = frozenset(
    "a an the of and or for to in on at with by & de von van der den la le du".split()
)


def is_id(word: str) -> bool:
    """Whether one word is letters followed by digits: `CHG-7714`, `ql-07`, `B12`."""
    return _WHOLE_ID.match(word) is not None


def names(text: str) -> list[str]:
    """Names, ids and dates in a few words, in order: runs of words with a capital, names of firms
    (language.firms), and ids.
    """
    whole = [Span(*firm) for firm in firms(text)]
    spans = [Span(*found.span()) for found in _NAME.finditer(text)]
    free = [span for span in spans if not any(_overlap(span, firm) for firm in whole)]
    return [text[slice(*span)].strip(" .-") for span in sorted([*free, *whole])]


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def is_named(text: str) -> bool:
    """Whether the whole is a name and not a label: an id, or two to five words with capitals."""
    words = text.split()
    if len(words) == 1:
        return is_id(text)
    if any(is_id(word.strip(",.;:")) for word in words):
        return len(words) <= 5
    large = [word for word in words if word.lower() not in _SMALL]
    return 2 <= len(large) <= 5 and all(word[:1].isupper() for word in large)
