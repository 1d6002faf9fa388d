"""What is changed in a text before it is parsed: brackets, quotation marks, the blanks of tokenised
corpora.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gear_app.types import Span

LONGEST_WORD = 80
LONGEST_BRACKET = 400
LONGEST_TITLE = 10  # words

_TITLE_CASE = re.compile(r"[^\W_a-z]")
_QUOTES = re.compile(r"``|''|[\"“”„]")
_TIGHT_HYPHEN = re.compile(r"\w-\w")
_SPACED_HYPHEN = re.compile(r"(?<=\w) - (?=\w)")
_SPACING = (
    (re.compile(r"(?<=[a-z]{2}[.!?])(?=[A-Z][a-z])"), " "),  # "the end.The start"
    (re.compile(r"(?<=\w)- (?!(?:and|or|to)\b)(?=\w)"), "-"),  # "comedy- drama"
    (re.compile(r"(?<=\b[Cc]o) ?- ?(?=[a-z])|(?<=\bre)-(?=[a-z])"), ""),  # "co-founded" is one verb
    (re.compile(rf"\S{{{LONGEST_WORD},}}"), ""),
    (re.compile(r" [-–—] (?=(?:is|was|are|were) )"), " "),  # "Izgoy - is an album"
    (re.compile(r", (?:Inc|Ltd|LLC|L\.L\.C)\b\.?(?! [A-Z])"), ""),
    (re.compile(r",? and (?:also )?stars (?=[A-Z])"), " starring "),  # else read as a noun
)


class Edit(NamedTuple):
    """Characters [start, end) of the text give way to `replacement`."""

    start: int
    end: int
    replacement: str


class Quoted(NamedTuple):
    """A quoted title with its marks, and what is inside them."""

    start: int
    end: int
    inside: Span


def brackets(text: str) -> Iterator[Edit]:
    """Remove balanced round and square brackets of at most 400 characters, with the blank before
    them.
    """
    opened: list[int] = []
    for position, character in enumerate(text):
        if character in "([":
            opened.append(position)
        elif opened and text[opened[-1]] + character in ("()", "[]"):
            start = opened.pop()
            if not opened and position - start <= LONGEST_BRACKET:
                before = start - 1 if start and text[start - 1] == " " else start
                yield Edit(
                    before, position + 1, " " if text[position + 1 : position + 2].isalnum() else ""
                )


def quoted_titles(text: str) -> Iterator[Quoted]:
    """Quoted phrases of at most ten words that begin with a capital or a digit."""
    marks = [match.span() for match in _QUOTES.finditer(text)]
    position = 0
    while position + 1 < len(marks):
        (start, inner), (outer, end) = marks[position], marks[position + 1]
        inside = text[inner:outer].strip(" ,.;")
        titled = bool(_TITLE_CASE.match(inside)) and len(inside.split()) <= LONGEST_TITLE
        if titled:
            inner = text.index(inside, inner)
            yield Quoted(start, end, Span(inner, inner + len(inside)))
        position += 2 if titled or outer - inner < LONGEST_BRACKET else 1


def unquote(text: str, quoted: Quoted) -> Iterator[Edit]:
    """Remove the two marks, with one blank outside and none inside; a comma or stop inside moves
    outside.
    """
    before = len(text[: quoted.start].rstrip(" "))
    yield Edit(before, quoted.inside.start, " " if before and text[before - 1] not in "-–/" else "")
    after = len(text) - len(text[quoted.end :].lstrip(" "))
    following = text[after : after + 1]
    stop = text[quoted.inside.end : quoted.end].strip(" \"“”`'")[:1]
    blank = " " if following and following not in "'’,.;:)?!-–" else ""
    yield Edit(quoted.inside.end, after, ("" if following and following in ",.;" else stop) + blank)


def spacing(text: str) -> Iterator[Edit]:
    """The blanks that tokenised corpora lost or added, words too long to be words, and phrases
    parsers trip over.
    """
    for pattern, replacement in _SPACING:
        yield from (Edit(*match.span(), replacement) for match in pattern.finditer(text))
    if not _TIGHT_HYPHEN.search(text):
        yield from (Edit(*match.span(), "-") for match in _SPACED_HYPHEN.finditer(text))
