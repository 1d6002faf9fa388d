"""Passages of a document: pieces of about 100 words that respect sentences, blocks and headings,
each titled with its document and the headings it is under.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from gear_app.ingest.blocks import (
    BlockKind,
    PlacedBlock,
    ReadDocument,
    lay_out,
    page_starts,
    paths,
)
from gear_app.ingest.decode import storable
from gear_app.ingest.items import Batch, NewPassage, check_length
from gear_app.language.blocks import Kind, blocks, headings, lines_and_blocks
from gear_app.language.sentences import MOST_LINES, past_space, sentences_of
from gear_app.text import section_title
from gear_app.types import Document, Span

PASSAGE_WORDS = 100
LONGEST_ROW = 2 * PASSAGE_WORDS  # words of a table's row that is one passage
LONGEST_TITLE, LONGEST_KEY = 300, 2_000  # characters
LONGEST = 1500  # words of a passage with an id (the longest of the known data sets has 1,066)
_CHARACTERS = 10  # of a "word" at most: scripts without spaces count by length


def add_text(batch: Batch, title: str, text: str) -> None:
    """Add a plain text as a document with its passages."""
    _add_document(batch, title, text)
    _add_passages(batch, None, batch.documents[-1].title, Span(0, len(text)))


def add_document(batch: Batch, document: ReadDocument, name: str) -> None:
    """Add a document whose blocks are known; `name` is its title if it states none."""
    text, places = lay_out(document.blocks)
    _add_document(batch, document.named(name), text)
    batch.documents[-1] = replace(batch.documents[-1], pages=page_starts(places))
    for sentence in document.remarks():
        batch.notes.add_sentence(sentence)
    stored = batch.documents[-1].text
    number = len(batch.documents) - 1
    spans = split(stored, PASSAGE_WORDS, places)
    for span, above in zip(spans, _headings_above(spans, places), strict=True):
        title = _shortened(section_title(batch.documents[-1].title, above))
        batch.passages.append(NewPassage(None, title, stored[slice(*span)], number, *span))


def add_passage(batch: Batch, key: str, title: str, text: str) -> None:
    """Add a passage with a key as it is; a long one becomes a document with parts `key#1`."""
    if is_long(text):
        _add_document(batch, title, text)
        _add_passages(batch, storable(key), _shortened(title), Span(0, len(text)))
        batch.notes.add_sentence(f"passages of more than {LONGEST:,} words are cut into parts")
    else:
        batch.passages.append(NewPassage(storable(key), _shortened(title), storable(text)))


def is_long(text: str) -> bool:
    """Whether a text is too long for one passage."""
    return len(text) > 10 * LONGEST or len(text.split()) > LONGEST


class TableRow(NamedTuple):
    """A row of a table as text."""

    key: str | None
    title: str
    text: str


def add_table(batch: Batch, title: str, rows: Sequence[TableRow]) -> None:
    """Add a table as one document, rows apart by a blank line, each a passage or, if long,
    several.
    """
    _add_document(batch, title, "\n\n".join(row.text for row in rows))
    document = batch.documents[-1]
    titles = tuple(_shortened(row.title) for row in rows)
    if any(row_title != document.title for row_title in titles):
        document = batch.documents[-1] = replace(document, titles=titles)
    number, start = len(batch.documents) - 1, 0
    for row, row_title in zip(rows, titles, strict=True):
        span = Span(start, start + len(row.text))
        if _size(row.text, Span(0, len(row.text)), LONGEST_ROW) > LONGEST_ROW:
            _add_passages(batch, row.key, row_title, span)
        else:
            text = document.text[slice(*span)]
            batch.passages.append(NewPassage(row.key, row_title, text, number, *span))
        start = span.end + 2


def _add_document(batch: Batch, title: str, text: str) -> None:
    check_length(len(text))
    batch.documents.append(Document(_shortened(title), storable(text), batch.name))


def _shortened(title: str) -> str:
    clean = storable(title)
    return clean if len(clean) <= LONGEST_TITLE else f"{clean[: LONGEST_TITLE - 1]}…"


def _add_passages(batch: Batch, key: str | None, title: str, area: Span) -> None:
    """Add the passages of an area of the last document."""
    number = len(batch.documents) - 1
    text = batch.documents[number].text[slice(*area)]
    key = key if key and len(key) <= LONGEST_KEY else None
    spans = split(text, PASSAGE_WORDS)
    for n, (span, section) in enumerate(zip(spans, sections(text, spans), strict=True), start=1):
        place = Span(area.start + span.start, area.start + span.end)
        part_title = _shortened(section_title(title, [section]))
        part_key = f"{key}#{n}" if key else None
        batch.passages.append(NewPassage(part_key, part_title, text[slice(*span)], number, *place))


# Headings of plain text

_IN_A_ROW = 3  # more headings one after another are a list
_SEVERAL = 3  # sections in a passage: it is titled by none of them
_OFTEN = 3  # times from which on the same line is a running head
_HEAD = 2_000  # characters in which a first heading is looked for


def first_heading(text: str) -> str:
    """The text's first line if that is a heading, else ""."""
    first = next(iter(blocks(text[:_HEAD])), None)
    if first is None or first.kind is not Kind.HEADING:
        return ""
    line = text[slice(*first.sentences[0])]
    return "" if line[-1] in ":：" or not any(map(str.isalpha, line)) else line


