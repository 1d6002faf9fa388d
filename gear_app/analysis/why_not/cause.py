"""Why a run does not have a passage among its first k: the first step that lost it."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis import timeline
from gear_app.analysis.passage_origin import origin_of
from gear_app.analysis.rankings import QuerySearch, final, searches
from gear_app.analysis.why_not import graph, hops, links, loop, order, walk
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.facts import PassageFacts
from gear_app.analysis.why_not.model import (
    Cause,
    Change,
    Claim,
    ListPlace,
    Loss,
    Need,
    StepOutcome,
    TrailStep,
    WhyNot,
)
from gear_app.events import Event

STEPS = (  # after which others of a method stand, so far as its run has them
    "collection",
    "extract",
    "split",
    "recognise",
    "retrieve",
    "choose",
    "activate",
    "visit",
    "propagate",
    "vote",
    "gather",
    "open",
    "rerank",
    "read",
    "link",
    "expand",
    "walk",
    "follow",
    "match",
    "fuse",
    "remember",
    "ask again",
    "pool",
    "promote",
    "rank",
)


def why_not(events: Sequence[Event], key: str, facts: PassageFacts, k: int = 5) -> WhyNot:
    """The cause, the trail and what it would have needed, of a passage by key, gold or not.

    Several searches: the one that came furthest decides. A passage within the first k is FOUND,
    with what brought it in.
    """
    case = LossCase(events, key, facts, k)
    title = facts.title or key
    rank = case.rank(final(events))
    collection = case.passed("collection")
    if rank is not None and rank <= k and timeline.ranked(events):
        origin = origin_of(events, key)
        step = TrailStep("rank", StepOutcome.PASSED, ListPlace("the final ranking", rank, k))
        return WhyNot(key, title, k, rank, Cause.FOUND, (collection, step), origin=origin)
    found = _loss(case)
    first = () if found.cause is Cause.NOT_IN_COLLECTION else (collection,)
    trail = (*first, *found.trail)
    left = tuple(_after(events, name, rank) for name in _left(events, trail))
    return WhyNot(key, title, k, rank, found.cause, (*trail, *left), found.needs, found.changes)


def _loss(case: LossCase) -> Loss:
    """By what the run's events are: a new method that is made of known steps is answered too."""
    if not case.facts.ids:
        return Loss(Cause.NOT_IN_COLLECTION, (case.lost("collection"),))
    if not timeline.ranked(case.events) or not searches(case.events):
        return Loss(Cause.RUN_ENDED, (case.lost("rank"),))
    if case.last("split", "match"):
        return hops.loss(case)
    if case.last("pool"):
        return loop.pool_loss(case, search_loss)
    if case.last("remember", "reason"):
        return loop.gear_loss(case, search_loss)
    return search_loss(case, searches(case.events)[0], case.k)


def search_loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """What lost it in one search, by the kinds of its events."""
    if case.first(search, "rerank"):
        return order.loss(case, search, cut)
    if case.first(search, "follow"):
        return links.loss(case, search, cut)
    if case.first(search, "recognise"):
        return walk.loss(case, search, cut)
    if case.first(search, *order.SETTINGS):
        return order.loss(case, search, cut)
    by_triples = case.first(search, "read", "expand")
    if by_triples or (case.first(search, "fuse") and case.rank(search.found) is not None):
        return graph.loss(case, search, cut)
    return base_loss(case, search, cut)


def _after(events: Sequence[Event], step: str, rank: int | None) -> TrailStep:
    """A step after the one that lost it. The final ranking may have it all the same, further down
    than the cut.
    """
    if step != "rank" or rank is None:
        return TrailStep(step, StepOutcome.NOT_REACHED)
    place = ListPlace("the final ranking", rank, len(final(events)))
    return TrailStep(step, StepOutcome.BELOW, place)


def _left(events: Sequence[Event], trail: Sequence[TrailStep]) -> list[str]:
    """The steps of the method that come after the one that lost it."""
    there = {step.verb for step in timeline.steps(events)}
    if len(searches(events)) > 1:
        there.add("ask again")
    last = STEPS.index(trail[-1].step)
    return [name for name in STEPS[last + 1 :] if name in there]


def base_loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """It is below the cut, or the ranking does not have it at all."""
    event = case.first(search, "retrieve")
    whole = final(case.events) if event and _alone(case) else search.found
    rank = case.rank(whole)
    shown = case.margin(search.base, search.ranking, cut, case.rank(search.ranking))
    if rank is not None:
        margin = shown if shown and shown.terms else case.margin(search.base, whole, cut)
        step = case.lost("retrieve", event, margin)
        return Loss(Cause.BELOW_CUT, (step,), case.needs(margin))
    known = case.deep(search)
    place = ListPlace(search.base, known.rank, cut, known.deeper, unknown=known.unknown)
    step = case.lost("retrieve", event, place)
    needs = (Need(f"rank in {search.base}", known.rank, cut),)
    return Loss(Cause.NOT_IN_BASE_RANKING, (step,), needs, tuple(deeper_base(case, search)))


def deeper_base(case: LossCase, search: QuerySearch) -> list[Change]:
    """So many passages of the base ranking as would have it, where the run's own ranking goes on to
    it.
    """
    known = case.deep(search)
    if known.rank is None or known.deeper or case.rank(search.ranking):
        return []
    # What a later query finds is another thing once the first brings more.
    claim: Claim = "enough" if search.iteration == 1 else ""
    pooled, rounds = case.setting("pool_k"), case.setting("round_k")
    if pooled:
        return case.at_least("pool_k", known.rank, claim)
    if rounds:
        return case.at_least("round_k", known.rank, claim)
    return []


def _alone(case: LossCase) -> bool:
    """Whether the run is one search and its ranking the final one."""
    retrievals = sum(event.is_of("retrieve") for event in case.events)
    return retrievals == 1 and case.setting("pool_k") is None
