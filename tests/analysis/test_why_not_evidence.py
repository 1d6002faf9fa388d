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
    BeamStep,
    Event,
    Expanded,
    Ranked,
    Retrieved,
)
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import FIRST_FAR, LAST_NEAR, asked, evidence_of
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


def test_what_a_beam_says_already_is_not_said_twice() -> None:
    known = facts()
    (first, *_) = known.triples or ()
    same = replace(first, subject="Isambard Kingdom Brunel", predicate="was the only son of")
    mine = replace(known, triples=(replace(same, object="Marc Isambard Brunel"),))
    found = why_not(lost.limited(), KEY, mine)
    evidence = evidence_of(found, Neighbours)
    assert evidence.why == "same"


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


def test_a_beam_that_was_kept_and_not_gone_on_with_has_no_place_of_its_own() -> None:
    steps = lost.beams(
        [factories.candidate(6, 0.9), factories.candidate(8, 0.8)],
        [factories.candidate(10, 0.6, 1, 0.8)],
    )
    found = why_not(lost.sync_ge(*lost.search([factories.proximal(6)], [6], steps)), KEY, facts())
    cut = evidence_of(found, PrunedCandidate)
    assert (found.cause, cut.step, cut.place, cut.candidate) == (Cause.PRUNED, 2, 0, None)
    assert found.needs == (Need("place among the candidates", None, 1),)


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


def test_without_a_reader_the_beams_lost_it() -> None:
    retrieved, _, _, expanded, fused = lost.search([lost.ELSEWHERE], [8], lost.FAR)
    found = why_not(lost.sync_ge(retrieved, expanded, fused), KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.NOT_A_NEIGHBOUR, "expand")


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


def test_the_sum_at_the_cut_is_that_of_its_own_passage() -> None:
    evidence = evidence_of(asked(Cause.PROBABILITY_BELOW), Margin)
    assert evidence.holder == "Isambard Kingdom Brunel"
    assert evidence.holder_terms == (
        ("Isambard Kingdom Brunel × 3", 0.24),
        ("Marc Isambard Brunel × 1", 0.02),
    )


def test_in_a_search_of_one_step_a_dropped_triple_that_leads_to_it_lost_it() -> None:
    steps = lost.beams(
        [factories.candidate(8, 0.8), factories.candidate(0, 0.7)],
        pruned=[[factories.candidate(3, 0.7, kept=False)]],
    )
    found = why_not(lost.sync_ge(*lost.search([lost.TO_IT], [3], steps)), KEY, facts())
    cut = evidence_of(found, PrunedCandidate)
    # As good as the last that was kept: a tie is lost by its place.
    assert (found.cause, cut.leads, cut.place, cut.size) == (Cause.PRUNED, True, 3, 3)


def test_of_several_queries_that_found_it_the_nearest_is_told() -> None:
    far, near = [*lost.BASE[:5], KEY], [*lost.OTHERS[:2], KEY]
    found = why_not(lost.pool(far, near), KEY, facts())
    retrieve = next(step for step in found.trail if step.step == "retrieve")
    assert (retrieve.iteration, retrieve.evidence) == (2, ListPlace("hybrid", 3, 6))


def test_a_weaker_weighting_is_offered_from_the_one_that_was() -> None:
    weaker = {change.setting: change for change in asked(Cause.PRUNED).changes}["beam.gamma"]
    assert weaker == Change("beam.gamma", "auto", ("6", "8", "12", "20", "40", "none"))


def test_what_a_setting_allows_already_is_no_change() -> None:
    found = why_not(lost.pool(lost.BASE), KEY, facts({QUESTION: DeepRank(5)}))
    assert "pool_k" not in {change.setting for change in found.changes}


def test_of_two_candidates_of_one_passage_the_better_is_told_whole_only_where_it_was_scored() -> (
    None
):
    mine = factories.candidate(6, 0.3, 0, 0.9, 1, 4, kept=False)
    kept = [factories.candidate(4, 0.6, 0, 0.9), factories.candidate(10, 0.3, 1, 0.8)]

    def told(score: float) -> PrunedCandidate:
        last = BeamStep(tuple(kept), (mine,), ((factories.triples()[6].id, score),))
        first = BeamStep((factories.candidate(3, 0.9), factories.candidate(8, 0.8)), ())
        expanded = replace(lost.FAR, steps=(first, last))
        events = lost.sync_ge(*lost.search([lost.TO_IT], [3], expanded))
        found = why_not(events, KEY, facts()).lost
        assert found and isinstance(found.evidence, PrunedCandidate)
        return found.evidence

    assert (told(0.1).candidate, told(0.1).score) == (mine, mine.score)
    assert (told(1.0).candidate, told(1.0).score) == (None, 1.0)


def test_a_triple_that_leads_to_it_may_have_been_dropped_in_any_step_but_the_last() -> None:
    steps = lost.beams(
        [factories.candidate(8, 0.8), factories.candidate(0, 0.7)],
        [factories.candidate(10, 0.6, 0, 0.8)],
        [factories.candidate(11, 0.6, 0, 1.4)],
        pruned=[(), [factories.candidate(3, 0.5, 1, 0.7, kept=False)]],
    )
    found = why_not(lost.sync_ge(*lost.search([lost.TO_IT], [3], steps)), KEY, facts())
    cut = evidence_of(found, PrunedCandidate)
    assert (found.cause, cut.leads, cut.step) == (Cause.PRUNED, True, 2)


def test_three_letters_do_not_make_a_name() -> None:
    known = replace(facts(), title="River Sel", triples=())
    assert known.leads("River Sel") and known.leads("River") and not known.leads("Sel")


def test_more_passages_are_claimed_to_be_enough_for_the_first_query_alone() -> None:
    again = lost.search([lost.ELSEWHERE], [8], lost.FAR, n=2)
    events = lost.gear(lost.search([lost.ELSEWHERE], [8], lost.FAR), again, why="iteration limit")
    for known, claim in ((FIRST_FAR, "enough"), (LAST_NEAR, "")):
        deeper = [
            one for one in why_not(events, KEY, facts(known)).changes if one.setting == "round_k"
        ]
        assert [(one.values[0], one.claim) for one in deeper] == [("8", claim)]


def test_what_the_base_found_by_itself_is_told_by_its_own_rank() -> None:
    (started, _, followed, last) = lost.chain(linked=True)
    own = Retrieved(QUESTION, "hybrid", factories.ranked([KEY, *lost.BASE]))
    found = why_not([started, own, followed, last], KEY, facts())
    (step,) = [one for one in found.trail if one.step == "retrieve"]
    known = ListPlace("hybrid", 1, 2, starts=True)
    assert (step.outcome, step.evidence) == (StepOutcome.PASSED, known)
