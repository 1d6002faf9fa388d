"""Facts that a text's structure states: pairs, tables, lists under a heading, a title of parts.

No grammar and no model: (subject of the block, key, value), (row head, column head, cell).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.extract.title import Title
from gear_app.extract.triple_filter import Relation
from gear_app.extract.words import MONTHS
from gear_app.language.blocks import Block, Kind
from gear_app.language.verbs import is_infinitive
from gear_app.language.words import DETERMINERS
from gear_app.text import normalise_entity
from gear_app.types import Span

MOST_VALUES = 4  # of one key or item
VALUE_WORDS, NAME_WORDS = 8, 5
_PARTS = re.compile(r"\s*[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|\+|&)\s+")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_EDGES = " \t\r\n.,;:!?\"'“”‘’*_`-–—|/"
_LEAD = re.compile(r"((?:[^\W\d_A-Z][\w'’-]*\s+){1,4})(\S.*)")
_NUMBER = re.compile(r"\s*\d{1,3}[.)]\s")
_BEFORE_VALUES = frozenset("by to from at on in of for with since until".split())
_FIELD = frozenset("field key property attribute parameter".split())
_VALUE = frozenset("value values content entry".split())
_TITLE_PARTS = re.compile(r"\s*[:|,(–—]\s*|\s-\s")
_NAMING = frozenset("name id title heading no nr number ref".split())
_CODE_DIGITS, _LONE_CODE_DIGITS = 3, 4  # a shorter number counts or ranks; so in a row seen alone


class Statement(NamedTuple):
    """A fact and the words that state it."""

    subject: str
    predicate: str
    object: str
    span: Span


def statements(
    text: str, blocks: Sequence[Block], title: Title, label: str, section: str = ""
) -> Iterator[Statement]:
    """What the blocks of a passage state, in order. `label` is the passage's title as it stands,
    the subject where the title is no name; `section` the heading that the text begins under.
    """
    head = _record_head(text, blocks, named=bool(title.name)) or title.name
    blocks, named = _with_pairs(text, blocks)
    tables = {block.columns for block in blocks if block.columns} | named
    heads = _number_heads(text, blocks)
    for block in blocks:
        if block.cells in tables:
            continue  # it names the columns of the others
        heading = _words(text, block.heading) or section
        owner = heading if is_named(heading) else head
        context = heading if heading and heading != owner else label
        if block.kind is Kind.ROW:
            yield from _row(text, block, owner, context, heads.get(block.columns, 0))
        elif block.kind is Kind.PAIR and block.sentences:
            yield from _pair(text, block, owner, context)
        elif block.kind is Kind.ITEM and heading and not _told(text, block):
            predicate = heading if heading != owner else "lists"
            for lead, value in _values(_words(text, block.sentences[0])):
                yield Statement(owner, _joined(predicate, lead), value, block.sentences[0])


def _with_pairs(text: str, blocks: Sequence[Block]) -> tuple[list[Block], set[tuple[Span, ...]]]:
    """The blocks, where a table of two columns that is a list of pairs heads none of its rows, and
    the first rows of those whose heads say just that: "Field | Value".
    """
    rows: dict[tuple[Span, ...], list[str]] = {}
    for block in blocks:
        if len(block.columns) == 2:
            rows.setdefault(block.columns, []).append(_words(text, block.cells[0]))
    pairs, named = set(), set()
    for columns, keys in rows.items():
        key, value = (_words(text, column) for column in columns)
        if key.lower() in _FIELD and value.lower() in _VALUE:
            named.add(columns)
        elif _are_labels((key, *keys), value):
            pairs.add(columns)
    unheaded = pairs | named
    found = [replace(b, columns=()) if b.columns in unheaded else b for b in blocks]
    return found, named


def _number_heads(text: str, blocks: Sequence[Block]) -> dict[tuple[Span, ...], int]:
    """Of each table, by the row of its columns, which cell names a row that begins with a number.

    It is the first where these numbers tell the rows apart as years and article numbers do. Where
    they count, rank or repeat it is the second, if that is written in letters.
    """
    rows: dict[tuple[Span, ...], list[Block]] = {}
    for block in blocks:
        if block.columns and block.cells != block.columns:
            rows.setdefault(block.columns, []).append(block)
    heads = {}
    for columns, own in rows.items():
        cells = [[_words(text, cell) for cell in block.cells[:2]] for block in own]
        numbered = [row for row in cells if row[0].isdecimal()]
        lettered = all(any(map(str.isalpha, second)) for _, second in numbered)
        heads[columns] = int(lettered and not _are_codes([first for first, _ in numbered]))
    return heads


def _are_codes(numbers: Sequence[str]) -> bool:
    """Whether numbers name what they stand beside: no two the same, all of three digits or more and
    of as many, and not counted up from 0 or 1.
    """
    counted = {str(number) for number in range(len(numbers) + 1)}
    return (
        len(set(numbers)) == len(numbers)
        and len(set(map(len, numbers))) == 1
        and len(numbers[0]) >= _CODE_DIGITS
        and not {number.lstrip("0") or "0" for number in numbers} <= counted
    )


def _are_labels(keys: Sequence[str], value: str) -> bool:
    """Whether the first column's cells all ask for what stands beside them: "Approved by". The
    first cell alone may tell it where the `value` beside it can head no column.
    """
    if any(is_named(key) for key in keys):
        return False
    asking = [key.split()[-1] in _BEFORE_VALUES and len(key.split()) > 1 for key in keys]
    return all(asking) or (asking[0] and any(map(is_named, names(value))))


def _told(text: str, item: Block) -> bool:
    """Whether an item is a sentence, which grammar reads, and not an entry; of a numbered list also
    one that says what to do.
    """
    told = text[slice(*item.sentences[0])]
    full = told.endswith((".", "!", "?")) and len(told.split()) > NAME_WORDS
    numbered = _NUMBER.match(text, item.span.start) is not None
    first, second, *_ = [*told.lower().split(), "", ""]
    to_do = numbered and second and (is_infinitive(first) or second in DETERMINERS)
    return full or bool(to_do) or len(item.sentences) > 1


def title_relations(title: Title, label: str, *, about: bool) -> Iterator[Relation]:
    """What a title says by itself: of an id what stands after it; and, where the text is `about`
    other things than its title, whom and what the title names.
    """
    if title.label.strip(_EDGES):
        yield Relation(title.name, "is", title.label.strip(_EDGES), 0)
    if not about:
        return
    subject, text = title.name or label, title.label or label
    parts = [part.strip(_EDGES) for part in _TITLE_PARTS.split(text)]
    named = names(text if title.label else text.partition(" ")[2])  # its first word has a capital
    for part in [*(parts if len(parts) > 1 else ()), *named]:
        own = is_named(subject) and part in subject
        if len(part.split()) <= NAME_WORDS and not own:
            yield Relation(subject, "mentions", part, 0)


def _record_head(text: str, blocks: Sequence[Block], *, named: bool) -> str:
    """Of a row of a table spelled out as pairs, the value that names it; else "". A short number is
    followed by that value: the row's number and then its name.
    """
    if len(blocks) < 2 or any(block.kind is not Kind.PAIR for block in blocks):
        return ""
    first, second = blocks[:2]
    naming = _words(text, first.key).lower().split()[-1:]
    if not first.sentences or (named and not set(naming) & _NAMING):
        return ""
    value = _words(text, first.sentences[0])
    if value.isdecimal() and len(value) < _LONE_CODE_DIGITS:
        following = _words(text, second.sentences[0]) if second.sentences else ""
        if named or any(map(str.isalpha, following)):
            value = "" if named else following
    return value if len(value.split()) <= NAME_WORDS else ""


def _pair(text: str, block: Block, owner: str, context: str) -> Iterator[Statement]:
    """(owner, key, value); of a key that is a name itself, (key, context, value)."""
    key, value = _words(text, block.key), _words(text, block.sentences[0])
    subject, predicate = (key, context) if is_named(key) else (owner, key)
    if normalise_entity(key) == normalise_entity(owner):
        subject, predicate = owner, context if context != owner else "is"
    span = Span(block.key.start, block.sentences[0].end) if block.key else block.span
    for lead, found in _values(value):
        yield Statement(subject, _joined(predicate, lead), found, span)


def _row(
    text: str, block: Block, owner: str, context: str, number_head: int
) -> Iterator[Statement]:
    """(row head, column head, cell). Where the row begins with a number its head is the cell at
    `number_head`, else the first. Without columns a row of two is a pair.
    """
    cells = [_words(text, cell) for cell in block.cells]
    span = block.sentences[0]
    if block.columns:
        columns = [_words(text, column) for column in block.columns]
        first = number_head if cells[0].isdecimal() else 0
        for number, (column, cell) in enumerate(zip(columns, cells, strict=True)):
            if number != first and len(cell.split()) <= VALUE_WORDS:
                yield Statement(cells[first], column, cell, span)
    elif block.key:
        subject, predicate = (cells[0], context) if is_named(cells[0]) else (owner, cells[0])
        for lead, value in _values(cells[1]):
            yield Statement(subject, _joined(predicate, lead), value, span)
    elif len(cells[0].split()) <= NAME_WORDS:
        for cell in cells[1:]:
            led = _LEAD.match(cell)
            predicate, value = (led[1].strip(), led[2]) if led else (context, cell)
            if len(value.split()) <= VALUE_WORDS:
                yield Statement(cells[0], predicate, value.strip(_EDGES), span)


class Value(NamedTuple):
    """A name in a value, and the words before it in its part: `serum` of `serum FB-61`."""

    lead: str
    name: str


def _values(text: str) -> list[Value]:
    """The names in a value, part by part; the whole where it is short and names nothing."""
    whole = _BRACKETS.sub("", text).strip(_EDGES)
    found: list[Value] = []
    for part in _PARTS.split(whole):
        part = part.strip(_EDGES)
        named = names(part)
        if len(named) == 1 and part.endswith(named[0]):
            found.append(Value(part[: -len(named[0])].strip(_EDGES), named[0]))
        elif 0 < len(part.split()) <= NAME_WORDS and any(c.isupper() or c.isdigit() for c in part):
            found.append(Value("", part))
        else:
            found += [Value("", name) for name in named]
    if not found and 0 < len(whole.split()) <= VALUE_WORDS:
        found = [Value("", whole)]
    short = [
        value if len(value.lead.split()) <= NAME_WORDS else Value("", value.name) for value in found
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
