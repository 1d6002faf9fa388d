"""The sections of a document: its title, and the headings that each of its passages is under."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from gear_app.ingest.blocks import BlockKind, PlacedBlock, paths
from gear_app.language.blocks import Kind, blocks, headings
from gear_app.language.dates import ENGLISH
from gear_app.text import tokenise
from gear_app.types import Span

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
