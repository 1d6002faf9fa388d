"""Entries: things with their values, as forms (`Key: value`), tables and lists give them.

Read from the passages themselves and not from triples, so that they are there right after an import
and whichever extractor is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gear_app.english.words import word_set
from gear_app.ingest.blocks import Block, Kind, blocks
from gear_app.suggestions.identity import ids, is_id
from gear_app.suggestions.names import is_name
from gear_app.text import normalise_entity
from gear_app.types import Passage, Span

VALUE_WORDS, NAME_WORDS, KEY_WORDS = 8, 5, 3
FORM = 3  # fields at least of what is a form and not prose with a colon
LINES = 3  # at least of a list of names
_NO_KEYS = word_set(
    "note notes remark remarks comment comments re subject todo ps action present apologies summary"
    " weather present attending about number no nr id name title tag the else why so but and cc"
)
_NAMING = word_set("name id title no nr number ref")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_SENTENCE_END = re.compile(r"[^\W_]{2,}[.!?]\s+\S|[?!]|\.\.\.|…")
_PART = re.compile(r"\s+[–—/|-]\s+|\s*[,;:]\s+")
_LED = re.compile(r"([a-z][a-z ]{2,20}?) (?=[A-Z\d])(\S.*)")
_BY = re.compile(r"(.*?)\s*\bby\s+(.+)")
_EDGES = " \t\r\n.,;:\"“”*_`|"


@dataclass(frozen=True, slots=True)
class Value:
    """What an entry says under a key; the key is "" in a list of names with something behind each.

    `agent`: it stands behind "by", as in `Raised: 2 May by A. Bell`.
    """

    key: str
    text: str
    span: Span
    agent: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A thing and its values. `name` is what it is called: an id, a name, or its passage's title
    (`titled`); `noun` what it is, by the head of its column or its key, else "".
    """

    passage: Passage
    name: str
    noun: str
    values: tuple[Value, ...]
    titled: bool = False
    tabular: bool = False


def entries(passages: Sequence[Passage]) -> list[Entry]:
    """All entries, without values under keys that are no fields of forms: those of one passage
    alone that has few.
    """
    found = [entry for passage in passages for entry in _of_passage(passage)]
    keys = Counter(key for entry in found for key in {value.key.lower() for value in entry.values})
    kept = [replace(entry, values=_fields(entry, keys)) for entry in found]
    return [entry for entry in kept if entry.values]


def _fields(entry: Entry, keys: Counter[str]) -> tuple[Value, ...]:
    form = entry.tabular or len(entry.values) >= FORM
    return tuple(value for value in entry.values if form or keys[value.key.lower()] > 1)


def _of_passage(passage: Passage) -> Iterator[Entry]:
    found = blocks(passage.text)
    pairs = [block for block in found if block.kind is Kind.PAIR and block.sentences]
    others = [block for block in found if block.kind is not Kind.PAIR]
    if pairs:
        yield from _form(passage, pairs, whole=not others)
    heads = {block.columns for block in found if block.columns}
    for block in found:
        if block.kind is Kind.ROW and block.columns and block.cells not in heads:
            yield from _row(passage, block)
    yield from _lists(passage, [block for block in found if not block.columns])


def _form(passage: Passage, pairs: Sequence[Block], *, whole: bool) -> Iterator[Entry]:
    """The pairs of a passage. A row spelled out as pairs is called by its first."""
    text = passage.text
    values = [value for block in pairs for value in _pair(text, block)]
    first, name = _words(text, pairs[0].key), clean(_words(text, pairs[0].sentences[0]))
    if whole and len(pairs) >= FORM and name and (is_id(name) or is_name(name)):
        noun = "" if first.lower() in _NAMING else first.lower()
        rest = tuple(value for value in values if value.key != first)
        yield Entry(passage, name, noun, rest)
        return
    titled = ids(passage.title)
    if len(titled) == 1:
        before = passage.title[: passage.title.find(titled[0])].strip(_EDGES).split()
        noun = before[-1].lower() if before and len(before) < 4 and before[-1].isalpha() else ""
        yield Entry(passage, titled[0], noun, tuple(values))
    elif passage.title:
        yield Entry(passage, passage.title, "", tuple(values), titled=True)


def _pair(text: str, block: Block) -> Iterator[Value]:
    key, whole = _words(text, block.key), _words(text, Span(block.sentences[0].start, block.span.end))
    if not is_key(key) or block.key is None:
        return
    span = Span(block.key.start, block.sentences[-1].end)
    by = _BY.fullmatch(clean(whole))
    if by and is_name(by[2]):
        yield Value(key, by[2], span, agent=True)
    elif value := clean(whole):
        yield Value(key, value, span)


def _row(passage: Passage, block: Block) -> Iterator[Entry]:
    cells = [_words(passage.text, cell) for cell in block.cells]
    columns = [_words(passage.text, column) for column in block.columns]
    span = block.sentences[0]
    values = tuple(
        Value(column, value, span)
        for column, cell in zip(columns[1:], cells[1:], strict=False)
        if is_key(column) and (value := clean(cell))
    )
    name = clean(cells[0])
    if name and values:
        noun = columns[0].lower() if columns[0].lower().strip(_EDGES) not in _NAMING else ""
        yield Entry(passage, name, noun, values, tabular=True)


def _lists(passage: Passage, lines: Sequence[Block]) -> Iterator[Entry]:
    """Lines that begin with a name or an id, where several of a kind stand together."""
    texts = [(passage.text[slice(*line.span)], line.span) for line in lines]
    parted = [(_PART.split(text.strip(" -*•\t"), maxsplit=1), span) for text, span in texts]
    named = [
        (clean(parts[0]), parts[1], span)
        for parts, span in parted
        if len(parts) == 2 and _names_an_item(parts[0])
    ]
    if len(named) < LINES:
        return
    leads = Counter(
        led[1] for _, rest, _ in named for part in _PART.split(rest) if (led := _LED.fullmatch(part))
    )
    for name, rest, span in named:
        led_values = [
            Value(led[1], value, span)
            for part in _PART.split(rest)
            if (led := _LED.fullmatch(part)) and leads[led[1]] > 1 and (value := clean(led[2]))
        ]
        value = clean(rest)
        whole = [Value("", value, span)] if value and not led_values else []
        if led_values or whole:
            yield Entry(passage, name, "", (*led_values, *whole), tabular=True)


def _names_an_item(words: str) -> bool:
    name = clean(words)
    return bool(name) and len(name.split()) < NAME_WORDS and (is_id(name) or is_name(name))


def is_key(words: str) -> bool:
    """Whether the words may head a field: few, of letters, and no remark."""
    parts = normalise_entity(words).split()
    if not 0 < len(parts) <= KEY_WORDS or not all(part.isalpha() for part in parts):
        return False
    return parts[0] not in _NO_KEYS and words.replace(" ", "").isalpha()


def clean(words: str) -> str:
    """A value without brackets and marks at its ends; "" for sentences and for what is long."""
    bare = " ".join(_BRACKETS.sub("", words).split()).strip(_EDGES)
    if not 0 < len(bare.split()) <= VALUE_WORDS or _SENTENCE_END.search(bare):
        return ""
    return bare if any(map(str.isalnum, bare)) else ""


def _words(text: str, span: Span | None) -> str:
    return "" if span is None else " ".join(text[span.start : span.end].split()).strip(_EDGES)
