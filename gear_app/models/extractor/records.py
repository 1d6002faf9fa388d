"""Facts of pairs and tables: (subject, key, value), (first cell, column head, cell)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gear_app.core.types import Span
from gear_app.language.blocks import Block, Kind
from gear_app.models.extractor.normalise import VALUE_WORDS

MOST_VALUES = 4  # of one key
_PARTS = re.compile(r"\s*[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|\+|&)\s+")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_EDGES = " \t\r\n.,;:!?\"'“”‘’*_`-–—|/"


class Statement(NamedTuple):
    """A fact and the words that state it."""

    span: Span
    subject: str
    predicate: str
    object: str


def statements(text: str, blocks: Sequence[Block], subject: str) -> Iterator[Statement]:
    """What the blocks of a passage state, in order. `subject` is what the passage is about."""
    heads = {block.columns for block in blocks if block.columns}
    for block in blocks:
        cells = [_words(text, cell) for cell in block.cells]
        facts: list[tuple[str, str, str]] = []
        if block.kind is Kind.PAIR and block.key and block.sentences:
            facts = [(subject, _words(text, block.key), _words(text, block.sentences[0]))]
        elif block.kind is Kind.ROW and block.columns and block.cells not in heads:
            columns = [_words(text, column) for column in block.columns]
            facts = [(cells[0], *fact) for fact in zip(columns[1:], cells[1:], strict=True)]
        elif block.kind is Kind.ROW and block.key and block.cells not in heads:
            facts = [(subject, *pair) for pair in pairwise(cells)]
        for owner, key, values in facts:
            for value in _PARTS.split(_BRACKETS.sub("", values))[:MOST_VALUES]:
                if value and len(value.split()) <= VALUE_WORDS:
                    yield Statement(block.span, owner, key, value)


def _words(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split()).strip(_EDGES)
