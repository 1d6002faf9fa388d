"""The way by which a passage came into a run's ranking: by a search, link, beam or walk, by a later
query, or by the gist memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from gear_app.trace.events import Event, Promoted, ShownTriple
from gear_app.trace.metrics import stands_for
from gear_app.trace.paths import LinkPath, WalkPath, beam_path, link_path, walk_path
from gear_app.trace.rankings import (
    CUTS,
    QuerySearch,
    first_rank,
    gist_texts,
    is_among,
    rank_before_links,
    rank_of,
)
from gear_app.trace.trace import RunTrace


class Promotion(NamedTuple):
    """A move up by BDTR's calibration: ranks before and after it, and its iteration."""

    before: int
    after: int
    iteration: int


Way = WalkPath | LinkPath | tuple[ShownTriple, ...] | str  # a path, or a step's own words


@dataclass(frozen=True, slots=True)
class PassageOrigin:
    """The way by which a passage came in, and the step of the timeline that shows it."""

    step: int | None = None
    iteration: int = 0  # of the search or gist triple that brought it in; 0: none did
    rank: int | None = None  # after that search, or at the end where none did
    base: str = ""  # the first retriever, where the first search brought it in
    iterates: bool = True  # the method works in iterations
    raised: bool = True  # a later step moved it up from the rank of the first search
    way: Way = ""  # within the search; "" where the search's own list has it
    query: str = ""  # of a later search
    gist: str = ""  # the gist triple that was linked to it
    promotion: Promotion | None = None


def origin_of(events: Sequence[Event], key: str) -> PassageOrigin:
    """Find the way by which a passage came within the first five of the ranking "as if it were the
    last".

    For one that never came so high, what raised it most. The query is the one of that iteration
    which has it at its best rank. The first promotion that moved it up is added; where that brought
    it among the first five, its step is the one to open.
    """
    trace = RunTrace.of(events)
    origin = _origin(trace, key)
    for event in trace:
        if not isinstance(event, Promoted):
            continue
        promoted = (move for move in event.moves if move.id in event.promoted)
        move = next((move for move in promoted if stands_for(move.key, key)), None)
        if move and move.after < move.before:
            risen = not is_among(move.before, CUTS[0]) and is_among(move.after, CUTS[0])
            step = trace.step_of(event) if risen else origin.step
            promotion = Promotion(move.before, move.after, event.iteration)
            return replace(origin, step=step, promotion=promotion)
    return origin


def _origin(trace: RunTrace, key: str) -> PassageOrigin:
    first = next((search for search in trace.searches if search.base), None)
    iteration, rank, top = _raised(trace, key)
    candidates = [search for search in trace.searches if search.iteration == iteration]
    if not iteration:  # no ranking "as if it were the last" has it, as where the run goes on
        candidates = [
            search for search in trace.searches if is_among(_best_rank(key, search), CUTS[1])
        ]
        top = True
    having = [search for search in candidates if _best_rank(key, search)]
    search = min(having, key=lambda search: _best_rank(key, search) or 0, default=None)
    if (gist := _gist(trace, key, iteration)) and not _had_it(key, search, first, trace):
        step = trace.first_step("remember", iteration)
        return PassageOrigin(step, iteration, rank, gist=gist)
    if search is None:
        return _unraised(trace, key)
    if search == first:
        return _by_first(trace, key, search)
    origin = _by_later(trace, key, search, search.iteration if top else iteration)
    return replace(origin, rank=rank)


def _had_it(
    key: str, search: QuerySearch | None, first: QuerySearch | None, trace: RunTrace
) -> bool:
    """Whether the search itself had the passage: in a beam, or near its top."""
    if search is None:
        return False
    rank, cut = _best_rank(key, search), CUTS[1]
    if search == first:
        rank, cut = rank_of(key, search.ranking), CUTS[0]
    during = trace[search.start : search.stop]
    return is_among(rank, cut) or any(beam_path(event, key) for event in during)


def _raised(trace: RunTrace, key: str) -> tuple[int, int | None, bool]:
    """The iteration whose searches brought the passage in, its rank then, and whether in the top 5.

    Ours: of several that raised it, none so high, the one with the greatest gain in 1 / rank; ties
    to the earlier.
    """
    before = RunTrace(event for event in trace if not event.is_of("promote"))
    for n, ranking in before.rankings.items():
        if is_among(rank := rank_of(key, ranking), CUTS[0]):
            return n, rank, True
    best: tuple[int, int | None] = (0, None)
    gain = last = 0.0
    for n, ranking in before.reached.items():
        if (rank := rank_of(key, ranking)) is not None:
            if 1 / rank - last > gain:
                best, gain = (n, rank), 1 / rank - last
            last = 1 / rank
    return *best, False


