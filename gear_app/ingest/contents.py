"""The contents of one file: documents, passages, questions and triples, before they are joined
with those of other files; and the headings that each passage of a document is under.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from gear_app.ingest.batch import NewEntities, NewPassage, NewTriple, admit
from gear_app.ingest.blocks import (
    BlockKind,
    PlacedBlock,
    ReadDocument,
    laid_out,
    page_starts,
    paths,
)
from gear_app.ingest.decode import BAD_BYTES, Decoded, storable
from gear_app.ingest.gold import Sought
from gear_app.ingest.split import split
from gear_app.language.blocks import Kind, blocks, headings
from gear_app.language.dates import ENGLISH
from gear_app.text import count, cut, section_title, tokenise
from gear_app.types import Document, Question, Span

PASSAGE_WORDS = 100
LONGEST_TITLE, LONGEST_KEY = 300, 2_000  # characters
SHOWN = 60  # characters of a part that could not be used
_SHOULD = {
    "triple": "not exactly three items",
    "entity": "not a name",
    "answer": "not words",
    "gold passage": "not an id",
    "sentence": "not words",
    "row": "neither an object nor words",
}
_PLURALS = {"entity": "entities"}
AS_IT_IS = 2 * PASSAGE_WORDS  # a row of a table up to this many words is one passage


class Notes:
    """What is said of a file: sentences, and how many of something are so, each once."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], tuple[int, str, int]] = {}

    def say(self, *sentences: str) -> None:
        """Say something that counts nothing."""
        for sentence in filter(None, sentences):
            self._counts["", sentence] = 0, "", 0

    def count(
        self, noun: str, rest: str, number: int = 1, *, example: str = "", place: int = 0
    ) -> None:
        """Say that so many more are so. Of all `example`s and places, lines or rows by their
        numbers, the first is told.
        """
        if number:
            before, example, place = self._counts.get((noun, rest), (0, example, place))
            self._counts[noun, rest] = before + number, example, place

    def encoding(self, text: Decoded) -> None:
        """Say how a text was read."""
        self.say(text.guess)
        self.count("byte", BAD_BYTES, text.bad)

    def add(self, others: Notes, lines: int = 0) -> None:
        """Say what is said of a slice of the file that comes after so many lines."""
        for (noun, rest), (number, example, place) in others._counts.items():
            self.say("" if noun else rest)
            self.count(noun, rest, number, example=example, place=place and place + lines)

    def sentences(self) -> Iterator[str]:
        """All of it, in the order in which it was said first."""
        for (noun, rest), (number, example, place) in self._counts.items():
            told = f"{count(number, noun, _PLURALS.get(noun, ''))} {rest}" if noun else rest
            where = f" (the first is {'line' if noun == 'line' else 'number'} {place})"
            yield told + (f", as {example}" if example else where if place else "")


@dataclass(slots=True)
class Contents:
    """Grows while a file is read. `notes` are for its report; `datasets` the question
    sets' names; `gold` passages with their grades by question, from a file of judgments alone;
    `sought` is gold that is yet to be found, by the key that stands for it in questions; `beside`
    are keys of passages that lie beside their questions; `attached` are files that came with it, by
    name; `kind` is what rows were recognised as; `read_as` what all of it was taken for.
    """

    documents: list[Document] = field(default_factory=list)
    passages: list[NewPassage] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    triples: dict[str, list[NewTriple]] = field(default_factory=dict)
    entities: dict[str, list[NewEntities]] = field(default_factory=dict)
    gold: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    sought: dict[str, Sought] = field(default_factory=dict)
    beside: set[str] = field(default_factory=set)
    datasets: set[str] = field(default_factory=set)
    notes: Notes = field(default_factory=Notes)
    attached: list[tuple[str, bytes]] = field(default_factory=list)
    kind: str = ""
    read_as: str = ""

    def leave_out(self, what: str, part: object) -> None:
        """Count a part of a row that is not what it should have been; the rest of the row stays."""
        example = cut(json.dumps(part, ensure_ascii=False, default=str), SHOWN)
        self.notes.count(what, f"left out: {_SHOULD[what]}", example=example)

    def words_in(self, what: str, value: object) -> list[str]:
        """The words in a list, each once; what in it is neither words nor a number is left out.
        Raises TypeError for what is no list.
        """
        if not isinstance(value, list):
            raise TypeError(f"expected a list, not {type(value).__name__}")
        found = []
        for part in value:
            if isinstance(part, str | int | float):
                found.append(storable(str(part)).strip())
            else:
                self.leave_out(what, part)
        return list(dict.fromkeys(filter(None, found)))

    @property
    def characters(self) -> int:
        """How much text it is, each once."""
        alone = (len(passage.text) for passage in self.passages if passage.document is None)
        return sum(len(document.text) for document in self.documents) + sum(alone)


