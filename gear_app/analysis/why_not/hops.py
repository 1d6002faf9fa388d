"""GRIEVER: hops, what was matched in each, and the passages that the next one searched."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.analysis.rankings import QuerySearch, searches
from gear_app.analysis.why_not.case import FEW, LossCase
from gear_app.analysis.why_not.loop import asked
from gear_app.analysis.why_not.model import (
    Cause,
    Change,
    ListPlace,
    Loss,
    Matching,
    Need,
    TrailStep,
)
from gear_app.config import FUSION_CONSTANTS
from gear_app.events import Match, Matched, Stopped


class _Lead(NamedTuple):
    """The best match that leads to the passage, and its hop."""

    event: Matched
    match: Match


def loss(case: LossCase) -> Loss:
    """Fused below, no match that leads to it, a hop that searched elsewhere, or none after it."""
    fused = case.last("fuse")
    assert fused is not None  # a run that has a ranking has fused its hops
    rank = case.rank(fused.reached)
    made = searches(case.events)
    first = [case.extract(), *(case.retrieve(made[0]),)]
    if rank is not None:
        margin = case.margin("the fused hops", fused.listed, case.k, rank)
        trail = [*first, *_matches(case), case.lost("fuse", fused, margin)]
        if not case.facts.triples:
            trail = trail[1:]
        changes = (*case.others("fusion_constant", FUSION_CONSTANTS), *_hops(case))
        return Loss(Cause.FUSED_BELOW, tuple(trail), case.needs(margin), changes)
    below = _below_its_hop(case, made[1:], first)
    if below:
        return below
    if case.facts.triples == ():
        return Loss(Cause.NO_TRIPLE, (case.extract(),))
    lead = _lead(case)
    if lead is None:
        return _no_lead(case, made, first)
    last = case.all(Matched)[-1]
    if lead.event is last and lead.match.score >= last.sure and not lead.match.taken:
        return _stopped(case, made, first)
    return _not_taken(case, lead, first)


def _below_its_hop(
    case: LossCase, later: tuple[QuerySearch, ...], first: list[TrailStep]
) -> Loss | None:
    """A later hop found it, below the first `hop_k` that are fused."""
    limit = case.setting("hop_k")
    ranks = [(rank, one) for one in later if (rank := case.rank(one.found))]
    if not ranks or limit is None:
        return None
    rank, search = min(ranks, key=lambda pair: pair[0])
    event = case.first(search, "retrieve")
    place = ListPlace(search.base, rank, limit.number)
    trail = [*first, *_matches(case, search.iteration - 1)]
    trail.append(case.lost("fuse", event, place))
    needs = (Need(f"rank in {search.base}", rank, limit.number),)
    changes = tuple(case.at_least("hop_k", rank, "exact"))
    return Loss(Cause.FUSED_BELOW, tuple(trail), needs, changes)


def _lead(case: LossCase) -> _Lead | None:
    """The match with the greatest score whose new side is a name of the passage."""
    found = [
        _Lead(event, match)
        for event in case.all(Matched)
        for match in event.matches
        if case.facts.leads(match.new)
    ]
    return max(found, key=lambda one: one.match.score, default=None)


def _no_lead(case: LossCase, made: tuple[QuerySearch, ...], first: list[TrailStep]) -> Loss:
    """No match of any hop leads to it: one hop matched nothing of use, several went elsewhere."""
    events = case.all(Matched)
    if len(made) > 1:
        step = case.lost("ask again", events[-1], asked(case, made))
        trail = (*first, *_matches(case), step)
        return Loss(Cause.NEVER_ASKED_FOR, trail, (), tuple(_sure(case, None)))
    number = sum(len(event.matches) for event in events)
    step = case.lost("match", events[-1], Matching(number))
    return Loss(Cause.NO_MATCH, (*first, step), (), tuple(_sure(case, None)))


def _not_taken(case: LossCase, lead: _Lead, first: list[TrailStep]) -> Loss:
    """A match leads to it and did not rewrite the query, or did, and the hop did not find it."""
    evidence = _matching(lead)
    before = _matches(case, lead.event.iteration - 1)
    if lead.match.taken:
        step = case.lost("ask again", lead.event, asked(case, searches(case.events)))
        passed = case.passed("match", lead.event, evidence)
        return Loss(Cause.NEVER_ASKED_FOR, (*first, *before, passed, step))
    step = case.lost("match", lead.event, evidence)
    needs = (Need("score of the match", lead.match.score, lead.event.sure),)
    changes = tuple(_sure(case, lead.match.score))
    return Loss(Cause.NO_MATCH, (*first, *before, step), needs, changes)


def _stopped(case: LossCase, made: tuple[QuerySearch, ...], first: list[TrailStep]) -> Loss:
    """The last hop matched what leads to it, and there was no other."""
    end = next(iter(case.all(Stopped)), None)
    step = case.lost("ask again", case.all(Matched)[-1], asked(case, made))
    limited = end is not None and end.why == "iteration limit"
    more = case.more("max_iterations", values=FEW) if limited else []
    return Loss(Cause.STOPPED_TOO_EARLY, (*first, *_matches(case), step), (), tuple(more))


def _matches(case: LossCase, until: int | None = None) -> list[TrailStep]:
    """What each hop matched, up to an iteration; one step a hop."""
    found = []
    for event in case.all(Matched):
        if until is not None and event.iteration > until:
            break
        leading = [match for match in event.matches if case.facts.leads(match.new)]
        best = max(leading, key=lambda match: match.score, default=None)
        evidence = _matching(_Lead(event, best)) if best else Matching(len(event.matches))
        found.append(case.passed("match", event, evidence, by=best and best.taken))
    return found


def _matching(lead: _Lead) -> Matching:
    event, match = lead
    words = match.triple.text
    return Matching(len(event.matches), words, match.score, event.sure)


def _sure(case: LossCase, score: float | None) -> list[Change]:
    """A lower threshold for matches: at most the score of the one that leads there."""
    there = case.setting("sure")
    if there is None:
        return []
    steps = [value for value in (0.9, 0.8, 0.7, 0.6, 0.5) if value < float(there.value)]
    if score is None:
        return case.others("sure", steps)
    exact = int(score * 1000) / 1000
    values = [exact, *(value for value in steps if value < exact)]
    return case.others("sure", values)


def _hops(case: LossCase) -> list[Change]:
    limit = case.setting("hop_k")
    values = (limit.number * 2, limit.number // 2) if limit else ()
    return case.others("hop_k", values)
