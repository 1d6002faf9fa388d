"""A passage's text made ready for the parser, with a way back to the original offsets.

Brackets, quotation marks and the spacing faults of common corpora mislead the parser. They are
edited out; what stood in brackets is kept aside, and names that must stay whole (quoted titles,
"Edward Baring, 1st Baron Revelstoke", "Kim Jong-il") are handed on as spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.extract.edits import Edit, brackets, quoted_titles, spacing, unquote
from gear_app.extract.words import MONTHS
from gear_app.types import Span

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


class Aside(NamedTuple):
    """What stood in brackets, and where it stood in the prepared text."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """The text for the parser; `whole` are spans of it that are one name each, in order, not
    overlapping.

    `starts[i]` is where a piece of the text begins and `origins[i]` where it began in the original.
    """

    text: str
    asides: tuple[Aside, ...]
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    whole: tuple[Span, ...] = ()

    def origin(self, position: int) -> int:
        """The offset in the original text of a position in the prepared text."""
        piece = max(bisect_right(self.starts, position) - 1, 0)
        return self.origins[piece] + position - self.starts[piece]

    def place(self, origin: int) -> int:
        """The position in the prepared text of an offset in the original text that was kept."""
        piece = max(bisect_right(self.origins, origin) - 1, 0)
        return self.starts[piece] + origin - self.origins[piece]


def prepare(text: str, names: Iterable[str] = ()) -> Prepared:
    """Edit `text` for the parser. `names` (a title's forms) are kept whole wherever they occur.

    Only the first 6000 characters are used, words of 80 characters or more are dropped.
    """
    text = "".join(" " if c.isspace() or not c.isprintable() else c for c in text[:LONGEST])
    removed = list(brackets(text))
    quoted = [
        q
        for q in quoted_titles(text)
        if not any(e.start < q.end and q.start < e.end for e in removed)
    ]
    prepared = _applied(
        text, [*removed, *(edit for q in quoted for edit in unquote(text, q)), *spacing(text)]
    )
    inside = [
        Span(prepared.place(q.inside.start), prepared.place(q.inside.end - 1) + 1) for q in quoted
    ]
    return replace(prepared, whole=_whole(prepared.text, inside, names))


def _applied(text: str, edits: Iterable[Edit]) -> Prepared:
    """Apply edits from left to right; one that begins inside the one before is left out."""
    pieces: list[str] = []
    starts, origins, asides = [0], [0], []
    length = position = 0
    for edit in sorted(edits):
        if edit.start < position:
            continue
        pieces.append(text[position : edit.start] + edit.replacement)
        length += len(pieces[-1])
        removed = text[edit.start : edit.end].strip()
        if removed[:1] in ("(", "["):
            asides.append(Aside(length, removed[1:-1].strip()))
        position = edit.end
        starts.append(length)
        origins.append(position)
    pieces.append(text[position:])
    return Prepared("".join(pieces), tuple(asides), tuple(starts), tuple(origins))


def _whole(text: str, quoted: list[Span], names: Iterable[str]) -> tuple[Span, ...]:
    """Names to keep in one piece, longest first where they overlap."""
    found = [span for span in quoted if span.start < span.end]
    for name in names:
        if " " in name or "-" in name:
            found += [
                Span(*m.span())
                for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)(?! \d)", text)
            ]
    found += [Span(*match.span()) for pattern in _NAMES for match in pattern.finditer(text)]
    chosen: list[Span] = []
    for span in sorted(set(found), key=lambda item: (item.start - item.end, item.start)):
        if not any(span.start < other.end and other.start < span.end for other in chosen):
            chosen.append(span)
    return tuple(sorted(chosen))
