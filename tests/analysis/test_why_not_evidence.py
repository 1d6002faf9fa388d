"""What a search lost: the evidence, the cut, and what would have been needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gear_app.analysis.why_not import (
    Cause,
    Change,
    DeepRank,
    NearestEntity,
    Need,
    StepOutcome,
    why_not,
)
from gear_app.analysis.why_not.model import (
    ListPlace,
    Margin,
    Neighbours,
    PrunedCandidate,
)
from gear_app.events import (
    Event,
    Expanded,
    Ranked,
    Retrieved,
)
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import FIRST_FAR, asked, evidence_of
from tests.factories import QUESTION


def test_a_pruned_triple_has_its_place_its_score_and_that_of_the_last_that_was_kept() -> None:
    found = asked(Cause.PRUNED)
    cut = evidence_of(found, PrunedCandidate)
    assert cut.survivor
    # 0.9 + 0.3 = 1.2, × e^(-1/4)
    assert (cut.step, cut.place, cut.size, cut.score) == (2, 3, 4, 0.934561)
    assert cut.survivor.score == 1.1
    assert found.needs == (
        Need("place among the candidates", 3, 2),
        Need("score in the beam", 0.934561, 1.1),
    )


def test_a_width_is_claimed_for_a_search_of_one_step_alone() -> None:
    one = why_not(lost.pruned_start(), KEY, facts())
    claims = {change.setting: (change.values[0], change.claim) for change in one.changes}
    assert one.cause is Cause.PRUNED
    assert claims["beam.width"] == ("3", "exact")
    two = {change.setting: change.claim for change in asked(Cause.PRUNED).changes}
    assert two["beam.width"] == ""


def test_a_candidate_that_is_kept_is_not_pruned() -> None:
    events = lost.pruned()
    kept = lost.beams(
        [factories.candidate(3, 0.9), factories.candidate(8, 0.8)],
        [factories.candidate(4, 0.6, 0, 0.9), factories.candidate(6, 0.5, 0, 0.9)],
    )
    assert why_not(lost.sync_ge(*lost.search([lost.TO_IT], [3], kept)), KEY, facts()).cause is (
        Cause.FOUND
    )
    assert why_not(events, KEY, facts()).cause is Cause.PRUNED


@pytest.mark.parametrize(
    ("run", "why", "setting"),
    [
        (lost.one_short, "short", "beam.length"),
        (lost.limited, "limit", "beam.neighbours"),
        (lost.far, "far", "beam.length"),
    ],
)
def test_no_neighbour_says_how_near_the_beams_came(
    run: Callable[[], list[Event]], why: str, setting: str
) -> None:
    near = NearestEntity("Thomas Telford", "Thames Tunnel", 0.4)
    found = why_not(run(), KEY, replace(facts(), nearest={QUESTION: near}))
    evidence = evidence_of(found, Neighbours)
    assert found.cause is Cause.NOT_A_NEIGHBOUR
    assert (evidence.why, evidence.nearest) == (why, near if why == "far" else None)
    assert found.changes[0].setting == setting


def test_the_cut_of_a_fusion_is_told_with_both_scores_and_their_terms() -> None:
    found = asked(Cause.FUSED_BELOW)
    margin = evidence_of(found, Margin)
    assert margin.place == ListPlace("the fused ranking", 8, 5)
    assert (margin.score, margin.terms[0]) == (0.014925, ("base, rank 7", 0.014925))
    assert margin.needed > margin.score
    assert found.needs[1] == Need("score in the fused ranking", margin.score, margin.needed)


def test_the_base_ranking_goes_on_as_deep_as_is_known() -> None:
    known = facts({QUESTION: DeepRank(23)})
    found = why_not(lost.read_nothing(), KEY, known)
    retrieve = next(step for step in found.trail if step.step == "retrieve")
    assert retrieve.outcome is StepOutcome.SKIPPED
    assert retrieve.evidence == ListPlace("hybrid", 23, 6)
    assert found.needs == (Need("rank in hybrid", 23, 6),)
    assert found.changes == (Change("k", "6", tuple(map(str, range(23, 33))), "enough"),)


def test_a_rank_that_only_more_candidates_give_claims_nothing() -> None:
    found = why_not(lost.read_nothing(), KEY, facts({QUESTION: DeepRank(130, deeper=True)}))
    assert found.changes == ()
    assert found.needs == (Need("rank in hybrid", 130, 6),)


@pytest.mark.parametrize("encoded", [True, False])
def test_a_candidate_that_was_dropped_by_its_estimate_could_be_encoded(encoded: bool) -> None:
    events = lost.sync_ge(*lost.pruned()[1:-1], settings=(*lost.BEAM, ("beam.scoring", "screened")))
    steps = next(event for event in events if isinstance(event, Expanded))
    last = steps.steps[-1]
    mine = replace(last.pruned[0], encoded=encoded)
    changed = replace(steps, steps=(steps.steps[0], replace(last, pruned=(mine,))))
    events[events.index(steps)] = changed
    offered = {change.setting for change in why_not(events, KEY, facts()).changes}
    assert ("beam.scoring" in offered) is not encoded


def test_a_triple_that_leads_to_it_and_was_pruned_before_the_last_step_lost_it() -> None:
    steps = lost.beams(
        [factories.candidate(8, 0.8), factories.candidate(0, 0.7)],
        [factories.candidate(10, 0.6, 0, 0.8)],
        pruned=[[factories.candidate(3, 0.5, kept=False)]],
    )
    found = why_not(lost.sync_ge(*lost.search([lost.TO_IT], [3], steps)), KEY, facts())
    cut = evidence_of(found, PrunedCandidate)
    assert (found.cause, cut.leads, cut.step, cut.place) == (Cause.PRUNED, True, 1, 3)


def test_names_lead_by_all_words_of_the_shorter_and_not_by_a_number() -> None:
    known = facts()
    assert known.leads("Brunel")
    assert known.leads("Sir Marc Isambard Brunel")
    assert not known.leads("Isambard Kingdom Brunel")
    assert not replace(known, title="Route 1864").leads("1864")
    assert known.shares("thames tunnel")
    assert not known.shares("Brunel")


def test_with_nothing_to_start_from_the_base_ranking_is_what_there_is() -> None:
    base = factories.ranked([*lost.BASE, KEY])
    read = lost.search([], [], lost.FAR)[1:3]
    events = [lost.sync_ge(*lost.search([], [], lost.FAR))[0], *read]
    events.insert(1, Retrieved(QUESTION, "hybrid", base))
    found = why_not([*events, Ranked(base, iteration=0)], KEY, facts())
    assert found.cause is Cause.BELOW_CUT
    assert [step.step for step in found.trail[:3]] == ["collection", "extract", "retrieve"]


def test_no_pool_is_claimed_to_have_what_its_ranking_does_not_go_down_to() -> None:
    far = facts({QUESTION: DeepRank(90, deeper=True)})
    found = why_not(lost.pool(lost.BASE), KEY, far)
    assert "pool_k" not in {change.setting for change in found.changes}


def test_the_nearest_of_all_queries_says_what_was_needed() -> None:
    found = why_not(lost.gear_twice(), KEY, facts({QUESTION: DeepRank(8)}))
    assert found.cause is Cause.NEVER_ASKED_FOR
    assert found.needs == (Need("rank in what a query finds", 8, 6),)
    both = why_not(lost.gear_twice(), KEY, facts(FIRST_FAR))
    assert both.needs == found.needs


def test_what_a_setting_allows_already_is_no_change() -> None:
    found = why_not(lost.pool(lost.BASE), KEY, facts({QUESTION: DeepRank(5)}))
    assert "pool_k" not in {change.setting for change in found.changes}


def test_three_letters_do_not_make_a_name() -> None:
    known = replace(facts(), title="River Sel", triples=())
    assert known.leads("River Sel") and known.leads("River") and not known.leads("Sel")
