"""Passages of a document: pieces of about 100 words that respect sentences, blocks and headings,
each titled with its document and the headings above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from gear_app.core.errors import Refused
from gear_app.core.text import cut, section_title, storable
from gear_app.core.types import Document, Span
from gear_app.documents.blocks import (
    PlacedBlock,
    ReadBlock,
    ReadDocument,
    lay_out,
    page_starts,
    paths,
)
from gear_app.documents.items import MOST_CHARACTERS, Batch, NewPassage, derived_key
from gear_app.language.blocks import Kind, lines_and_blocks
from gear_app.language.sentences import MOST_LINES, sentences_of

PASSAGE_WORDS = 100
LONGEST_ROW = 2 * PASSAGE_WORDS  # words of a passage without an id
LONGEST = 1500  # words of a passage with an id (the longest of the known data sets has 1,066)
LONGEST_TITLE = 300  # characters
_CHARACTERS = 10  # of a "word" at most: scripts without spaces count by length
_MOST_IN_A_ROW = 3  # headings one after another; more are a list
_OFTEN = 3  # times from which on the same line is a running head
_HEAD = 2_000  # characters in which a first heading is looked for


def add_text(batch: Batch, title: str, text: str, id_: str = "") -> None:
    """Add a plain text as a document with its passages, `id#1` and so on where it has an id."""
    _add(batch, title, text, _place_text(text), storable(id_))


def add_document(batch: Batch, document: ReadDocument, name: str) -> None:
    """Add a document; `name` is its title if it states none."""
    _add(batch, document.named(name), *lay_out(document.blocks))
    for sentence in document.remarks():
        batch.notes.add_sentence(sentence)


def add_passage(batch: Batch, id_: str, title: str, text: str) -> None:
    """Add a passage as it is; a long one becomes a document, with parts `id#1`."""
    if not is_long(text, LONGEST if id_ else LONGEST_ROW):
        key = storable(id_) or derived_key(title, text)
        batch.passages.append(NewPassage(key, _shortened(title), storable(text)))
    else:
        add_text(batch, title, text, id_)
        batch.notes.add_sentence("long passages are cut into parts")


def is_long(text: str, words: int = LONGEST) -> bool:
    """Whether a text is too long for one passage."""
    return _size(text, Span(0, len(text)), words) > words


def first_heading(text: str) -> str:
    """The text's first line if that is a heading, else ""."""
    places = _place_text(text[:_HEAD])
    heading = bool(places) and places[0].block.kind is Kind.HEADING
    return places[0].block.text if heading else ""


def _shortened(title: str) -> str:
    return cut(storable(title), LONGEST_TITLE)


def _add(batch: Batch, title: str, text: str, places: Sequence[PlacedBlock], id_: str = "") -> None:
    """Add a document and its passages, each titled by the headings above all of its text."""
    if len(text) > MOST_CHARACTERS:
        raise Refused(f"it has more than {MOST_CHARACTERS:,} characters of text; split it")
    document = Document(_shortened(title), storable(text), batch.name, pages=page_starts(places))
    batch.documents.append(document)
    above = list(paths([place.block for place in places]))
    first = 0
    for number, span in enumerate(split(text, PASSAGE_WORDS, places), start=1):
        while places[first].span.end <= span.start:
            first += 1
        last = first
        while last < len(places) and places[last].span.start < span.end:
            last += 1
        inside = range(first, last)
        content = [n for n in inside if places[n].block.kind is not Kind.HEADING]
        levels = zip(*(above[number] for number in content or inside), strict=False)
        common = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, levels)]
        name = _shortened(section_title(document.title, common))
        key = f"{id_}#{number}" if id_ else None
        words = document.text[slice(*span)]
        batch.passages.append(NewPassage(key, name, words, len(batch.documents) - 1, *span))


