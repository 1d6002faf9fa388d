"""What brought a passage in: a search, link, beam, walk, a thought's query, or the gist memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from gear_app.analysis.metrics import stands_for
from gear_app.analysis.paths import LinkPath, WalkPath, beam_path, link_path, walk_path
from gear_app.analysis.rankings import (
    CUTS,
    QuerySearch,
    first_rank,
    gist_texts,
    of_event,
    per_iteration,
    rank_before_links,
    rank_of,
    within,
)
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, Join, Promoted, Rewrote, ScorePart, ShownTriple, Thought

How = Literal[
    "nothing", "unraised", "first", "walk", "link", "beam", "way", "below", "later", "gist"
]


class Promotion(NamedTuple):
    """A move up by BDTR's calibration: ranks before and after it, and its iteration."""

    before: int
    after: int
    iteration: int


class Better(NamedTuple):
    """A list of a run that had a passage higher than the run has it: the list's iteration, the rank
    there, and the rank in the run's own ranking, None where that has it not.
    """

    iteration: int
    rank: int
    own: int | None


@dataclass(frozen=True, slots=True)
class PassageOrigin:
    """Way by which a passage came in, and the step of the timeline that shows it.

    `how` is "first": the first search had it within its first five; "walk": so did that search's
    walk; "link": a passage of that search is linked to it; "beam": a beam of its search led to it;
    "below": the first search had it lower down than that, where no later step raised it higher;
    "way": a step that ordered passages anew came to it;
    "later": a later search found it; "gist": a gist triple was linked to it. "unraised": it is in
    the final ranking alone, and no step raised it; "nothing": no step found it. The other fields
    hold what there is to say of that; of a search by chain the link that raised it there.
    """

    how: How
    step: int | None = None
    iteration: int = 0  # of the search, or of the gist; of "later" the one that raised it
    rank: int | None = None  # in the first search, after the later one, or at the end
    base: str = ""  # the first retriever
    as_asked: bool = True  # the first search was for the question in its own words
    iterates: bool = True  # the method works in iterations
    top: bool = True  # a later search brought it among the first five, not only nearer
    entered: bool = False  # this is when it first was in the first five of the ranking so far
    raised: bool = True  # a later step moved it up from the rank the first search gave it
    walk: WalkPath | None = None
    link: LinkPath | None = None
    beam: tuple[ShownTriple, ...] = ()
    way: str = ""  # how a step that ordered passages anew came to it, in words
    thought: Thought | None = None  # that was searched
    inserted: tuple[str, ...] = ()  # words that the rewriting put into the query
    joins: tuple[Join, ...] = ()  # the search was among passages that name one of these
    gist: ScorePart | None = None
    gist_texts: tuple[str, ...] = ()  # of all gist triples, in the order of the lists "gist n"
    promotion: Promotion | None = None
    better: Better | None = None  # of what no step raised in the end


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
            risen = not within(move.before, CUTS[0]) and within(move.after, CUTS[0])
            step = trace.step_of(event) if risen else origin.step
            promotion = Promotion(move.before, move.after, event.iteration)
            return replace(origin, step=step, promotion=promotion)
    return origin


def _origin(trace: RunTrace, key: str) -> PassageOrigin:
    all_searches = trace.searches
    first = next((search for search in all_searches if search.base), None)
    iteration, rank, top = _raised(trace, key)
    entered = top and bool(iteration)
    candidates = [search for search in all_searches if search.iteration == iteration]
    if not iteration:  # no ranking "as if it were the last" has it, as where the run goes on
        candidates = [one for one in all_searches if within(_best_rank(key, one), CUTS[1])]
        top = True
    having = [one for one in candidates if _best_rank(key, one)]
    search = min(having, key=lambda one: _best_rank(key, one) or 0, default=None)
    gist = _gist(trace, key, iteration)
    if gist and not (search and _had_it(trace, key, search, first=search == first)):
        step = trace.first_step("remember", iteration)
        texts = gist_texts(trace)
        return PassageOrigin(
            "gist", step, iteration, rank, entered=entered, gist=gist, gist_texts=texts
        )
    if search is None:
        return _unraised(trace, key)
    if search == first:
        origin = _by_first(trace, key, search, alone=len(all_searches) == 1)
    else:
        number = search.iteration if top else iteration
        origin = _by_later(trace, key, search, number, rank, top=top)
    return replace(origin, entered=entered and origin.iteration == iteration)