def document(title: str, text: str, source: str) -> Contents:
    """A plain text, cut into passages that carry its title and the heading they are under. Raises
    Refused where it is too long.
    """
    contents = Contents(documents=[_document(title, text, source)], read_as="plain text")
    _cut(contents, None, contents.documents[0].title, Span(0, len(text)))
    return contents


def of_blocks(read: ReadDocument, name: str, source: str) -> Contents:
    """A document whose blocks are known, cut between them; passages carry its title and the
    headings that all of it is under. Raises Refused where it is too long.
    """
    text, places = laid_out(read.blocks)
    contents = Contents(
        documents=[replace(_document(read.named(name), text, source), pages=page_starts(places))],
        attached=read.attached,
    )
    contents.notes.say(*read.report())
    whole = contents.documents[0]
    spans = split(whole.text, PASSAGE_WORDS, places)
    for span, above in zip(spans, headings_of(spans, places), strict=True):
        title = _shown(section_title(whole.title, above))
        contents.passages.append(NewPassage(None, title, whole.text[slice(*span)], 0, *span))
    return contents


def add_passage(contents: Contents, key: str | None, title: str, text: str) -> None:
    """A passage as it stands, of no document."""
    contents.passages.append(
        NewPassage(storable(key) if key else None, _shown(title), storable(text))
    )


def table(rows: list[tuple[str | None, str, str]], title: str, source: str) -> Contents:
    """A table as one document, rows (key, title, text) apart by a blank line, each one passage or,
    if long, several. Raises Refused where it is too long.
    """
    whole = _document(title, "\n\n".join(text for _, _, text in rows), source)
    titles = tuple(_shown(row_title) for _, row_title, _ in rows)
    if any(row_title != whole.title for row_title in titles):
        whole = replace(whole, titles=titles)
    contents = Contents(documents=[whole])
    text = whole.text
    start = 0
    for key, row_title, row_text in rows:
        row = Span(start, start + len(row_text))
        if len(row_text) > 10 * AS_IT_IS or len(row_text.split()) > AS_IT_IS:
            _cut(contents, key, _shown(row_title), row)
        else:
            contents.passages.append(
                NewPassage(key, _shown(row_title), text[row.start : row.end], 0, *row)
            )
        start = row.end + 2
    return contents


def long_passage(contents: Contents, key: str, title: str, text: str, source: str) -> None:
    """A passage too long to be searched as one: it becomes a document with parts `key#1`, `key#2`
    and so on. Raises Refused where it is too long even for that.
    """
    contents.documents.append(_document(title, text, source))
    _cut(contents, storable(key), _shown(title), Span(0, len(text)))


def _document(title: str, text: str, source: str) -> Document:
    admit(len(text))
    return Document(_shown(title), storable(text), source)


def _shown(title: str) -> str:
    """A title as it is kept: every passage of its document carries it."""
    whole = storable(title)
    return whole if len(whole) <= LONGEST_TITLE else f"{whole[: LONGEST_TITLE - 1]}…"


