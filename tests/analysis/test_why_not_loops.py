"""What loops lost: queries, pools, verifiers, the gist memory, and runs that stop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.analysis import timeline
from gear_app.analysis.rankings import QuerySearch
from gear_app.analysis.why_not import (
    Cause,
    Change,
    DeepRank,
    StepOutcome,
    loop,
    why_not,
)
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.model import (
    Asked,
    ListPlace,
    Loss,
    PoolVerdict,
    TrailStep,
)
from gear_app.events import (
    Fused,
    Started,
    Stopped,
)
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import FIRST_FAR, LAST_NEAR, asked, evidence_of
from tests.factories import QUESTION

LATER = {QUESTION: DeepRank(9), "thought 1": DeepRank(7), "thought 2": DeepRank(8)}


def test_a_later_query_that_came_nearer_is_no_drift() -> None:
    drifted = why_not(lost.gear_twice(), KEY, facts(FIRST_FAR))
    nearer = why_not(lost.gear_twice(), KEY, facts(LAST_NEAR))
    assert drifted.cause is Cause.NEVER_ASKED_FOR
    assert (nearer.cause, nearer.lost and nearer.lost.iteration) == (Cause.READ_GAVE_NOTHING, 2)
    evidence = evidence_of(drifted, Asked)
    assert [query.rank for query in evidence.queries] == [8, 9]


def test_the_limit_stops_a_run_too_early_where_its_last_query_came_nearest() -> None:
    found = why_not(lost.gear_twice("iteration limit"), KEY, facts(LAST_NEAR))
    assert found.cause is Cause.STOPPED_TOO_EARLY
    assert found.changes[0][:3] == ("max_iterations", "2", ("3", "4", "5"))
    drifted = why_not(lost.gear_twice("iteration limit"), KEY, facts(FIRST_FAR))
    assert drifted.cause is Cause.NEVER_ASKED_FOR


def test_one_query_that_the_limit_ended_is_the_readers_loss() -> None:
    events = [
        replace(event, why="iteration limit") if isinstance(event, Stopped) else event
        for event in lost.gear_stopped()
    ]
    assert why_not(events, KEY, facts(FIRST_FAR)).cause is Cause.READ_GAVE_NOTHING


def test_the_search_that_came_furthest_decides_and_of_equals_the_first() -> None:
    steps = next(e for e in lost.pruned() if type(e).__name__ == "Expanded")
    near = lost.search([lost.TO_IT], [3], steps, n=2)
    nothing = lost.search([lost.ELSEWHERE], [8], lost.FAR)
    found = why_not(lost.gear(nothing, near, why="answerable"), KEY, facts())
    assert (found.cause, found.lost and found.lost.iteration) == (Cause.PRUNED, 2)
    both = lost.gear(lost.search([lost.TO_IT], [3], steps), near, why="answerable")
    assert why_not(both, KEY, facts()).lost.iteration == 1  # type: ignore[union-attr]


def test_gears_last_ranking_loses_what_it_has_too_low() -> None:
    found = why_not(lost.gear_fused_below(), KEY, facts())
    assert (found.cause, found.rank, found.lost and found.lost.step) == (
        Cause.FUSED_BELOW,
        8,
        "rank",
    )
    assert found.deciding_step == timeline.steps(lost.gear_fused_below())[-1].number
    assert found.changes[:2] == (
        Change("fusion", "rrf", ("interleaved", "gist_first")),
        Change("fusion_constant", "1", ("0", "3", "10", "60")),
    )


def test_a_pool_loses_by_its_nearest_query() -> None:
    lists = [lost.BASE, lost.OTHERS[:6], lost.OTHERS[:6]]
    found = why_not(lost.pool(*lists), KEY, facts(LATER))
    assert (found.cause, found.lost and found.lost.iteration) == (Cause.NOT_IN_BASE_RANKING, 2)
    first = {QUESTION: DeepRank(7), "thought 1": DeepRank(9), "thought 2": DeepRank(8)}
    drifted = why_not(lost.pool(*lists), KEY, facts(first))
    assert drifted.cause is Cause.NEVER_ASKED_FOR
    assert drifted.changes[0] == Change("pool_k", "6", tuple(map(str, range(7, 17))), "enough")
    alone = why_not(lost.pool(lost.BASE), KEY, facts(first))
    assert alone.cause is Cause.STOPPED_TOO_EARLY


def test_in_the_pool_and_too_low_is_the_pools_loss() -> None:
    found = why_not(lost.pool([*lost.BASE, KEY]), KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.FUSED_BELOW, "pool")


def test_a_verifier_loses_what_it_saw_and_left_and_nothing_else() -> None:
    left = asked(Cause.NOT_PROMOTED)
    evidence = left.lost and left.lost.evidence
    assert evidence == PoolVerdict(7, 30, 1, ("a", "b"))
    unseen = why_not(lost.bdtr(chosen=False, shown_=6), KEY, facts())
    assert (unseen.cause, unseen.lost and unseen.lost.step) == (Cause.FUSED_BELOW, "pool")
    assert unseen.changes[0].setting == "verify_k"
    assert (unseen.changes[0].values[0], unseen.changes[0].claim) == ("7", "exact")
    chosen = why_not(lost.bdtr(chosen=True, shown_=30), KEY, facts())
    assert (chosen.cause, chosen.lost and chosen.lost.step) == (Cause.FUSED_BELOW, "promote")


def test_what_the_verifier_did_not_see_was_lost_by_the_pool_after_all_steps_of_its_search() -> None:
    names = ("extract", "recognise", "walk")
    before = tuple(TrailStep(name, StepOutcome.PASSED) for name in names)
    case = LossCase(lost.bdtr(chosen=False, shown_=3), KEY, facts(), 5)
    found = loop.pool_loss(case, lambda *_: Loss(Cause.PROBABILITY_BELOW, before))
    told = [(step.step, step.outcome) for step in found.trail]
    assert told == [*((name, StepOutcome.PASSED) for name in names), ("pool", StepOutcome.LOST)]


def test_the_question_brings_more_into_the_pool_than_a_later_query_where_that_is_set() -> None:
    """Each brings six, the question nine where it is asked over chain; he is its seventh."""
    events = lost.pool([*lost.BASE, KEY], lost.OTHERS[:6])
    settings = (("max_iterations", "3"), ("pool_k", "6"), ("first_k", "9"))
    events[0] = Started(QUESTION, "ircot:chain", settings, "local")
    cuts: list[tuple[str, int]] = []

    def of_search(case: LossCase, search: QuerySearch, cut: int) -> Loss:
        cuts.append((search.query, cut))
        return Loss(Cause.NOT_IN_BASE_RANKING, (TrailStep("retrieve", StepOutcome.LOST),))

    found = loop.pool_loss(LossCase(events, KEY, facts(), 5), of_search)
    place = found.trail[0].evidence
    assert isinstance(place, ListPlace) and (place.rank, place.cut) == (7, 9)
    loop.pool_loss(LossCase(events, "nowhere", facts(), 5), of_search)
    assert cuts == [(QUESTION, 9), (QUESTION, 9), ("thought 1", 6)]


def test_what_merely_follows_a_short_ranking_is_found_and_no_step_raised_it() -> None:
    """The ranking has it, as every tool measures it; what brought it in is told as nothing."""
    (started, *rest, stopped, last) = lost.gear_stopped()
    follower = factories.ranked([KEY])[0]
    follower = replace(follower, score=0.0, parts=())
    short = (*factories.ranked(lost.OTHERS[:2]), follower)
    fused = [
        replace(event, ranking=(*event.ranking[:2], follower))
        if isinstance(event, Fused) and event.purpose == "final"
        else event
        for event in rest
    ]
    found = why_not([started, *fused, stopped, replace(last, ranking=short)], KEY, facts())
    assert (found.cause, found.rank) == (Cause.FOUND, 3)
    assert found.origin and found.origin.how in ("unraised", "nothing")


@pytest.mark.parametrize(("limit", "settings"), [(True, ["max_iterations"]), (False, [])])
def test_another_hop_is_offered_only_where_the_limit_ended_the_run(
    limit: bool, settings: list[str]
) -> None:
    events = lost.griever(new="Marc Isambard Brunel", score=0.95, limit=limit)
    found = why_not(events, KEY, facts())
    assert found.cause is Cause.STOPPED_TOO_EARLY
    assert [change.setting for change in found.changes] == settings
