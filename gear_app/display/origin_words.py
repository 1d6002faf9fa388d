"""The way by which a passage came into a ranking, in words."""

from __future__ import annotations

from gear_app.core.text import cut
from gear_app.display.labels import base_name
from gear_app.trace.passage_origin import PassageOrigin, Way
from gear_app.trace.paths import LinkPath, WalkPath
from gear_app.trace.rankings import CUTS, within

FEW = 3  # passages that name something; more are not "only" so many
LONGEST = 90  # characters of a query within a sentence


def origin_words(origin: PassageOrigin, *, over: bool = True) -> str:
    """The way, and a promotion that moved the passage up. `over` False: the run goes on."""
    words, move, better = _words(origin, over=over), origin.promotion, origin.better
    if better:
        place = f"iteration {better.iteration}" if origin.iterates else "a step"
        ranking = "the final ranking" if over else "the ranking so far"
        ends = f"has it at {better.final}" if better.final else "does not have it"
        words += "; " * bool(words)
        words += f"{place} had it at rank {better.rank}, but {ranking} {ends}"
    if move:
        words += f"; promoted from rank {move.before} to {move.after} in iteration {move.iteration}"
    return words


def _words(origin: PassageOrigin, *, over: bool) -> str:
    if not origin.iteration:
        if origin.better:
            return ""
        now = "at the end" if over else "so far"
        absent = "below every list that is kept" if over else "below every list so far"
        at = f"only at rank {origin.rank} {now}" if origin.rank else absent
        return f"{at}; no step raised it" if origin.rank else at
    near = within(origin.rank, CUTS[0])
    way, rank = way_words(origin.way), "" if near else f" at rank {origin.rank}"
    place = f"found in iteration {origin.iteration}"
    if origin.entered:
        place = f"in the first {CUTS[0]} since iteration {origin.iteration}"
    elif not origin.top:
        place = f"nearest in iteration {origin.iteration},{rank}"
    if origin.gist:
        return f"{place}, by the fact “{origin.gist}” of the gist memory"
    if origin.query:
        by = f", by the query “{cut(origin.query, LONGEST)}”"
        return place + by + (f": {way}" if way else "")
    if way and not origin.raised:
        way = f": {way}"
    elif way:
        lead = f"{place}, by " if origin.entered and origin.iterates else ""
        return lead + way + rank.replace(" at", ", at")
    raised = "" if near or origin.raised or origin.better else "; no later step raised it"
    return f"{base_name(origin.base)} found it{rank}{way}{raised}"


def way_words(way: Way) -> str:
    """A walk, a link or a beam that leads to a passage; "" for none."""
    match way:
        case WalkPath():
            return f"the walk: {way.name}, named in {way.triples} of its triples"
        case LinkPath():
            only = "only " if way.passages <= FEW else ""
            holders = f"{only}{way.passages} of {way.size} passages do"
            return f"a link: {way.start} names {way.mention}, and {holders}"
        case str():
            return way
    return f"a beam: {'; '.join(triple.text for triple in way)}" if way else ""
