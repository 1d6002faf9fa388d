"""Facts of pairs and tables: (subject, key, value), (first cell, column head, cell)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import Span
from gear_app.language.blocks import Block, Kind
from gear_app.models.extractor.words import MONTHS

MOST_VALUES = 4  # of one key
VALUE_WORDS, NAME_WORDS = 8, 5
_PARTS = re.compile(r"\s*[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|\+|&)\s+")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_EDGES = " \t\r\n.,;:!?\"'“”‘’*_`-–—|/"


class Statement(NamedTuple):
    """A fact and the words that state it."""

    subject: str
    predicate: str
    object: str
    span: Span


def statements(
    text: str, blocks: Sequence[Block], subject: str, section: str = ""
) -> Iterator[Statement]:
    """What the blocks of a passage state, in order. `subject` is what the passage is about,
    `section` the heading that the text begins under.
    """
    tables = {block.columns for block in blocks if block.columns}
    for block in blocks:
        if block.cells in tables:
            continue  # it names the columns of the others
        heading = _words(text, block.heading) or section
        owner = heading if is_named(heading) else subject
        context = heading if heading and heading != owner else subject
        if block.kind is Kind.ROW:
            yield from _row(text, block, owner, context)
        elif block.kind is Kind.PAIR and block.sentences:
            yield from _pair(text, block, owner, context)


def _pair(text: str, block: Block, owner: str, context: str) -> Iterator[Statement]:
    """(owner, key, value); of a key that is a name itself, (key, context, value)."""
    key, value = _words(text, block.key), _words(text, block.sentences[0])
    subject, predicate = (key, context) if is_named(key) else (owner, key)
    if normalise_entity(key) == normalise_entity(owner):
        subject, predicate = owner, context if context != owner else "is"
    span = Span(block.key.start, block.sentences[0].end) if block.key else block.span
    for lead, values in _values(value):
        yield Statement(subject, _joined(predicate, lead), values, span)


def _row(text: str, block: Block, owner: str, context: str) -> Iterator[Statement]:
    """(first cell, column head, cell). Without columns a row of two is a pair."""
    cells = [_words(text, cell) for cell in block.cells]
    span = block.sentences[0]
    if block.columns:
        columns = [_words(text, column) for column in block.columns]
        for column, cell in list(zip(columns, cells, strict=True))[1:]:
            if len(cell.split()) <= VALUE_WORDS:
                yield Statement(cells[0], column, cell, span)
    elif block.key:
        subject, predicate = (cells[0], context) if is_named(cells[0]) else (owner, cells[0])
        for lead, value in _values(cells[1]):
            yield Statement(subject, _joined(predicate, lead), value, span)


class Value(NamedTuple):
    """A name in a value, and the words before it in its part: `serum` of `serum FB-61`."""

    lead: str
    name: str


def _values(text: str) -> list[Value]:
    """The names in a value, part by part; the whole where it is short and names nothing."""
    name = _BRACKETS.sub("", text).strip(_EDGES)
    values: list[Value] = []
    for part in _PARTS.split(name):
        part = part.strip(_EDGES)
        named = names(part)
        if len(named) == 1 and part.endswith(named[0]):
            values.append(Value(part[: -len(named[0])].strip(_EDGES), named[0]))
        elif 0 < len(part.split()) <= NAME_WORDS and any(c.isupper() or c.isdigit() for c in part):
            values.append(Value("", part))
        else:
            values += [Value("", name) for name in named]
    if not values and 0 < len(name.split()) <= VALUE_WORDS:
        values = [Value("", name)]
    short = [
        value if len(value.lead.split()) <= NAME_WORDS else Value("", value.name)
        for value in values
    ]
    return list(dict.fromkeys(value for value in short if value.name))[:MOST_VALUES]


def _joined(predicate: str, lead: str) -> str:
    return f"{predicate} {lead}" if lead else predicate


def _words(text: str, span: Span | None) -> str:
    return "" if span is None else " ".join(text[span.start : span.end].split()).strip(_EDGES)


# What words look like that have no grammar: names, ids and dates in cells, keys and titles

_INITIAL = r"[^\W\d_a-zß-öø-ÿ]\."
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*[\w]|[^\W\d_a-zß-öø-ÿ]"
_ID = r"(?=[\w./-]*\d)[^\W\d_]{1,12}[-_./]?\d[\w-]*|[^\W\d_]{2,12}(?:[-_][^\W_]+)*[-_]\d[\w-]*"
_DATE = (
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:{MONTHS})(?:,? \d{{4}})?|(?:{MONTHS}) \d{{1,2}}(?:, \d{{4}})?"
)
_ONE = rf"(?:(?:{_INITIAL} ?)+(?:{_ID}|{_CAPITAL})|{_ID}|{_CAPITAL}|{_INITIAL})"
_JOINT = "&|of|de|von|van|der|den|la|le|du|di|da"
_NAME = re.compile(rf"(?<![\w-])(?:{_DATE}|{_ONE}(?:(?: (?:{_JOINT})){{0,2}} {_ONE})*)(?!\w)")
_WHOLE_ID = re.compile(rf"(?:{_ID})$")
_SMALL = frozenset(
    "a an the of and or for to in on at with by & de von van der den la le du".split()
)


def is_id(word: str) -> bool:
    """Whether one word is letters followed by digits: `CHG-7714`, `ql-07`, `B12`."""
    return _WHOLE_ID.match(word) is not None


def names(text: str) -> list[str]:
    """Names, ids and dates in a few words, in order: runs of words with a capital, and ids."""
    return [match[0].strip(" .-") for match in _NAME.finditer(text)]


def is_named(text: str) -> bool:
    """Whether the whole is a name and not a label: an id, or two to five words with capitals."""
    words = text.split()
    if len(words) == 1:
        return is_id(text)
    if any(is_id(word.strip(",.;:")) for word in words):
        return len(words) <= 5
    large = [word for word in words if word.lower() not in _SMALL]
    return 2 <= len(large) <= 5 and all(word[:1].isupper() for word in large)
