"""The way by which a passage came into a ranking, in words."""

from __future__ import annotations

from gear_app.core.text import cut
from gear_app.display.labels import base_name
from gear_app.trace.passage_origin import PassageOrigin, Way
from gear_app.trace.paths import LinkPath, WalkPath
from gear_app.trace.rankings import CUTS, within

LONGEST = 90  # characters of a query within a sentence


def origin_words(origin: PassageOrigin, *, over: bool = True) -> str:
    """The way, and a promotion that moved the passage up. `over` False: the run goes on."""
    words = [_words(origin, over=over)]
    if move := origin.promotion:
        words.append(
            f"promoted from rank {move.before} to {move.after} in iteration {move.iteration}"
        )
    return "; ".join(filter(None, words))


def _words(origin: PassageOrigin, *, over: bool) -> str:
    way, at = way_words(origin.way), f"at rank {origin.rank}" if origin.rank else "in no list"
    if not origin.iteration:
        now = "at the end" if over else "so far"
        return f"only {at} {now}; no step raised it"
    by = f"the query “{cut(origin.query, LONGEST)}”" if origin.query else base_name(origin.base)
    by = f"the fact “{origin.gist}” of the gist memory" if origin.gist else by
    later = origin.query or origin.gist or origin.iterates
    place = f" in iteration {origin.iteration}" if later else ""
    if way and origin.raised and not origin.query:
        by = f": {way}" if isinstance(origin.way, str) else f" by {way}"
    else:
        by = f" by {by}{f': {way}' if way else ''}"
    far = "" if within(origin.rank, CUTS[0]) else f", {at}"
    return f"found{place}{by}{far}"


def way_words(way: Way) -> str:
    """A walk, a link or a beam that leads to a passage; "" for none."""
    match way:
        case WalkPath():
            return f"the walk: {way.name}, named in {way.triples} of its triples"
        case LinkPath():
            holders = f"{way.passages} of {way.size} passages do"
            return f"a link: {way.start} names {way.mention}, and {holders}"
        case str():
            return way
    return f"a beam: {'; '.join(triple.text for triple in way)}" if way else ""
