"""Entries: things with their values, as forms (`Key: value`), tables and lists give them.

Read from the passages themselves and not from triples, so that they are there right after an import
and whichever extractor is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from gear_app.english.words import PREPOSITIONS, word_set
from gear_app.mentions.find import singular
from gear_app.segmentation.blocks import Block, Kind, blocks
from gear_app.suggestions.identity import ids, is_id, is_name
from gear_app.text import normalise_entity, tokenise
from gear_app.types import Passage, Span

VALUE_WORDS, NAME_WORDS, KEY_WORDS = 8, 5, 3
FORM = 3  # fields at least of what is a form and not prose with a colon
LINES = 3  # at least of a list of names
_NO_KEYS = word_set(
    "note notes remark remarks comment comments re subject todo ps action present apologies summary"
    " weather present attending about number no nr id name title the else why so but and cc"
    " monday tuesday wednesday thursday friday saturday sunday january february march april june"
    " july august september october november december"
)
_NAMING = word_set("name id title no nr number ref tag code key label date day week when")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_SENTENCE_END = re.compile(
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)(?<!\bSt)(?<![^\W\d_a-z])[.]\s+\S|[?!]|\.\.\.|…"
)
_PART = re.compile(r"\s+[–—/|-]\s+|\s*[,;:]\s+")
_CELL = re.compile(r"\s+[–—/|-]\s+")
_AFTER_ID = re.compile(r"^\s*(?:[–—/|,;:-]\s+)?")
_REGISTER = re.compile(r"([^\W\d_]+) (?:register|list|log|ledger|inventory)\b", re.IGNORECASE)
_LED = re.compile(r"([a-z][a-z ]{2,20}?) (?=[A-Z\d])(\S.*)")
_BY = re.compile(r"(.*?)\s*\bby\s+(.+)")
# "unit 7", and not one of several, as in "units 7 and 8"
NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (\d{1,4})\b(?![.:,/–-]\d| ?%|,? (?:and|or|to|[&–-]) \d)")
_NUMBER = re.compile(r"#?(\d{1,4})\s+(?:[–—-]\s+)?(?=\S)")
_EDGES = ' \t\r\n.,;:"“”*_`|'


@dataclass(frozen=True, slots=True)
class EntryValue:
    """What an entry says under a key; the key is "" in a list of names with something behind each.

    `agent`: it stands behind "by", as in `Raised: 2 May by A. Bell`.
    """

    key: str
    text: str
    span: Span
    agent: bool = False


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A thing and its values. `name` is what it is called: an id, a name, or its passage's title
    (`titled`); `noun` what it is, by the head of its column or its key, else "".
    """

    passage: Passage
    name: str
    noun: str
    values: tuple[EntryValue, ...]
    titled: bool = False
    tabular: bool = False


def entries(passages: Sequence[Passage]) -> list[DocumentEntry]:
    """All entries, without values under keys that are no fields of forms: those of one passage
    alone that has few.
    """
    titles = Counter(passage.title for passage in passages)
    found = [
        entry for passage in passages for entry in _of_passage(passage, titles[passage.title] > 1)
    ]
    keys = Counter(key for entry in found for key in {value.key.lower() for value in entry.values})
    kept = [replace(entry, values=_fields(entry, keys)) for entry in found]
    return [entry for entry in kept if entry.values]


def _fields(entry: DocumentEntry, keys: Counter[str]) -> tuple[EntryValue, ...]:
    form = entry.tabular or len(entry.values) >= FORM
    return tuple(value for value in entry.values if form or keys[value.key.lower()] > 1)


def _of_passage(passage: Passage, one_of_several: bool) -> Iterator[DocumentEntry]:
    found = blocks(passage.text)
    pairs = [block for block in found if block.kind is Kind.PAIR and block.sentences]
    others = [block for block in found if block.kind is not Kind.PAIR]
    if pairs:
        yield from _form(passage, pairs, row=not others, table=one_of_several)
    heads = {block.columns for block in found if block.columns}
    for block in found:
        if block.kind is Kind.ROW and block.columns and block.cells not in heads:
            yield from _row(passage, block)
    yield from _lists(passage, [block for block in found if not block.columns])


