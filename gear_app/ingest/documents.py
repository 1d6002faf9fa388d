"""Plain text files to a title and a text, and what titles there are.

Every reader of documents takes bytes and a fallback title, and raises BadInput with a sentence for
the person who sent the file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gear_app.ingest.decode import decode
from gear_app.language.blocks import Kind, blocks
from gear_app.language.dates import ENGLISH
from gear_app.text import tokenise

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_CALENDAR = (*_DAYS.split(), *(month.lower() for month in ENGLISH))
_HEAD = 2_000  # characters in which a first heading is looked for
_AUTOMATIC = re.compile(
    r"(?i)microsoft word -|untitled|word document"
    r"|.*\.(docx?|pdf|tex|indd|qxd|rtf|html?|txt|md|odt|pptx?|xlsx?|pages|dvi|ps)$"
)


class DocumentText(NamedTuple):
    """A document's title and its plain text, and a sentence where not all of it was taken."""

    title: str
    text: str
    note: str = ""


def read_plain(content: bytes, title: str) -> DocumentText:
    """A text file. Its title is a first line that reads as a heading, else the given one."""
    return plain(decode(content), title)


def plain(text: str, title: str) -> DocumentText:
    """Text as it is, with its title."""
    return DocumentText(first_heading(text) or title, text)


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


def stated_title(title: object) -> str:
    """A title that a file states, or "" for what programs write when nobody gave one."""
    words = " ".join(title.split()) if isinstance(title, str) else ""
    return "" if _AUTOMATIC.match(words) else words
