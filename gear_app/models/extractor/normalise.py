"""A passage's text made ready for the parser: what is no prose, and what stands in brackets, is
blank, so that every offset stays what it is in the original; and the facts in those brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.core.types import Span
from gear_app.language.blocks import Block, Kind
from gear_app.models.extractor.words import is_person_noun

LONGEST = 6000  # characters parsed per passage; a passage is about 100 words, this is about 1000
LONGEST_BRACKET = 400
VALUE_WORDS = 8  # a shorter value of a pair is no sentence


class Bracket(NamedTuple):
    """The text of brackets, and where they begin."""

    at: int
    text: str


class ParsableText(NamedTuple):
    """The text for the parser, the brackets that are blank in it, and where a sentence begins,
    whatever the parser thinks.
    """

    text: str
    brackets: tuple[Bracket, ...]
    breaks: tuple[int, ...]


def prose(text: str, blocks: Sequence[Block]) -> list[Span]:
    """The parts that a parser can read: prose, items, and of pairs what is more than a few words;
    not headings and cells.
    """
    parts: list[Span] = []
    for block in blocks:
        sentences = block.sentences if block.kind not in (Kind.HEADING, Kind.ROW) else ()
        if block.key and sentences and len(text[slice(*sentences[0])].split()) <= VALUE_WORDS:
            sentences = sentences[1:]
        if sentences:
            parts.append(Span(sentences[0].start, sentences[-1].end))
    return parts


def normalise(text: str, parts: Sequence[Span]) -> ParsableText:
    """The parts of the text's first 6000 characters without brackets."""
    text = "".join(" " if c.isspace() or not c.isprintable() else c for c in text[:LONGEST])
    characters = [" "] * len(text)
    for start, end in parts:
        characters[start:end] = text[start:end]
    brackets = []
    for start, end in _brackets("".join(characters)):
        brackets.append(Bracket(start, text[start + 1 : end - 1].strip()))
        characters[start:end] = " " * (end - start)
    breaks = tuple(start for start, _ in parts)
    return ParsableText("".join(characters), tuple(brackets), breaks)


def _brackets(text: str) -> list[Span]:
    """Balanced outermost brackets, ( and [, of at most 400 characters."""
    opened: list[int] = []
    spans: list[Span] = []
    for position, character in enumerate(text):
        if character in "([":
            opened.append(position)
        elif opened and text[opened[-1]] + character in ("()", "[]"):
            start = opened.pop()
            if not opened and position - start <= LONGEST_BRACKET:
                spans.append(Span(start, position + 1))
    return spans


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_YEAR = r"(?:\d{1,4} ?(?:BCE?|AD|CE)|\d{3,4})\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:{_DAY} {_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}|{_MONTH},? {_YEAR}|\b{_YEAR})"
# a life begins with "born", a date, or a place or name before a date with a day
_LIFE = re.compile(
    rf"born\b|c\.|ca\.|circa|{_DATE}|[^\d;]*[;,] ?(?:{_DAY} {_MONTH}|{_MONTH} {_DAY})"
)
_END = re.compile(r"\s*[–—]\s*|\s+-+\s*|(?<=\d)-(?=\d)|[;,]?\s*(?=\bdied\b|\bd\.)")
_BORN = re.compile(r"\b(?:born|b\.)(?!\w)")
_DIED = re.compile(r"\b(?:died|d\.)(?!\w)")
_NAME = r"[^\W\d_a-z][\w.'’-]*(?: (?:(?:de|di|la|of|upon|am) )?[^\W\d_a-z][\w.'’-]*){0,3}"
_IN = re.compile(r"\b(?:in|at|near) ")
_AFTER = re.compile(rf"\s*,|\s+{_NAME},|[^,]*{_IN.pattern}")  # what is between date and place
_PLACE = re.compile(rf"(?:.*{_IN.pattern})?({_NAME})(?: on)?$")
_KNOWN = re.compile(rf"(?:^|[;,] ?|\b(?:also|better) )(?:known as|called) ({_NAME})")
_BY = re.compile(rf"(?:^|[;,] ?)((?:\w+ed|\w+en|sung) by) ({_NAME})")
_ABBREVIATION = re.compile(r"[A-Z][A-Z&.-]{1,9}$")


class BracketFact(NamedTuple):
    """Fact in brackets about the name before them."""

    predicate: str
    object: str


def is_abbreviation(text: str) -> bool:
    """Whether brackets hold an abbreviation."""
    return bool(_ABBREVIATION.match(text))


def bracket_facts(text: str, *, person: bool = True, part: bool = False) -> list[BracketFact]:
    """An abbreviation, who plays a `part`, or the dates and places of a life; none where brackets
    hold something else.

    A single year says nothing ("Film (1998)"); two dates with a dash are a life, of a person.
    """
    if is_abbreviation(text):
        return [BracketFact("also known as", text)]
    if part and " " in text and re.fullmatch(_NAME, text):
        return [BracketFact("played by", text)]
    by_facts = [BracketFact(*by) for by in _BY.findall(text)]
    known = [*by_facts, *(BracketFact("also known as", name) for name in _KNOWN.findall(text))]
    first, *rest = _END.split(text, maxsplit=1)
    second = rest[0] if rest else ""
    death = re.search(_DATE, second)
    if person and re.search(_DATE, first) and death and _LIFE.match(text):
        # a name before the birth is a place only if one stands before the death too
        led = bool(re.match(f"{_NAME},", second[: death.start()]))
        return [*known, *_event("was born", first, led=led), *_event("died", second, led=led)]
    born, died = _BORN.search(first), _DIED.match(second) or _DIED.match(text)
    return [
        *known,
        *(_event("was born", first[born.start() :]) if born else ()),
        *(_event("died", second or text) if died else ()),
    ]


def _event(verb: str, text: str, *, led: bool = False) -> Iterator[BracketFact]:
    """The first date of a birth or a death, and its places: after "in", after the date and a
    comma, and, if `led`, before the date and a comma.
    """
    date = re.search(_DATE, text)
    if date:
        has_day = len(re.findall(r"\d+", date[0])) == 2
        yield BracketFact(f"{verb} {'on' if has_day else 'in'}", date[0])
        before, after = text[: date.start()], text[date.end() :].partition(";")[0]
        if not led:
            said = _IN.search(before)
            before = before[said.start() :] if said else ""
        pieces = [*before.split(","), *(after.split(",") if _AFTER.match(after) else ())]
        predicate = f"{verb} in"
        for place in filter(None, (_PLACE.match(piece.strip(" .")) for piece in pieces)):
            if not any(map(is_person_noun, place[1].split())):  # as of "Prime Minister"
                yield BracketFact(predicate, place[1])
                predicate += f" {place[1]}"  # "was born in Macao | China"
