"""Passages of a document: pieces of about 100 words that respect sentences, blocks and headings,
each titled with its document and the headings above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from gear_app.core.errors import Refused
from gear_app.core.text import cut, section_title, storable
from gear_app.core.types import Document, Span
from gear_app.documents.blocks import (
    PlacedBlock,
    ReadBlock,
    ReadDocument,
    lay_out,
    with_paths,
)
from gear_app.documents.items import MOST_CHARACTERS, Batch, NewPassage, derived_key
from gear_app.language.blocks import Kind, lines_and_blocks
from gear_app.language.sentences import MOST_LINES, sentences_of

PASSAGE_WORDS = 100
LONGEST_ROW = 2 * PASSAGE_WORDS  # words of a passage without an id
LONGEST = 1500  # words of a passage with an id (the longest of the known data sets has 1,066)
LONGEST_TITLE = 300  # characters
_CHARACTERS = 10  # of a "word" at most: scripts without spaces count by length
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
    pages: list[int] = []  # places in the text where they begin, an empty one where the next does
    for block, span, _ in places:
        pages += [span.start if pages else 0] * (block.page - len(pages))
    document = Document(_shortened(title), storable(text), batch.name, pages=tuple(pages))
    batch.documents.append(document)
    for number, units in enumerate(_passages(text, places, PASSAGE_WORDS), start=1):
        paths = [unit.path for unit in units if not unit.heading] or [unit.path for unit in units]
        common = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
        name = _shortened(section_title(document.title, [names[0] for names in common]))
        key = f"{id_}#{number}" if id_ else None
        span = _span(units)
        words = document.text[slice(*span)]
        batch.passages.append(NewPassage(key, name, words, len(batch.documents) - 1, *span))


def _place_text(text: str) -> list[PlacedBlock]:
    """Blocks of a plain text. Lines without letters, with a colon at the end, or that come often
    are no headings.
    """
    blocks: list[tuple[str, PlacedBlock]] = []  # each with its words, where it reads as a heading
    for lines, inside in lines_and_blocks(text, MOST_LINES):
        entries = len(inside) > 1 and len(inside) >= lines - 1
        for block in inside:
            heading = block.kind is Kind.HEADING
            line = " ".join(text[slice(*block.sentences[0])].split()) if heading else ""
            kind = Kind.PROSE if block.kind is Kind.PROSE and not entries else Kind.ITEM
            blocks.append((line, PlacedBlock(ReadBlock(kind, ""), block.span)))
    times = Counter(line for line, _ in blocks)
    return with_paths(
        PlacedBlock(ReadBlock(Kind.HEADING, line, level=1), place.span)
        if any(map(str.isalpha, line)) and line[-1] not in ":：" and times[line] < _OFTEN
        else place
        for line, place in blocks
    )


# Cutting


class _Unit(NamedTuple):
    """A sentence, a block, or a piece of a long sentence. `block` is the paragraph's size at its
    start, else 0; `path` has the headings above, and the name of a unit that is a passage of its
    own (`named`).
    """

    span: Span
    size: int
    block: int
    path: tuple[str, ...]
    heading: bool = False
    named: bool = False


def split(text: str, words: int = 100) -> list[Span]:
    """Passages of about `words` words of a plain text, in order, without the white space around
    them.

    Sentences, items and rows are cut only when longer than 2 * `words`. Paragraphs and headings are
    preferred borders; a heading or a line that ends with a colon stays with what follows it, and a
    row with a name is a passage. A rest below a quarter of `words` joins the passage before it.
    """
    return [_span(units) for units in _passages(text, _place_text(text), words)]


def _span(units: Sequence[_Unit]) -> Span:
    return Span(units[0].span.start, units[-1].span.end)


def _passages(text: str, places: Sequence[PlacedBlock], words: int) -> list[list[_Unit]]:
    passages: list[list[_Unit]] = []
    size = 0
    for unit in _units(text, places, words):
        if passages and not _closes(size, passages[-1][-1], unit, words):
            passages[-1].append(unit)
            size += unit.size
        else:
            passages.append([unit])
            size = unit.size
    if len(passages) > 1 and size < words // 4:
        before, rest = passages[-2:]
        if not (before[-1].named or rest[0].named):
            passages[-2:] = [before + rest]
    return passages


def _closes(size: int, before: _Unit, unit: _Unit, words: int) -> bool:
    if size >= words or before.heading:
        return size >= words
    if unit.named or before.named:
        return True
    if unit.heading:
        return size >= words / 2
    if unit.block:
        return size >= words / 2 and size + unit.block > 1.2 * words
    return size >= words / 4 and size + unit.size > 1.25 * words


def _units(text: str, places: Sequence[PlacedBlock], words: int) -> Iterator[_Unit]:
    # As many characters as so many words may have, up to the end of a word where there is one.
    most = words * _CHARACTERS
    piece = re.compile(rf"(?s)\S(?:.{{0,{most - 2}}}\S)?(?!\S)|\S{{1,{most}}}")
    for block, span, path in places:
        size = _size(text, span, 2 * words)
        heading = block.kind is Kind.HEADING or text[span.end - 1] in ":："
        if size <= 2 * words and (block.kind is not Kind.PROSE or heading):
            yield _Unit(span, size, size, path, heading, named=bool(block.name))
            continue
        for sentence in sentences_of(text, span):
            parts = [sentence]
            if _size(text, sentence, 2 * words) > 2 * words:
                parts = [Span(*part.span()) for part in piece.finditer(text, *sentence)]
            for part in parts:
                first = size if part.start == span.start else 0
                yield _Unit(part, _size(text, part, 2 * words), first, path)


def _size(text: str, span: Span, most: int) -> int:
    """Words, or tenths of the characters where that is more."""
    tenths = (span.end - span.start) // _CHARACTERS
    return tenths if tenths > most else max(tenths, len(text[slice(*span)].split()))