def _place_text(text: str) -> list[PlacedBlock]:
    """Blocks of a plain text. Lines without letters, with a colon at the end, that come often, or
    many in a row are no headings.
    """
    places: list[PlacedBlock] = []
    for lines, inside in lines_and_blocks(text, MOST_LINES):
        entries = len(inside) > 1 and len(inside) >= lines - 1
        for block in inside:
            if block.kind is Kind.HEADING:
                line = " ".join(text[slice(*block.sentences[0])].split())
                places.append(PlacedBlock(ReadBlock(Kind.HEADING, line, 1), block.span))
            else:
                prose = block.kind is Kind.PROSE and not entries
                kind = Kind.PROSE if prose else Kind.ITEM
                places.append(PlacedBlock(ReadBlock(kind, ""), block.span))
    times = Counter(place.block.text for place in places)
    result: list[PlacedBlock] = []
    for kind, group in groupby(places, key=lambda place: place.block.kind):
        run = list(group)
        for place in run:
            line = place.block.text
            named = any(map(str.isalpha, line)) and line[-1] not in ":：" and times[line] < _OFTEN
            if kind is Kind.HEADING and not (named and len(run) <= _MOST_IN_A_ROW):
                place = place._replace(block=ReadBlock(Kind.ITEM, ""))
            result.append(place)
    return result


# Cutting


class _Unit(NamedTuple):
    """A sentence, a block, or a piece of a long sentence. `block` is the paragraph's size at its
    start, else 0; `named`: the unit is a passage of its own.
    """

    span: Span
    size: int
    block: int
    heading: bool = False
    named: bool = False


def split(text: str, words: int = 100, places: Sequence[PlacedBlock] | None = None) -> list[Span]:
    """Passages of about `words` words, in order, without the white space around them.

    Sentences, items and rows are cut only when longer than 2 * `words`. Paragraphs and headings are
    preferred borders; a heading or a line that ends with a colon stays with what follows it, and a
    row with a name is a passage. A rest below a quarter of `words` joins the passage before it.
    """
    passages: list[Span] = []
    size, apart, before = 0, False, _Unit(Span(0, 0), 0, 0)
    for unit in _units(text, _place_text(text) if places is None else places, words):
        if passages and not _closes(size, before, unit, words):
            passages[-1] = Span(passages[-1].start, unit.span.end)
            size += unit.size
        else:
            passages.append(unit.span)
            size, apart = unit.size, unit.named or before.named
        before = unit
    if len(passages) > 1 and size < words // 4 and not apart:
        rest = passages.pop()
        passages[-1] = Span(passages[-1].start, rest.end)
    return passages


def _closes(size: int, before: _Unit, unit: _Unit, words: int) -> bool:
    if size >= words:
        return True
    if before.heading:
        return False
    if unit.named or before.named:
        return True
    if unit.heading:
        return size >= words / 2
    if unit.block:
        return size >= words / 2 and size + unit.block > 1.2 * words
    return size >= words / 4 and size + unit.size > 1.25 * words


def _units(text: str, places: Sequence[PlacedBlock], words: int) -> Iterator[_Unit]:
    for block, span in places:
        size = _size(text, span, 2 * words)
        heading = block.kind is Kind.HEADING or text[span.end - 1] in ":："
        if size <= 2 * words and (block.kind is not Kind.PROSE or heading):
            yield _Unit(span, size, size, heading, named=bool(block.name))
            continue
        first = size
        for sentence in sentences_of(text, span):
            short = _size(text, sentence, 2 * words) <= 2 * words
            for piece in [sentence] if short else _pieces(text, sentence, words):
                yield _Unit(piece, _size(text, piece, 2 * words), first)
                first = 0


def _pieces(text: str, sentence: Span, words: int) -> Iterator[Span]:
    """Parts of at most `words` words, and of as many characters as these may have."""
    most = words * _CHARACTERS
    start = end = sentence.start
    count = 0
    for word in re.compile(rf"\S{{1,{most}}}").finditer(text, *sentence):
        if count == words or word.end() - start > most:
            yield Span(start, end)
            start, count = word.start(), 0
        end = word.end()
        count += 1
    yield Span(start, end)


def _size(text: str, span: Span, most: int) -> int:
    """Words, or tenths of the characters where that is more."""
    tenths = (span.end - span.start) // _CHARACTERS
    return tenths if tenths > most else max(tenths, len(text[slice(*span)].split()))