def _cut(contents: Contents, key: str | None, title: str, area: Span) -> None:
    """Add the passages of an area of the last document. Each carries the key, so one that is too
    long is none.
    """
    number = len(contents.documents) - 1
    text = contents.documents[number].text
    named = key if key and len(key) <= LONGEST_KEY else None
    body = text[area.start : area.end]
    spans = split(body, PASSAGE_WORDS)
    for n, (span, section) in enumerate(zip(spans, sections(body, spans), strict=True), start=1):
        start, end = area.start + span.start, area.start + span.end
        part = f"{named}#{n}" if named else None
        whole = _shown(section_title(title, [section]))
        contents.passages.append(NewPassage(part, whole, text[start:end], number, start, end))


# The sections of a document: its title, and the headings that each of its passages is under

_MOST = 3  # headings that follow each other; more short lines are a list
_SEVERAL = 3  # sections that are put together in a passage: it is called by none of them
_OFTEN = 3  # times from which on the same words stand over pages, and are no heading
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_CALENDAR = (*_DAYS.split(), *(month.lower() for month in ENGLISH))
_HEAD = 2_000  # characters in which a first heading is looked for


def first_heading(text: str) -> str:
    """The text's first line where that is a heading: marked, alone, or short and above sentences;
    else "". A date is none ("Mon 5 Sept"): over a diary it is that of the first day.
    """
    first = next(iter(blocks(text[:_HEAD])), None)
    if first is None or first.kind is not Kind.HEADING:
        return ""
    heading = first.sentences[0]
    words = text[heading.start : heading.end]
    return "" if words[-1] in ":：" or _is_date(words) else words


def _is_date(words: str) -> bool:
    """Whether it says a number, and days and months at most, these in three letters or more."""
    tokens = tokenise(words)
    told = [token for token in tokens if not token[0].isdigit()]
    return len(told) < len(tokens) and all(
        len(token) > 2 and any(name.startswith(token) for name in _CALENDAR) for token in told
    )


def sections(text: str, passages: Sequence[Span]) -> list[str]:
    """For each passage of a text the nearest heading at its beginning or above it, in one line; ""
    where there is none.

    A line that ends with a colon is none, and neither is one without letters (the number of a page)
    or one that comes again and again (what stands over every page).
    """
    starts: list[int] = []
    names: list[str] = []
    for found in headings(text):
        name = " ".join(text[slice(*found[-1])].split())
        named = any(map(str.isalpha, name)) and not name.endswith((":", "："))
        if named and len(found) <= _MOST:
            starts.append(found[0].start)
            names.append(name)
    times = Counter(names)
    kept = [place for place, name in enumerate(names) if times[name] < _OFTEN]
    starts, names = [starts[place] for place in kept], [names[place] for place in kept]
    return [_section(passage, starts, names) for passage in passages]


def _section(passage: Span, starts: Sequence[int], names: Sequence[str]) -> str:
    """The heading at a passage's beginning or above it; "" where it goes over three sections or
    more.
    """
    first = bisect_right(starts, passage.start) - 1
    last = bisect_left(starts, passage.end) - 1
    return names[first] if first >= 0 and last - first < _SEVERAL - 1 else ""


def headings_of(
    passages: Sequence[Span], places: Sequence[PlacedBlock]
) -> Iterator[tuple[str, ...]]:
    """For each passage the headings that all of its text is under, the outermost first."""
    under = list(paths([place.block for place in places]))
    first = 0
    for passage in passages:
        while places[first].span.end <= passage.start:
            first += 1
        last = first
        while last < len(places) and places[last].span.start < passage.end:
            last += 1
        inside = range(first, last)
        text = [place for place in inside if places[place].block.kind is not BlockKind.HEADING]
        of_all = zip(*(under[place] for place in text or inside), strict=False)
        yield tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, of_all))
