"""The sections of a document: the heading that each of its passages begins with or under."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from gear_app.language.blocks import headings
from gear_app.types import Span

_MOST = 3  # headings that follow each other; more short lines are a list
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
    places = [bisect_right(starts, passage.start) - 1 for passage in passages]
    return [names[place] if place >= 0 else "" for place in places]
