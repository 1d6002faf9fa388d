"""A passage's text made ready for the parser, with a way back to the original offsets.

Brackets, quotation marks and the spacing faults of common corpora ("film\" The Zone\" and", "peer - reviewed")
mislead the parser. They are edited out; what stood in brackets is kept aside, and names that must stay whole
(quoted titles, "Edward Baring, 1st Baron Revelstoke", "Kim Jong-il") are handed on as spans to merge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.types import Span

LONGEST = 6000  # characters parsed per passage; a passage is about 100 words, this is about 1000
LONGEST_WORD = 80

_RANK = r"(?:Baron(?:et|ess)?|Earl|Viscount(?:ess)?|Marquess|Marquis|Duke|Duchess|Count(?:ess)?|Lord|Prince(?:ss)?|King|Queen)"
_CAP = r"(?:[A-Z]\.|[^\W\d_a-z][\w’-]*)"
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_CAP}(?: {_CAP}| of {_CAP})*, (?:\d+(?:st|nd|rd|th) )?{_RANK}(?: of)?(?: {_CAP})+(?: of {_CAP})?",
        rf"{_CAP}(?: {_CAP})*, \d+(?:st|nd|rd|th) {_RANK}",
        rf"{_CAP}(?: {_CAP})*,? (?:Jr|Sr)\b\.?",
        rf"{_CAP} (?:II|III|IV|V|VI|VII|VIII|IX|X|XI|XII|XIII|XIV|XV|XVI)\b(?: the {_CAP})?(?: of {_CAP})?",
        rf"{_CAP} I (?:the|of) {_CAP}",
        rf"(?!(?:In|On|At|By|For|From|Of|To|With|And|But|As|When|While|Where|After|Before|Since|During|Under|Over|Through|That|If|January|February|March|April|May|June|July|August|September|October|November|December)\b){_CAP} the (?!United|Republic|University){_CAP}(?= |,|\.|'|;|$)",
        rf"{_CAP} [^\W\d_a-z]\w+-[a-z]{{1,6}}(?<!-held)(?<!-born)(?<!-based)(?<!-led)(?<!-era)(?<!-style)(?<!-like)(?<!-wide)\b",
    )
)
_TITLE_CASE = re.compile(r"[^\W_a-z]")
_QUOTES = re.compile(r"``|''|[\"“”„]")
_GAP_AFTER_STOP = re.compile(r"(?<=[a-z]{2}[.!?])(?=[A-Z][a-z])")
_LOOSE_HYPHEN = re.compile(r"(?<=\w)- (?!(?:and|or|to)\b)(?=\w)")
_SPACED_HYPHEN = re.compile(r"(?<=\w) - (?=\w)")
_TIGHT_HYPHEN = re.compile(r"\w-\w")
_LEGAL_FORM = re.compile(r", (?:Inc|Ltd|LLC|L\.L\.C)\b\.?(?! [A-Z])")
_DASH_VERB = re.compile(r" [-–—] (?=(?:is|was|are|were) )")
_STARS = re.compile(r",? and (?:also )?stars (?=[A-Z])")
_PREFIX = re.compile(r"(?<=\b[Cc]o) ?- ?(?=[a-z])|(?<=\bre)-(?=[a-z])")
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")


class Aside(NamedTuple):
    """What stood in brackets, and where it stood in the prepared text."""

    at: int
    text: str


class _Edit(NamedTuple):
    start: int
    end: int
    replacement: str


class _Quoted(NamedTuple):
    start: int
    end: int
    inside: Span


@dataclass(frozen=True, slots=True)
class Prepared:
    """The text for the parser; `whole` are spans of it that are one name each, in order, not overlapping."""

    text: str
    asides: tuple[Aside, ...]
    whole: tuple[Span, ...]
    _starts: tuple[int, ...]
    _origins: tuple[int, ...]

    def origin(self, position: int) -> int:
        """The offset in the original text of a position in the prepared text."""
        piece = max(bisect_right(self._starts, position) - 1, 0)
        return self._origins[piece] + position - self._starts[piece]

    def place(self, origin: int) -> int:
        """The position in the prepared text of an offset in the original text that was kept."""
        piece = max(bisect_right(self._origins, origin) - 1, 0)
        return self._starts[piece] + origin - self._origins[piece]


def prepare(text: str, names: tuple[str, ...] = ()) -> Prepared:
    """Edit `text` for the parser. `names` (a title's forms) are kept whole wherever they occur.

    Only the first 6000 characters are used, words of 80 characters or more are dropped.
    """
    text = "".join(" " if character.isspace() or not character.isprintable() else character for character in text[:LONGEST])
    brackets = list(_brackets(text))
    quoted = [q for q in _quoted(text) if not any(edit.start < q.end and q.start < edit.end for edit in brackets)]
    edits = [*brackets, *(edit for q in quoted for edit in _unquote(text, q)), *_spacing(text)]
    return _apply(text, edits, [q.inside for q in quoted], names)


def _brackets(text: str) -> Iterator[_Edit]:
    """Balanced round and square brackets of at most 400 characters, with the blank before them."""
    opened: list[int] = []
    for position, character in enumerate(text):
        if character in "([":
            opened.append(position)
        elif character in ")]" and opened:
            start = opened.pop()
            if not opened and position - start <= 400:
                before = start - 1 if start and text[start - 1] == " " else start
                after = text[position + 1 : position + 2]
                yield _Edit(before, position + 1, " " if after.isalnum() else "")


def _quoted(text: str) -> Iterator[_Quoted]:
    """Quoted titles: the first letter is a capital or a digit, and there are at most ten words."""
    marks = [match.span() for match in _QUOTES.finditer(text)]
    position = 0
    while position + 1 < len(marks):
        (start, inner), (outer, end) = marks[position], marks[position + 1]
        inside = text[inner:outer].strip(" ,.;")
        titled = bool(_TITLE_CASE.match(inside)) and len(inside.split()) <= 10
        if titled:
            inner = text.index(inside, inner)
            yield _Quoted(start, end, Span(inner, inner + len(inside)))
        position += 2 if titled or outer - inner < 120 else 1


def _unquote(text: str, quoted: _Quoted) -> Iterator[_Edit]:
    """Remove the two marks, with one blank outside and none inside; a comma or stop inside moves outside."""
    before = len(text[: quoted.start].rstrip(" "))
    yield _Edit(before, quoted.inside.start, " " if before and text[before - 1] not in "-–/" else "")
    after = len(text) - len(text[quoted.end :].lstrip(" "))
    following = text[after : after + 1]
    stop = text[quoted.inside.end : quoted.end].strip(" \"“”`'")[:1]
    gap = " " if following not in ("", "'", "’", ",", ".", ";", ":", ")", "?", "!", "-", "–") else ""
    yield _Edit(quoted.inside.end, after, ("" if following and following in ",.;" else stop) + gap)


def _spacing(text: str) -> Iterator[_Edit]:
    """The blanks that tokenised corpora lost or added, and words too long to be words."""
    yield from (_Edit(match.start(), match.start(), " ") for match in _GAP_AFTER_STOP.finditer(text))
    yield from (_Edit(*match.span(), "-") for match in _LOOSE_HYPHEN.finditer(text))
    yield from (_Edit(*match.span(), "") for match in _PREFIX.finditer(text))
    yield from (_Edit(*match.span(), "") for match in _LONG_WORD.finditer(text))
    yield from (_Edit(*match.span(), " ") for match in _DASH_VERB.finditer(text))
    yield from (_Edit(*match.span(), "") for match in _LEGAL_FORM.finditer(text))
    yield from (_Edit(*match.span(), " starring ") for match in _STARS.finditer(text))
    if not _TIGHT_HYPHEN.search(text):
        yield from (_Edit(*match.span(), "-") for match in _SPACED_HYPHEN.finditer(text))


def _apply(text: str, edits: list[_Edit], quoted: list[Span], names: tuple[str, ...]) -> Prepared:
    pieces: list[str] = []
    starts, origins, asides = [0], [0], []
    length = position = 0
    for edit in sorted(edits):
        if edit.start < position:
            continue
        kept = text[position : edit.start] + edit.replacement
        pieces.append(kept)
        length += len(kept)
        removed = text[edit.start : edit.end].strip()
        if removed[:1] in ("(", "["):
            asides.append(Aside(length, removed[1:-1].strip()))
        position = edit.end
        starts.append(length)
        origins.append(position)
    pieces.append(text[position:])
    prepared = Prepared("".join(pieces), tuple(asides), (), tuple(starts), tuple(origins))
    whole = _whole(prepared, quoted, names)
    return Prepared(prepared.text, prepared.asides, whole, prepared._starts, prepared._origins)


def _whole(prepared: Prepared, quoted: list[Span], names: tuple[str, ...]) -> tuple[Span, ...]:
    """Names to keep in one piece, longest first where they overlap."""
    text = prepared.text
    found = [Span(prepared.place(start), prepared.place(end - 1) + 1) for start, end in quoted]
    for name in names:
        if " " in name or "-" in name:
            found += [Span(*match.span()) for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    found += [Span(*match.span()) for pattern in _NAMES for match in pattern.finditer(text)]
    chosen: list[Span] = []
    for span in sorted(set(found), key=lambda item: (item.start - item.end, item.start)):
        if not any(span.start < other.end and other.start < span.end for other in chosen):
            chosen.append(span)
    return tuple(sorted(chosen))