def sections(text: str, spans: Sequence[Span]) -> list[str]:
    """The nearest heading at or above each passage, else "". Lines without letters, lines that end
    with a colon and lines that come again and again are no headings.
    """
    lines = [
        (line[0].start, " ".join(text[slice(*line[-1])].split()), len(line))
        for line in headings(text)
    ]
    times = Counter(name for _, name, _ in lines)
    good = [
        (start, name)
        for start, name, in_a_row in lines
        if in_a_row <= _IN_A_ROW and times[name] < _OFTEN
        if any(map(str.isalpha, name)) and not name.endswith((":", "："))
    ]
    starts = [start for start, _ in good]
    titles = []
    for span in spans:
        first, last = bisect_right(starts, span.start) - 1, bisect_left(starts, span.end) - 1
        titles.append(good[first][1] if first >= 0 and last - first < _SEVERAL - 1 else "")
    return titles


def _headings_above(
    spans: Sequence[Span], places: Sequence[PlacedBlock]
) -> Iterator[tuple[str, ...]]:
    """For each passage the headings that all of its text is under, the outermost first."""
    above = list(paths([place.block for place in places]))
    first = 0
    for span in spans:
        while places[first].span.end <= span.start:
            first += 1
        last = first
        while last < len(places) and places[last].span.start < span.end:
            last += 1
        inside = range(first, last)
        text = [at for at in inside if places[at].block.kind is not BlockKind.HEADING]
        levels = zip(*(above[at] for at in text or inside), strict=False)
        yield tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, levels))


class _Unit(NamedTuple):
    """A sentence, or a piece of a long one. `block` is the paragraph's size at its start, else
    0.
    """

    span: Span
    size: int
    block: int
    heading: bool


def split(text: str, words: int = 100, placed: Sequence[PlacedBlock] | None = None) -> list[Span]:
    """Passages of about `words` words, in order, without the white space around them.

    Sentences, items and rows are cut only when longer than 2 * `words`. Paragraphs and headings are
    preferred borders, and a heading, the head of a table or a line that ends with a colon stays
    with what follows it. A rest below a quarter of `words` joins the passage before it.
    """
    passages: list[Span] = []
    size, after_heading = 0, False
    for unit in _units(text, words) if placed is None else _units_of(text, placed, words):
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
    """Whether a passage of `size` words ends before `unit`."""
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
    """Units of a plain text: sentences of paragraphs; headings, items and rows as they are."""
    for lines, inside in lines_and_blocks(text, MOST_LINES):
        entries = len(inside) > 1 and len(inside) >= lines - 1
        for block in inside:
            size = _size(text, block.span, 2 * words)
            heading = block.kind is Kind.HEADING
            entire = heading or entries or block.kind is not Kind.PROSE
            if entire and size <= 2 * words:
                yield _Unit(block.span, size, size, heading)
            else:
                yield from _sentences(text, block.span, words, size)


def _units_of(text: str, placed: Sequence[PlacedBlock], words: int) -> Iterator[_Unit]:
    for block, span in placed:
        size = _size(text, span, 2 * words)
        heading = block.kind is BlockKind.HEADING or block.head or text[span.end - 1] in ":："
        if size <= 2 * words and (block.kind is not BlockKind.PARAGRAPH or heading):
            yield _Unit(span, size, size, heading)
        else:
            yield from _sentences(text, span, words, size)


def _sentences(text: str, span: Span, words: int, size: int) -> Iterator[_Unit]:
    """Sentences of a block of this size, long ones in pieces."""
    for sentence in sentences_of(text, span):
        short = _size(text, sentence, 2 * words) <= 2 * words
        for piece in [sentence] if short else _pieces(text, sentence, words):
            yield _Unit(piece, _size(text, piece, 2 * words), size, heading=False)
            size = 0


def _pieces(text: str, sentence: Span, words: int) -> Iterator[Span]:
    """Parts of at most `words` words, and of as many characters as these may have."""
    some_words = re.compile(rf"\S+(?:\s+\S+){{0,{words - 1}}}")
    start = sentence.start
    while start < sentence.end:
        most = min(start + words * _CHARACTERS, sentence.end)
        match = some_words.match(text, start, most)
        assert match is not None  # there is a word at `start`
        end = match.end()
        if end == most < sentence.end and not text[end].isspace():
            # The last word goes on: it belongs to the next piece, unless it is all of this one.
            end = start + len(match[0].rsplit(None, 1)[0])
        yield Span(start, end)
        start = past_space(text, end, sentence.end)


def _size(text: str, span: Span, most: int) -> int:
    """Words, or tenths of the characters where that is more."""
    tenths = (span.end - span.start) // _CHARACTERS
    return tenths if tenths > most else max(tenths, len(text[slice(*span)].split()))
