"""A document's text is cut into passages of about 100 words that respect sentences, paragraphs and
headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.errors import Refused
from gear_app.ingest.blocks import BlockKind, PlacedBlock
from gear_app.language.blocks import Kind, lines_and_blocks
from gear_app.language.sentences import MOST_LINES, past_space, sentences_of
from gear_app.types import Span

_CHARACTERS = (
    10  # a "word" is at most so many: scripts without spaces and endless lines count by length
)
MOST_SENTENCES = 500_000


class _Unit(NamedTuple):
    """A sentence, or a piece of one that is too long. `block` is the paragraph's size at its start,
    else 0.
    """

    span: Span
    size: int
    block: int
    heading: bool


def split(text: str, words: int = 100, blocks: Sequence[PlacedBlock] | None = None) -> list[Span]:
    """Passages of about `words` words, in order, without the white space around them; blank text
    has none. `blocks` are those of the text where its format says what they are.

    Words are never cut, except those longer than 10 * `words` characters; sentences only when
    longer than 2 * `words`, and items, rows, pairs and notes likewise. Paragraphs and headings are
    preferred borders, and a heading, the head of a table or a line that ends with a colon stays
    with what follows it. What is left over at the end, below a quarter of `words`, joins the
    passage before it. Raises Refused for more than MOST_SENTENCES.
    """
    passages: list[Span] = []
    size, after_heading = 0, False
    units = _units(text, words) if blocks is None else _units_of(text, blocks, words)
    for number, unit in enumerate(units):
        if number == MOST_SENTENCES:
            raise Refused(f"it has more than {MOST_SENTENCES:,} sentences; split it")
        if passages and not _closes(size, unit, words, after_heading=after_heading):
            passages[-1] = Span(passages[-1].start, unit.span.end)
            size += unit.size
        else:
            passages.append(unit.span)
            size = unit.size
        after_heading = unit.heading
    if len(passages) > 1 and size < words // 4:
        rest = passages.pop()
        passages[-1] = Span(passages[-1].start, rest.end)
    return passages


def _closes(size: int, unit: _Unit, words: int, *, after_heading: bool) -> bool:
    """Whether a passage of `size` words is finished before `unit`."""
    if size >= words:
        return True
    if after_heading:
        return False
    if unit.heading:
        return size >= words / 2
    if unit.block:
        return size >= words / 2 and size + unit.block > 1.2 * words
    return size >= words / 4 and size + unit.size > 1.25 * words


def _units(text: str, words: int) -> Iterator[_Unit]:
    """The units of a plain text: headings, items, rows, pairs, and lines that are entries, whole;
    of other paragraphs the sentences.
    """
    for lines, blocks in lines_and_blocks(text, MOST_LINES):
        entries = len(blocks) > 1 and len(blocks) >= lines - 1
        for block in blocks:
            size = _size(text, block.span, 2 * words)
            heading = block.kind is Kind.HEADING
            whole = heading or entries or block.kind is not Kind.PROSE
            if whole and size <= 2 * words:
                yield _Unit(block.span, size, size, heading)
            else:
                yield from _sentences(text, block.span, words, size)


def _units_of(text: str, blocks: Sequence[PlacedBlock], words: int) -> Iterator[_Unit]:
    for block, span in blocks:
        size = _size(text, span, 2 * words)
        heading = block.kind is BlockKind.HEADING or block.head or text[span.end - 1] in ":："
        if size <= 2 * words and (block.kind is not BlockKind.PARAGRAPH or heading):
            yield _Unit(span, size, size, heading)
        else:
            yield from _sentences(text, span, words, size)


def _sentences(text: str, span: Span, words: int, size: int) -> Iterator[_Unit]:
    """The sentences of a block of this size, long ones in pieces."""
    for sentence in sentences_of(text, span):
        short = _size(text, sentence, 2 * words) <= 2 * words
        for piece in [sentence] if short else _pieces(text, sentence, words):
            yield _Unit(piece, _size(text, piece, 2 * words), size, heading=False)
            size = 0


def _pieces(text: str, sentence: Span, words: int) -> Iterator[Span]:
    """Parts of at most `words` words and as many characters as these may have, which a longer word
    has alone.
    """
    some_words = re.compile(rf"\S+(?:\s+\S+){{0,{words - 1}}}")
    start = sentence.start
    while start < sentence.end:
        most = min(start + words * _CHARACTERS, sentence.end)
        found = some_words.match(text, start, most)
        assert found is not None  # there is a word at `start`
        end = found.end()
        if end == most < sentence.end and not text[end].isspace():
            # The last word goes on: it belongs to the next piece, unless it is all of this one.
            end = start + len(found[0].rsplit(None, 1)[0])
        yield Span(start, end)
        start = past_space(text, end, sentence.end)


def _size(text: str, span: Span, most: int) -> int:
    """Words, or tenths of the characters where that is more. Beyond `most` tenths, words are not
    counted.
    """
    tenths = (span.end - span.start) // _CHARACTERS
    return tenths if tenths > most else max(tenths, len(text[span.start : span.end].split()))
