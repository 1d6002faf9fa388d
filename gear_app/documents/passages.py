"""Passages of a document: pieces of about 100 words that respect sentences, blocks and headings,
each titled with its document and the headings above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from gear_app.core.errors import Refused
from gear_app.core.text import cut, section_title, storable
from gear_app.core.types import Document, Span
from gear_app.documents.blocks import ReadDocument, plain_document
from gear_app.documents.items import MOST_CHARACTERS, Batch, NewPassage, derived_key
from gear_app.language.blocks import Kind, sentences_of

PASSAGE_WORDS = 100
LONGEST_ROW = 2 * PASSAGE_WORDS  # words of a passage without an id
LONGEST = 1500  # words of a passage with an id (the longest of the known data sets has 1,066)
LONGEST_TITLE = 300  # characters
_CHARACTERS = 10  # of a "word" at most: scripts without spaces count by length


def add_document(batch: Batch, document: ReadDocument, title: str, id_: str = "") -> None:
    """Add a document and its passages, each titled by the headings above all of its text, with the
    keys `id#1` and so on where it has an id.
    """
    text = document.text
    if len(text) > MOST_CHARACTERS:
        raise Refused(f"it has more than {MOST_CHARACTERS:,} characters of text; split it")
    pages: list[int] = []  # places in the text where they begin, an empty one where the next does
    for block in document.blocks:
        pages += [block.span.start if pages else 0] * (block.page - len(pages))
    stored = Document(_shortened(title), storable(text), batch.name, pages=tuple(pages))
    batch.documents.append(stored)
    for number, units in enumerate(grouped_units(document), start=1):
        paths = [unit.path for unit in units if not unit.heading] or [unit.path for unit in units]
        common = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
        name = section_title(stored.title, [names[0] for names in common])
        key = f"{storable(id_)}#{number}" if id_ else None
        span = Span(units[0].span.start, units[-1].span.end)
        words = stored.text[slice(*span)]
        batch.passages.append(
            NewPassage(key, _shortened(name), words, len(batch.documents) - 1, *span)
        )
    for sentence in document.remarks():
        batch.notes.add_sentence(sentence)


def add_passage(batch: Batch, id_: str, title: str, text: str) -> None:
    """Add a passage as it is; a long one becomes a document, with parts `id#1`."""
    most = LONGEST if id_ else LONGEST_ROW
    if _size(text, Span(0, len(text)), most) <= most:
        batch.passages.append(
            NewPassage(storable(id_) or derived_key(title, text), _shortened(title), storable(text))
        )
    else:
        add_document(batch, plain_document(text), title, id_)
        batch.notes.add_sentence("long passages are cut into parts")


def _shortened(title: str) -> str:
    return cut(storable(title), LONGEST_TITLE)


# Cutting


class Unit(NamedTuple):
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


def grouped_units(document: ReadDocument, words: int = PASSAGE_WORDS) -> list[list[Unit]]:
    """Units of passages of about `words` words, in order, without the white space around them.

    Sentences, items and rows are cut only when longer than 2 * `words`. Paragraphs and headings are
    preferred borders; a heading or a line that ends with a colon stays with what follows it, and a
    row with a name is a passage. A rest below a quarter of `words` joins the passage before it.
    """
    passages: list[list[Unit]] = []
    size = 0
    for unit in _units(document, words):
        if passages and not _closes(size, passages[-1][-1], unit, words):
            passages[-1].append(unit)
            size += unit.size
        else:
            passages.append([unit])
            size = unit.size
    rest = len(passages) > 1 and size < words // 4
    if rest and not (passages[-2][-1].named or passages[-1][0].named):
        passages[-2:] = [passages[-2] + passages[-1]]
    return passages


def _closes(size: int, before: Unit, unit: Unit, words: int) -> bool:
    if size >= words or before.heading:
        return size >= words
    if unit.named or before.named:
        return True
    if unit.heading:
        return size >= words / 2
    least, most, following = (2, 1.2, unit.block) if unit.block else (4, 1.25, unit.size)
    return size >= words / least and size + following > most * words


def _units(document: ReadDocument, words: int) -> Iterator[Unit]:
    # As many characters as so many words may have, up to the end of a word where there is one.
    most, text = words * _CHARACTERS, document.text
    piece = re.compile(rf"(?s)\S(?:.{{0,{most - 2}}}\S)?(?!\S)|\S{{1,{most}}}")
    for block in document.blocks:
        size = _size(text, block.span, 2 * words)
        heading = block.kind is Kind.HEADING or text[block.span.end - 1] in ":："
        if size <= 2 * words and (block.kind is not Kind.PROSE or heading):
            yield Unit(block.span, size, size, block.path, heading, named=bool(block.name))
            continue
        for sentence in sentences_of(text, block.span):
            parts = [sentence]
            if _size(text, sentence, 2 * words) > 2 * words:
                parts = [Span(*part.span()) for part in piece.finditer(text, *sentence)]
            for part in parts:
                yield Unit(
                    part,
                    _size(text, part, 2 * words),
                    size if part.start == block.span.start else 0,
                    block.path,
                )


def _size(text: str, span: Span, most: int) -> int:
    tenths = (span.end - span.start) // _CHARACTERS
    return tenths if tenths > most else max(tenths, len(text[slice(*span)].split()))