def _form(
    passage: Passage, pairs: Sequence[Block], *, row: bool, table: bool
) -> Iterator[DocumentEntry]:
    """The pairs of a passage. A row spelled out as pairs, often one of several of a `table`, is
    called by its first.
    """
    text = passage.text
    values = [value for block in pairs for value in _pair(text, block)]
    first, name = _words(text, pairs[0].key), clean(_words(text, pairs[0].sentences[0]))
    naming = table or is_id(name) or first.lower() in _NAMING
    if row and naming and len(pairs) >= FORM and name and (is_id(name) or is_name(name)):
        span = Span(pairs[0].span.start, pairs[0].span.end)
        rest = tuple(value for value in values if value.key != first)
        yield DocumentEntry(passage, name, _noun(first), rest)
        if passage.title and first.isalpha():  # "Turkey oak" says the tag of its row
            yield DocumentEntry(
                passage, passage.title, "", (EntryValue(first, name, span),), titled=True
            )
        return
    titled = ids(passage.title)
    if len(titled) == 1:
        before = passage.title[: passage.title.find(titled[0])].strip(_EDGES).split()
        noun = _noun(before[-1]) if before and len(before) < 4 else ""
        yield DocumentEntry(passage, titled[0], noun, tuple(values))
    elif passage.title:
        yield DocumentEntry(passage, passage.title, "", tuple(values), titled=True)


def _pair(text: str, block: Block) -> Iterator[EntryValue]:
    key, whole = (
        _words(text, block.key),
        _words(text, Span(block.sentences[0].start, block.span.end)),
    )
    if not is_key(key) or block.key is None:
        return
    span = Span(block.key.start, block.sentences[-1].end)
    by = _BY.fullmatch(clean(whole))
    if by and is_name(by[2]):
        yield EntryValue(key, by[2], span, agent=True)
    elif value := clean(whole):
        yield EntryValue(key, value, span)


def _row(passage: Passage, block: Block) -> Iterator[DocumentEntry]:
    cells = [_words(passage.text, cell) for cell in block.cells]
    columns = [_words(passage.text, column) for column in block.columns]
    span = block.sentences[0]
    values = tuple(
        EntryValue(column, value, span)
        for column, cell in zip(columns[1:], cells[1:], strict=False)
        if is_key(column) and (value := clean(cell))
    )
    name = clean(cells[0])
    if name and values:
        register = _REGISTER.match(passage.title)
        noun = _noun(columns[0]) or (_noun(register[1]) if register and is_id(name) else "")
        yield DocumentEntry(passage, name, noun, values, tabular=True)


def _noun(words: str) -> str:
    """What a column or key says that its things are; "" where it only says how they are called."""
    noun = words.lower().strip(_EDGES)
    return noun if noun.isalpha() and noun not in _NAMING else ""


def _lists(passage: Passage, lines: Sequence[Block]) -> Iterator[DocumentEntry]:
    """Lines that begin with a name, an id or a number, where several stand together."""
    counted = _counted(passage.title)
    items = [
        (*named, line.span)
        for line in lines
        if (named := _item(passage.text[slice(*line.span)].strip(" -*•\t"), counted))
    ]
    if len(items) < LINES:
        return
    leads = Counter(led[1] for _, rest, _ in items for led in _led(rest))
    for name, rest, span in items:
        values = [
            EntryValue(led[1], value, span)
            for led in _led(rest)
            if leads[led[1]] > 1 and (value := clean(led[2]))
        ]
        first = _CELL.split(rest)[0]
        whole = clean(rest) or (clean(first) if first != rest else "")
        if whole and not values:
            values = [EntryValue("", whole, span)]
        if values:
            yield DocumentEntry(passage, name, "", tuple(values), tabular=True)


def _led(words: str) -> list[re.Match[str]]:
    """The parts of an item that begin with a key: "valid to 30-06"."""
    return [led for part in _PART.split(words) if (led := _LED.fullmatch(part))]


def _counted(title: str) -> str:
    """What the numbers of a list are of, where its title begins with a plural: "package" of "Work
    packages, rev F"; else "".
    """
    words = tokenise(re.split("[,:(]", title)[0])
    noun = ["", *takewhile(lambda word: word not in PREPOSITIONS, words)][-1]
    return singular(noun) if len(noun) > FORM and singular(noun) != noun else ""


def _item(line: str, counted: str) -> tuple[str, str] | None:
    """A line's name and what stands behind it; a number is of what is `counted`."""
    number = _NUMBER.match(line) if counted else None
    if number:
        name, rest = f"{counted} {number[1]}", line[number.end() :]
    elif led := ids(line.partition(" ")[0]):
        name, rest = led[0], _AFTER_ID.sub("", line[len(led[0]) :], count=1)
    else:
        name, *others = _PART.split(line, maxsplit=1)
        name, rest = clean(name), others[0] if others else ""
        if not (name and len(name.split()) < NAME_WORDS and (is_id(name) or is_name(name))):
            return None
    rest = rest.strip(_EDGES)
    return (name, rest) if rest else None


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