def _had_it(trace: RunTrace, key: str, search: QuerySearch, *, first: bool) -> bool:
    """Whether the search itself had the passage: in a beam, or near its top."""
    if first:
        near = within(rank_of(key, search.ranking), CUTS[0])
    else:
        near = within(_best_rank(key, search), CUTS[1])
    return near or _beam(trace, key, search) is not None


def _raised(trace: RunTrace, key: str) -> tuple[int, int | None, bool]:
    """The iteration whose searches brought the passage in, its rank then, and whether in the top 5.

    Ours: of several that raised it, none so high, the one with the greatest gain in 1 / rank; ties
    to the earlier.
    """
    before = [event for event in trace if not event.is_of("promote")]
    for n, ranking in per_iteration(before).items():
        if within(rank := rank_of(key, ranking), CUTS[0]):
            return n, rank, True
    best: tuple[int, int | None] = (0, None)
    gain = last = 0.0
    for n, ranking in per_iteration(before, reached=True).items():
        if (rank := rank_of(key, ranking)) is not None:
            if 1 / rank - last > gain:
                best, gain = (n, rank), 1 / rank - last
            last = 1 / rank
    return *best, False


def _best_rank(key: str, search: QuerySearch) -> int | None:
    """The rank in what the search ended with, else in its first list."""
    return rank_of(key, search.found) or rank_of(key, search.ranking)


def _by_first(trace: RunTrace, key: str, search: QuerySearch, *, alone: bool) -> PassageOrigin:
    """The first search brought it in, or had it higher than any later step raised it."""
    begun = trace[search.start]
    start = trace.start
    rank = first_rank(key, search, trace)
    origin = PassageOrigin(
        "first",
        trace.step_of(begun),
        search.iteration,
        rank,
        search.base,
        as_asked=start is None or start.question == search.query,
        iterates=trace.iterates,
    )
    link = _link_of(trace, key, search)
    if search.base == "chain" and link:
        origin = replace(origin, step=trace.step_of(link[0]), link=link[1])
    walk = next((e for e in trace[search.start : search.stop] if e.is_of("walk")), None)
    path = walk_path(walk, key)
    walked = replace(origin, step=trace.step_of(walk), walk=path) if walk else origin
    if path and within(rank, CUTS[1] if alone else CUTS[0]):
        return replace(walked, how="walk")
    if within(rank, CUTS[0]):
        return origin
    if link and search.base != "chain":
        step, after = trace.step_of(link[0]), rank_of(key, search.found)
        return replace(origin, how="link", step=step, rank=after, link=link[1])
    if beam := _beam(trace, key, search):
        return replace(origin, how="beam", step=trace.step_of(beam[0]), beam=beam[1])
    during = trace[search.start : search.stop]
    told = next((e for e in reversed(during) if e.came_by(key)), None)
    after = rank_of(key, search.found)
    if told and (rank is None or within(after, CUTS[0])):
        step = trace.step_of(told)
        return replace(origin, how="way", step=step, rank=after, way=told.came_by(key))
    if rank is None:
        return _unraised(trace, key)
    raised = (rank_of(key, trace.final) or math.inf) < (rank or 0)
    better = None if raised else _better(trace, key, rank)
    return replace(walked, how="below", rank=rank, raised=raised, better=better)


def _unraised(trace: RunTrace, key: str) -> PassageOrigin:
    at_end = rank_of(key, trace.final)
    return PassageOrigin(
        "unraised" if at_end else "nothing",
        rank=at_end,
        iterates=trace.iterates,
        better=_better(trace, key, at_end),
    )


def _better(trace: RunTrace, key: str, rank: int | None) -> Better | None:
    """The list that had the passage highest, where that is higher than a rank; ties to the
    earlier.
    """
    lists = ((event.iteration, rank_of(key, event.reached)) for event in trace)
    ranks = [(there, iteration) for iteration, there in lists if there]
    best = min(ranks, default=(math.inf, 0))
    if best[0] >= (rank or math.inf):
        return None
    return Better(best[1], int(best[0]), rank_of(key, trace.final))


