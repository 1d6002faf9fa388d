"""The mentions of a passage: what it names, in a normal form, by sentence and place.

No grammar and no language: runs of capitalised words, and words that are not too common to say
anything. A mention is only worth as much as few passages share it, which the index knows; so it
does no harm that most of these link nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.text import tokenise
from gear_app.types import Span

VERSION = 1  # of these rules; raise it with every change of what they find

TITLE = 0  # the number of a mention's sentence that stands in the title

_STOP = frozenset(
    """
    a an the of in on at by for to from with and or but nor so as is are was were be been
    being am do does did done has have had having will would shall should can could may might
    must not no yes that this these those it its it's he she his her him them they their we us
    our you your i me my mine who whom whose which what when where why how than then there
    here if while until after before during over under about into onto out up down off again
    once only own same other another any some all each every both few more most one two three
    first last per via vs re dear hi hello regards kind please thank thanks
    """.split()
)
_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*")
_JOINT = r"(?:of|the|de|von|van|and|&|la|der|du)"
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'’.-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:\s+(?:{_JOINT}\s+){{0,2}}{_CAPITAL})+")
_POSSESSIVE = re.compile(r"['’]s$")
_PART = re.compile(r"[-./]")
_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zß-öø-ÿ]|[0-9\"“(])")
_IN_BRACKETS = re.compile(r"\s*\(.*")
_LINE = re.compile(r"[^\n]+")
_MARKER = " -*•\t\r"


class Mention(NamedTuple):
    """One place where a passage names something.

    `name` is the normal form by which passages are linked. `sentence` counts from 1; TITLE: it
    stands in the title, and `span` is a place in that. Else `span` is a place in the passage's
    text. `lower`: it is written there as an ordinary word, beginning in lower case.
    """

    name: str
    sentence: int
    span: Span
    lower: bool


@dataclass(frozen=True, slots=True)
class PassageMentions:
    """A passage's sentences, as places in its text and in order, and its mentions, in order."""

    sentences: tuple[Span, ...]
    mentions: tuple[Mention, ...]


def read(title: str, text: str) -> PassageMentions:
    """The sentences and mentions of a passage. A text without sentences is one sentence."""
    spans = tuple(sentences(text))
    found = [Mention(name, TITLE, span, lower) for name, span, lower in mentions(title)]
    if whole := " ".join(tokenise(_IN_BRACKETS.sub("", title))):
        found.append(Mention(whole, TITLE, Span(0, len(title)), lower=False))
    for number, sentence in enumerate(spans, start=1):
        for name, span, lower in mentions(text[sentence.start : sentence.end]):
            place = Span(sentence.start + span.start, sentence.start + span.end)
            found.append(Mention(name, number, place, lower))
    return PassageMentions(spans, tuple(found))


def sentence_text(title: str, sentence: str) -> str:
    """The words that a sentence's vector is made of: the title says what it is about."""
    return f"{title}: {sentence}" if title else sentence


def sentences(text: str) -> list[Span]:
    """Sentences by rule; the end of a line ends one, and markers of lists are not part of it."""
    found = []
    for line in _LINE.finditer(text):
        start = line.start()
        ends = [match.span() for match in _END.finditer(line[0])]
        for stop, after in [*ends, (len(line[0]), len(line[0]))]:
            span = _stripped(text, start, line.start() + stop)
            if span.end - span.start > 2:
                found.append(span)
            start = line.start() + after
    return found or [_stripped(text, 0, len(text))]


def mentions(text: str) -> Iterator[tuple[str, Span, bool]]:
    """The names and content words of a text: normal form, place, and whether it is in lower case.

    A word in several parts is a mention, and so is every part of more than two characters.
    """
    for match in _NAME.finditer(text):
        yield " ".join(tokenise(match[0])), Span(*match.span()), False
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        lower = word[0].islower()
        parts = [part for part in _PART.split(word) if len(part) > 2 and part != word]
        for part in [word, *parts]:
            name = normal(part)
            if len(part) > 1 and name not in _STOP:
                yield name, Span(*match.span()), lower


def normal(word: str) -> str:
    """The normal form of one word: case folded, a plural's last s taken off."""
    word = word.casefold()
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


def _stripped(text: str, start: int, end: int) -> Span:
    """The place without markers and white space around it."""
    while start < end and text[start] in _MARKER:
        start += 1
    while end > start and text[end - 1] in _MARKER:
        end -= 1
    return Span(start, end)
