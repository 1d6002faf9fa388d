"""A passage's text made ready for the parser, with a way back to the original offsets.

Brackets and the spacing faults of common corpora mislead the parser and are edited out. What stood
in brackets is returned beside the text, and so are names that must stay whole ("Edward Baring, 1st
Baron Revelstoke", "Kim Jong-il"), as spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.core.types import Span
from gear_app.models.extractor.words import MONTHS

LONGEST_WORD = 80
LONGEST_BRACKET = 400

_TIGHT_HYPHEN = re.compile(r"\w-\w")
_SPACED_HYPHEN = re.compile(r"(?<=\w) - (?=\w)")
_SPACING = (
    (re.compile(r"(?<=[a-z]{2}[.!?])(?=[A-Z][a-z])"), " "),  # "the end.The start"
    (re.compile(r"(?<=\w)- (?!(?:and|or|to)\b)(?=\w)"), "-"),  # "comedy- drama"
    (re.compile(r"(?<=\b[Cc]o) ?- ?(?=[a-z])|(?<=\bre)-(?=[a-z])"), ""),  # "co-founded" is one verb
    (re.compile(rf"\S{{{LONGEST_WORD},}}"), ""),
    (re.compile(r" [-–—] (?=(?:is|was|are|were) )"), " "),  # "Izgoy - is an album"
    (re.compile(r", (?:Inc|Ltd|LLC|L\.L\.C)\b\.?(?! [A-Z])"), ""),
    (re.compile(r",? and (?:also )?stars (?=[A-Z])"), " starring "),  # else read as a noun
)


class Replacement(NamedTuple):
    """Characters [start, end) of the text give way to `replacement`."""

    start: int
    end: int
    replacement: str


def bracket_edits(text: str) -> Iterator[Replacement]:
    """Remove balanced brackets, ( and [, of at most 400 characters, with the blank before."""
    opened: list[int] = []
    for position, character in enumerate(text):
        if character in "([":
            opened.append(position)
        elif opened and text[opened[-1]] + character in ("()", "[]"):
            start = opened.pop()
            if not opened and position - start <= LONGEST_BRACKET:
                before = start - 1 if start and text[start - 1] == " " else start
                blank = " " if text[position + 1 : position + 2].isalnum() else ""
                yield Replacement(before, position + 1, blank)


def spacing(text: str) -> Iterator[Replacement]:
    """Blanks that corpora lost or added, words too long to be any, and what misleads parsers."""
    for pattern, replacement in _SPACING:
        yield from (Replacement(*match.span(), replacement) for match in pattern.finditer(text))
    if not _TIGHT_HYPHEN.search(text):
        yield from (Replacement(*match.span(), "-") for match in _SPACED_HYPHEN.finditer(text))


LONGEST = 6000  # characters parsed per passage; a passage is about 100 words, this is about 1000

_RANK = (
    r"(?:Baron(?:et|ess)?|Earl|Viscount(?:ess)?|Marquess|Marquis|Duke|Duchess|Count(?:ess)?|Lord|Prince(?:ss)?|"
    r"King|Queen)"
)
_CAP = r"(?:[A-Z]\.|[^\W\d_a-z][\w’-]{0,40})"
_MORE = rf"(?: {_CAP}){{0,5}}"
_NTH = r"\d+(?:st|nd|rd|th)"
_NO_NAME = (
    r"(?!(?:In|On|At|By|For|From|Of|To|With|And|But|As|When|While|Where|After|Before|Since|During|Under|Over|Through|That|If|"
    rf"{MONTHS})\b)"
)
_NO_SUFFIX = "".join(
    f"(?<!-{word})" for word in ("held", "born", "based", "led", "era", "style", "like", "wide")
)
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"{_CAP}(?: {_CAP}| of {_CAP}){{0,5}}, (?:{_NTH} )?{_RANK}(?: of)?(?:"
            rf" {_CAP}){{1,4}}(?: of {_CAP})?"
        ),
        rf"{_CAP}{_MORE}, {_NTH} {_RANK}",
        rf"{_CAP}{_MORE},? (?:Jr|Sr)\b\.?",
        (
            rf"{_CAP} (?:II|III|IV|V|VI|VII|VIII|IX|X|XI|XII|XIII|XIV|XV|XVI)\b(?: the {_CAP})?(?:"
            rf" of {_CAP})?"
        ),
        rf"{_CAP} I (?:the|of) {_CAP}",
        rf"{_NO_NAME}{_CAP} the (?!United|Republic|University){_CAP}(?= |,|\.|'|;|$)",
        rf"{_CAP}{_MORE} & {_CAP}{_MORE}",
        rf"{_CAP} [^\W\d_a-z]\w{{1,40}}-[a-z]{{1,6}}{_NO_SUFFIX}\b",
    )
)


class Bracket(NamedTuple):
    """Text of brackets, and their place in the normalised text."""

    at: int
    text: str


class TextPart(NamedTuple):
    """Characters [start, end) that a sentence begins with; `single`: they are one sentence."""

    start: int
    end: int
    single: bool


@dataclass(frozen=True, slots=True)
class NormalisedText:
    """The text for the parser, and the brackets that were taken out of it.

    `whole` are spans that are one name each, in order, not overlapping. `breaks` are places where a
    sentence begins, whatever the parser thinks, and `single` spans in which no other does.
    `starts[i]` is where a
    piece of the text begins and `origins[i]` where it began in the original.
    """

    text: str
    brackets: tuple[Bracket, ...]
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    whole: tuple[Span, ...] = ()
    breaks: tuple[int, ...] = ()
    single: tuple[Span, ...] = ()

    def origin(self, position: int) -> int:
        """The offset in the original text of a position in the prepared text."""
        piece = max(bisect_right(self.starts, position) - 1, 0)
        return self.origins[piece] + position - self.starts[piece]

    def place(self, origin: int) -> int:
        """The position in the prepared text of an offset in the original text that was kept."""
        piece = max(bisect_right(self.origins, origin) - 1, 0)
        place = self.starts[piece] + origin - self.origins[piece]
        return min([place, *self.starts[piece + 1 : piece + 2]])


def normalise(
    text: str, names: Iterable[str] = (), parts: Sequence[TextPart] | None = None
) -> NormalisedText:
    """Edit `text` for the parser. `names` (a title's forms) are kept whole wherever they occur.

    Only the first 6000 characters are used, words of 80 characters or more are dropped. With
    `parts` what lies between these is dropped, too, and each of them begins a sentence.
    """
    text = "".join(" " if c.isspace() or not c.isprintable() else c for c in text[:LONGEST])
    removed = list(bracket_edits(text))
    edits = [*_gaps(text, parts), *removed, *spacing(text)]
    prepared = _applied(text, edits)
    breaks = tuple(prepared.place(part.start) for part in parts or ())
    names_whole = tuple(
        span
        for span in _whole(prepared.text, names)
        if not any(span.start < at < span.end for at in breaks)
    )
    single = tuple(
        Span(at, prepared.place(part.end - 1) + 1)
        for at, part in zip(breaks, parts or (), strict=True)
        if part.single
    )
    return replace(prepared, whole=names_whole, breaks=breaks, single=single)


def _gaps(text: str, parts: Sequence[TextPart] | None) -> Iterator[Replacement]:
    """One blank for what lies between parts, where that is more than white space."""
    if parts is None:
        return
    edge = 0
    for start, end, _ in [*parts, TextPart(len(text), len(text), False)]:
        if text[edge:start].strip():
            yield Replacement(edge, min(start, len(text)), " ")
        edge = end


def _applied(text: str, edits: Iterable[Replacement]) -> NormalisedText:
    """Apply edits from left to right; one that begins inside the one before is left out."""
    pieces: list[str] = []
    starts, origins, brackets = [0], [0], []
    length = position = 0
    for edit in sorted(edits):
        if edit.start < position:
            continue
        pieces.append(text[position : edit.start] + edit.replacement)
        length += len(pieces[-1])
        removed = text[edit.start : edit.end].strip()
        if removed[:1] in ("(", "["):
            brackets.append(Bracket(length, removed[1:-1].strip()))
        position = edit.end
        starts.append(length)
        origins.append(position)
    pieces.append(text[position:])
    return NormalisedText("".join(pieces), tuple(brackets), tuple(starts), tuple(origins))


def _whole(text: str, names: Iterable[str]) -> tuple[Span, ...]:
    """Names to keep in one piece, longest first where they overlap."""
    patterns = list(_NAMES)
    for name in names:
        if " " in name or "-" in name:
            patterns.append(re.compile(rf"(?<!\w){re.escape(name)}(?!\w)(?! \d)"))
    spans = {Span(*match.span()) for pattern in patterns for match in pattern.finditer(text)}
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda item: (item.start - item.end, item.start)):
        if not any(span.start < other.end and other.start < span.end for other in chosen):
            chosen.append(span)
    return tuple(sorted(chosen))
