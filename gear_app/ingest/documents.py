"""The title of a plain text: what in it reads as a heading."""

from __future__ import annotations

from gear_app.language.blocks import Kind, blocks
from gear_app.language.dates import ENGLISH
from gear_app.text import tokenise

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_CALENDAR = (*_DAYS.split(), *(month.lower() for month in ENGLISH))
_HEAD = 2_000  # characters in which a first heading is looked for


def first_heading(text: str) -> str:
    """The text's first line where that is a heading: marked, alone, or short and above sentences;
    else "". A date is none ("Mon 5 Sept"): over a diary it is that of the first day.
    """
    first = next(iter(blocks(text[:_HEAD])), None)
    if first is None or first.kind is not Kind.HEADING:
        return ""
    heading = first.sentences[0]
    words = text[heading.start : heading.end]
    return "" if words[-1] in ":：" or _is_date(words) else words


def _is_date(words: str) -> bool:
    """Whether it says a number, and days and months at most, these in three letters or more."""
    tokens = tokenise(words)
    told = [token for token in tokens if not token[0].isdigit()]
    return len(told) < len(tokens) and all(
        len(token) > 2 and any(name.startswith(token) for name in _CALENDAR) for token in told
    )