def _by_later(
    trace: RunTrace,
    key: str,
    search: QuerySearch,
    iteration: int,
    rank: int | None,
    *,
    top: bool,
) -> PassageOrigin:
    """A later search brought it in: whose query it was, and the walk or beam that led to it."""
    beam, thought = _beam(trace, key, search), _thought(trace, search)
    if beam and not thought:
        step = trace.step_of(beam[0])
        return PassageOrigin("beam", step, search.iteration, beam=beam[1])
    during = trace[search.start : search.stop]
    walk = next((event for event in during if event.is_of("walk")), None)
    link = _link_of(trace, key, search)
    having = (event for event in during if rank_of(key, of_event(event)))
    shows = beam[0] if beam else walk or (link[0] if link else next(having, during[0]))
    return PassageOrigin(
        "later",
        trace.step_of(shows),
        iteration,
        rank,
        top=top,
        walk=walk_path(walk, key),
        link=link[1] if link else None,
        beam=beam[1] if beam else (),
        thought=thought,
        inserted=_inserted(trace, search),
        joins=_joins(trace, search),
    )


def _beam(
    trace: RunTrace, key: str, search: QuerySearch
) -> tuple[Event, tuple[ShownTriple, ...]] | None:
    """The beam of this search that led to the passage, with the event that has it."""
    for event in trace[search.start : search.stop]:
        if path := beam_path(event, key):
            return event, path
    return None


def _link_of(trace: RunTrace, key: str, search: QuerySearch) -> tuple[Event, LinkPath] | None:
    """The link that raised a passage in a search, from where the ranking before any link had it: as
    a base chain is told by what it ends with.
    """
    during = trace[search.start : search.stop]
    before = first_rank(key, search, trace)
    if search.base == "chain":
        ranks = (rank_before_links(key, event) for event in during if event.is_of("follow"))
        before = next((rank for rank in ranks if rank), None)
    return _link(during, key, before)


def _link(events: Sequence[Event], key: str, before: int | None) -> tuple[Event, LinkPath] | None:
    """The link that raised a passage from a rank `before`, with the round that did: the first to
    bring it among the first five, else the one with the greatest gain in 1 / rank. None where no
    round raised it, or it has no link there.
    """
    rounds = [event for event in events if event.is_of("follow")]
    near = [1 / (rank_of(key, event.listed) or math.inf) for event in rounds]
    start = 1 / (before or math.inf)
    gains = [now - then for then, now in pairwise([start, *near])]
    if not near or max(near) <= start:
        return None
    first = (place for place, now in enumerate(near) if now >= 1 / CUTS[0])
    event = rounds[next(first, gains.index(max(gains)))]
    path = link_path(event, key)
    return (event, path) if path else None


def _thought(trace: RunTrace, search: QuerySearch) -> Thought | None:
    """The thought of the iteration before that was searched; None where the query was none."""
    for event in trace[: search.start]:
        if not isinstance(event, Thought) or event.iteration != search.iteration - 1:
            continue
        if event.query == search.query:
            return event
    return None


def _inserted(trace: RunTrace, search: QuerySearch) -> tuple[str, ...]:
    """Words that the rewriting before this search put into the query."""
    for event in trace:
        if isinstance(event, Rewrote) and event.iteration == search.iteration - 1:
            return tuple(change.inserted for change in event.substitutions)
    return ()


def _joins(trace: RunTrace, search: QuerySearch) -> tuple[Join, ...]:
    """Entities that GRIEVER's passages had to name in this search."""
    for event in trace:
        if event.is_of("match") and event.iteration == search.iteration - 1:
            return tuple(getattr(event, "joins", ()))
    return ()


def _gist(trace: RunTrace, key: str, iteration: int) -> ScorePart | None:
    """The first list of a gist triple new in this iteration that has the passage."""
    old: set[str] = set()
    for event in trace:
        if not (event.is_of("fuse") and event.so_far):
            continue
        lines = (passage for passage in event.listed if stands_for(passage.key, key))
        line = next(lines, None)
        parts = line.parts if line else ()
        new = (part for part in parts if part.source.startswith("gist") and part.source not in old)
        first_new = next(new, None)
        if first_new and event.iteration == iteration:
            return first_new
        old |= {part.source for part in parts}
    return None