def _best_rank(key: str, search: QuerySearch) -> int | None:
    """The rank in what the search ended with, else in its first list."""
    return rank_of(key, search.found) or rank_of(key, search.ranking)


def _by_first(trace: RunTrace, key: str, search: QuerySearch) -> PassageOrigin:
    """The first search brought it in, or had it higher than any later step raised it."""
    rank, after = first_rank(key, search, trace), rank_of(key, search.found)
    events = trace[search.start : search.stop]
    walk = next((event for event in events if event.is_of("walk")), None)
    path, link = walk_path(walk, key), _link_of(trace, key, search)
    begin = trace[search.start]
    origin = PassageOrigin(
        trace.step_of(begin), search.iteration, rank, search.base, iterates=trace.iterates
    )
    if walk and path:
        origin = replace(origin, step=trace.step_of(walk), way=path)
    elif link and search.base == "chain":
        origin = replace(origin, step=trace.step_of(link[0]), way=link[1])
    elif link and not is_among(rank, CUTS[0]):
        return replace(origin, step=trace.step_of(link[0]), rank=after, way=link[1])
    if is_among(rank, CUTS[1] if path and len(trace.searches) == 1 else CUTS[0]):
        return origin
    for event in events:
        if beam := beam_path(event, key):
            return replace(origin, step=trace.step_of(event), rank=after, way=beam)
    event = next((event for event in reversed(events) if event.came_by(key)), begin)
    if (words := event.came_by(key)) and (rank is None or is_among(after, CUTS[0])):
        return replace(origin, step=trace.step_of(event), rank=after, way=words)
    if rank is None:
        return _unraised(trace, key)
    raised = (rank_of(key, trace.final) or math.inf) < rank
    return replace(origin, raised=raised)


def _unraised(trace: RunTrace, key: str) -> PassageOrigin:
    return PassageOrigin(rank=rank_of(key, trace.final), iterates=trace.iterates)


def _by_later(trace: RunTrace, key: str, search: QuerySearch, iteration: int) -> PassageOrigin:
    """A later search brought it in, by its query and the beam, walk or link that led to it."""
    events = trace[search.start : search.stop]
    beam = next((event for event in events if beam_path(event, key)), None)
    walk = next((event for event in events if event.is_of("walk")), None)
    link = _link_of(trace, key, search)
    having = next((event for event in events if rank_of(key, event.listed)), events[0])
    way: Way = ""
    if beam:
        way = beam_path(beam, key)
    elif walk:
        way = walk_path(walk, key) or ""
    elif link:
        way = link[1]
    event = beam or walk or (link[0] if link else having)
    return PassageOrigin(trace.step_of(event), iteration, way=way, query=search.query)


def _link_of(trace: RunTrace, key: str, search: QuerySearch) -> tuple[Event, LinkPath] | None:
    """The link that raised a passage in a search, with its round: the first to bring it among the
    first five, else the one with the greatest gain in 1 / rank. None where no round raised it, or
    it has no link there.
    """
    rounds = [event for event in trace[search.start : search.stop] if event.is_of("follow")]
    before = first_rank(key, search, trace)
    if search.base == "chain":  # whose ranking is what it ends with
        before = next(filter(None, (rank_before_links(key, event) for event in rounds)), None)
    near = [1 / (rank_of(key, event.listed) or math.inf) for event in rounds]
    start = 1 / (before or math.inf)
    if not near or max(near) <= start:
        return None
    gains = [now - then for then, now in pairwise([start, *near])]
    first = (place for place, now in enumerate(near) if now >= 1 / CUTS[0])
    event = rounds[next(first, gains.index(max(gains)))]
    path = link_path(event, key)
    return (event, path) if path else None


def _gist(trace: RunTrace, key: str, iteration: int) -> str:
    """The gist triple, new in this iteration, whose list is the first to have the passage."""
    texts = {f"gist {n}": text for n, text in enumerate(gist_texts(trace), start=1)}
    old: set[str] = set()
    for event in trace:
        if not (event.is_of("fuse") and event.so_far):
            continue
        lines = (passage for passage in event.listed if stands_for(passage.key, key))
        line = next(lines, None)
        sources = [part.source for part in line.parts] if line else []
        new = [source for source in sources if source.startswith("gist") and source not in old]
        if new and event.iteration == iteration:
            return texts.get(new[0], new[0])
        old.update(sources)
    return ""
