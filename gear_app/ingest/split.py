"""A document's text is cut into passages of about 100 words that respect sentences, paragraphs and
headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gear_app.ingest.sentences import is_heading, paragraphs, sentences_of
from gear_app.types import Span

_WORD = re.compile(r"\S+")
_CHARACTERS = (
    10  # a "word" is at most so many: scripts without spaces and endless lines count by length
)


class _Unit(NamedTuple):
    """A sentence, or a piece of one that is too long. `block` is the paragraph's size at its start,
    else 0.
    """

    span: Span
    size: int
    block: int
    heading: bool


def split(text: str, words: int = 100) -> list[Span]:
    """Passages of about `words` words, in order, without the white space around them; blank text
    has none.

    Words are never cut, except those longer than 10 * `words` characters; sentences only when
    longer than 2 * `words`. Paragraphs and headings are preferred borders, and a heading stays with
    what follows it. What is left over at the end, below a quarter of `words`, joins the passage
    before it.
    """
    groups: list[list[_Unit]] = []
    size = 0
    for unit in _units(text, words):
        if groups and not _closes(groups[-1][-1], size, unit, words):
            groups[-1].append(unit)
            size += unit.size
        else:
            groups.append([unit])
            size = unit.size
    if len(groups) > 1 and size < words // 4:
        groups[-2].extend(groups.pop())
    return [Span(group[0].span.start, group[-1].span.end) for group in groups]


def _closes(last: _Unit, size: int, unit: _Unit, words: int) -> bool:
    """Whether a passage of `size` words that ends with `last` is finished before `unit`."""
    if size >= words:
        return True
    if last.heading:
        return False
    if unit.heading:
        return size >= words / 2
    if unit.block:
        return size >= words / 2 and size + unit.block > 1.2 * words
    return size >= words / 4 and size + unit.size > 1.25 * words


def _units(text: str, words: int) -> Iterator[_Unit]:
    for paragraph in paragraphs(text):
        heading = is_heading(text[paragraph.start : paragraph.end])
        block = _size(text, paragraph)
        for sentence in sentences_of(text, paragraph):
            for piece in _pieces(text, sentence, words):
                yield _Unit(piece, _size(text, piece), block, heading)
                block = 0


def _pieces(text: str, sentence: Span, words: int) -> Iterator[Span]:
    """The sentence, or parts of about `words` words of one that is longer than twice that."""
    if _size(text, sentence) <= 2 * words:
        yield sentence
        return
    start = end = sentence.start
    count = 0
    for run in _runs(text, sentence, words * _CHARACTERS):
        if count and (count == words or run.end - start > words * _CHARACTERS):
            yield Span(start, end)
            start, count = run.start, 0
        end = run.end
        count += 1
    yield Span(start, end)


def _runs(text: str, sentence: Span, longest: int) -> Iterator[Span]:
    for word in _WORD.finditer(text, sentence.start, sentence.end):
        for start in range(word.start(), word.end(), longest):
            yield Span(start, min(start + longest, word.end()))


def _size(text: str, span: Span) -> int:
    """Words, or tenths of the characters where that is more."""
    return max(len(text[span.start : span.end].split()), (span.end - span.start) // _CHARACTERS)
