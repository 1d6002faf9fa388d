"""The sections of a document: the headings that each of its passages is under."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from gear_app.ingest.blocks import BlockKind, PlacedBlock, paths
from gear_app.language.blocks import headings
from gear_app.types import Span

_MOST = 3  # headings that follow each other; more short lines are a list
_SEVERAL = 3  # sections that are put together in a passage: it is called by none of them
_OFTEN = 3  # times from which on the same words stand over pages, and are no heading


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
