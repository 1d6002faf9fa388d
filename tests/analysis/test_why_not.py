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
    PassageFacts,
    SharedMention,
    StepOutcome,
    WhyNot,
    loop,
    why_not,
)
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.model import (
    Asked,
    Leading,
    ListPlace,
    Loss,
    Margin,
    Matching,
    MentionReach,
    Neighbours,
    PoolVerdict,
    PrunedCandidate,
    TrailStep,
)
from gear_app.events import (
    BeamStep,
    Event,
    Expanded,
    Followed,
    Fused,
    LinkedPassage,
    LinkedSentence,
    Ranked,
    RankedPassage,
    Retrieved,
    Stopped,
    Walked,
)
from tests import factories, rivals
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.factories import NEXT_QUERY, QUESTION

FIRST_FAR = {QUESTION: DeepRank(8), NEXT_QUERY: DeepRank(9)}
LAST_NEAR = {QUESTION: DeepRank(9), NEXT_QUERY: DeepRank(8)}
LATER = {QUESTION: DeepRank(9), "thought 1": DeepRank(7), "thought 2": DeepRank(8)}
NO_TRIPLE = facts(triples_=False)
BEYOND = replace(
    facts(), shared={QUESTION: (SharedMention("Clifton Suspension Bridge", "Brunel", 6, 100),)}
)
BASE_ALONE = [
    *factories.hybrid_run()[:2],
    Ranked(factories.ranked(["clifton", "engineers", "menai", "avon", "rouen", KEY]), iteration=0),
]

# Every cause: its run, what is known, the last step that the passage passed, and the first that
# lost it.
CASES: dict[Cause, tuple[list[Event], PassageFacts, str | None, str]] = {
    Cause.RUN_ENDED: (lost.pruned()[:-1], facts(), "collection", "rank"),
    Cause.NOT_IN_COLLECTION: (lost.pruned(), PassageFacts(), None, "collection"),
    Cause.NO_TRIPLE: (lost.read_nothing(), NO_TRIPLE, "collection", "extract"),
    Cause.NOT_IN_BASE_RANKING: (factories.hybrid_run(), facts(), "collection", "retrieve"),
    Cause.READ_GAVE_NOTHING: (lost.read_nothing(), facts(), "extract", "read"),
    Cause.LINKED_ELSEWHERE: (lost.linked_elsewhere(), facts(), "read", "link"),
    Cause.NO_SEED: (lost.hippo(named=False), facts(), "extract", "recognise"),
    Cause.NOT_A_NEIGHBOUR: (lost.one_short(), facts(), "link", "expand"),
    Cause.NO_MATCH: (
        lost.griever(new="Marc Isambard Brunel", score=0.8),
        facts(),
        "extract",
        "match",
    ),
    Cause.NO_LINK: (lost.chain(linked=False), facts(), "retrieve", "follow"),
    Cause.PRUNED: (lost.pruned(), facts(), "link", "expand"),
    Cause.PROBABILITY_BELOW: (lost.hippo(), facts(), "recognise", "walk"),
    Cause.TERMS_BELOW: (lost.chain(linked=True), facts(), "retrieve", "follow"),
    Cause.NOT_PROMOTED: (lost.bdtr(chosen=False, shown_=30), facts(), "pool", "promote"),
    Cause.FUSED_BELOW: (lost.fused_below(), facts(), "retrieve", "fuse"),
    Cause.BELOW_CUT: (BASE_ALONE, facts(), "collection", "retrieve"),
    Cause.NEVER_ASKED_FOR: (lost.gear_twice(), facts(FIRST_FAR), "extract", "ask again"),
    Cause.STOPPED_TOO_EARLY: (lost.gear_stopped(), facts(FIRST_FAR), "extract", "ask again"),
}


def asked(cause: Cause) -> WhyNot:
    events, known, _, _ = CASES[cause]
    return why_not(events, KEY, known)


def test_every_cause_has_a_run_in_which_it_is_true() -> None:
    assert {*CASES, Cause.FOUND} == set(Cause)


@pytest.mark.parametrize("cause", CASES)
def test_a_cause_is_named_with_the_first_step_that_lost_the_passage(cause: Cause) -> None:
    found = asked(cause)
    good = found.last_good.step if found.last_good else None
    assert (found.cause, good, found.lost and found.lost.step) == (cause, *CASES[cause][2:])


@pytest.mark.parametrize("cause", CASES)
def test_one_step_of_the_trail_lost_it_and_none_after_that_was_reached(cause: Cause) -> None:
    outcomes = [step.outcome for step in asked(cause).trail]
    place = outcomes.index(StepOutcome.LOST)
    assert outcomes.count(StepOutcome.LOST) == 1
    assert all(outcome is StepOutcome.NOT_REACHED for outcome in outcomes[place + 1 :])
    assert StepOutcome.NOT_REACHED not in outcomes[:place]


def test_a_passage_among_the_first_is_found_with_what_brought_it_in() -> None:
    found = why_not(factories.gear_run(), KEY, facts())
    assert (found.cause, found.rank, found.lost) == (Cause.FOUND, 2, None)
    assert found.origin and found.origin.how == "gist"


def test_the_same_run_has_and_has_not_a_passage_by_the_cut() -> None:
    events = factories.gear_run()
    assert why_not(events, KEY, facts(), k=2).cause is Cause.FOUND
    assert why_not(events, KEY, facts(), k=1).cause is Cause.FUSED_BELOW


# The evidence


def test_a_pruned_triple_has_its_place_its_score_and_that_of_the_last_that_was_kept() -> None:
    found = asked(Cause.PRUNED)
    cut = found.lost and found.lost.evidence
    assert isinstance(cut, PrunedCandidate) and cut.survivor
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
    evidence = found.lost and found.lost.evidence
    assert found.cause is Cause.NOT_A_NEIGHBOUR
    assert isinstance(evidence, Neighbours)
    assert (evidence.why, evidence.nearest) == (why, near if why == "far" else None)
    assert found.changes[0].setting == setting


def test_what_a_beam_says_already_is_not_said_twice() -> None:
    known = facts()
    (first, *_) = known.triples or ()
    same = replace(first, subject="Isambard Kingdom Brunel", predicate="was the only son of")
    mine = replace(known, triples=(replace(same, object="Marc Isambard Brunel"),))
    found = why_not(lost.limited(), KEY, mine)
    evidence = found.lost and found.lost.evidence
    assert isinstance(evidence, Neighbours)
    assert evidence.why == "same"


def test_the_cut_of_a_fusion_is_told_with_both_scores_and_their_terms() -> None:
    found = asked(Cause.FUSED_BELOW)
    margin = found.lost and found.lost.evidence
    assert isinstance(margin, Margin)
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


# Loops


def test_a_later_query_that_came_nearer_is_no_drift() -> None:
    drifted = why_not(lost.gear_twice(), KEY, facts(FIRST_FAR))
    nearer = why_not(lost.gear_twice(), KEY, facts(LAST_NEAR))
    assert drifted.cause is Cause.NEVER_ASKED_FOR
    assert (nearer.cause, nearer.lost and nearer.lost.iteration) == (Cause.READ_GAVE_NOTHING, 2)
    evidence = drifted.lost and drifted.lost.evidence
    assert isinstance(evidence, Asked)
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


# HippoRAG, GRIEVER, chain


def test_what_the_verifier_did_not_see_was_lost_by_the_pool_after_all_steps_of_its_search() -> None:
    names = ("extract", "recognise", "walk")
    before = tuple(TrailStep(name, StepOutcome.PASSED) for name in names)
    case = LossCase(lost.bdtr(chosen=False, shown_=3), KEY, facts(), 5)
    found = loop.pool_loss(case, lambda *_: Loss(Cause.PROBABILITY_BELOW, before))
    told = [(step.step, step.outcome) for step in found.trail]
    assert told == [*((name, StepOutcome.PASSED) for name in names), ("pool", StepOutcome.LOST)]


def test_a_walk_that_lists_all_it_reached_did_not_reach_the_others() -> None:
    found = why_not(lost.hippo(reached=False), KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.NO_SEED, "walk")


def test_a_sum_of_probabilities_is_told_by_its_terms() -> None:
    margin = asked(Cause.PROBABILITY_BELOW).lost
    evidence = margin and margin.evidence
    assert isinstance(evidence, Margin)
    assert evidence.terms == (("Marc Isambard Brunel × 2", 0.04),)
    assert (evidence.score, evidence.needed) == (0.04, 0.26)


def test_a_match_that_was_not_sure_says_what_would_have_been() -> None:
    found = asked(Cause.NO_MATCH)
    evidence = found.lost and found.lost.evidence
    assert isinstance(evidence, Matching)
    assert (evidence.number, evidence.score, evidence.sure) == (1, 0.8, 0.9)
    assert found.needs == (Need("score of the match", 0.8, 0.9),)
    assert (found.changes[0].values[0], found.changes[0].claim) == ("0.8", "")


def test_hops_that_went_elsewhere_never_asked_and_the_last_one_stopped_too_early() -> None:
    elsewhere = lost.griever(new="Thomas Telford", score=0.8, hops=2)
    assert why_not(elsewhere, KEY, facts()).cause is Cause.NEVER_ASKED_FOR
    alone = lost.griever(new="Thomas Telford", score=0.8)
    assert why_not(alone, KEY, facts()).cause is Cause.NO_MATCH
    stopped = lost.griever(new="Marc Isambard Brunel", score=0.95, limit=True)
    found = why_not(stopped, KEY, facts())
    assert found.cause is Cause.STOPPED_TOO_EARLY
    assert found.changes[0][:2] == ("max_iterations", "1")


def test_a_hop_that_found_it_below_what_is_fused_says_how_many_would_have_been_enough() -> None:
    keep = next(e for e in rivals.griever_run() if isinstance(e, Fused) and e.iteration == 1)
    events = [
        replace(event, ranking=keep.ranking) if isinstance(event, Fused) else event
        for event in rivals.griever_run()
    ]
    settings = (("max_iterations", "4"), ("hop_k", "1"))
    events[0] = replace(events[0], settings=settings)  # type: ignore[call-arg]
    events[-1] = Ranked(keep.ranking, iteration=0)
    found = why_not(events, KEY, facts())
    assert (found.cause, found.lost and found.lost.evidence) == (
        Cause.FUSED_BELOW,
        ListPlace("composed", 2, 1),
    )
    assert found.changes[0][:2] == ("hop_k", "1")
    assert (found.changes[0].values[0], found.changes[0].claim) == ("2", "exact")


def test_a_mention_that_too_many_hold_says_how_many() -> None:
    found = why_not(lost.chain(linked=False), KEY, BEYOND)
    evidence = found.lost and found.lost.evidence
    assert isinstance(evidence, MentionReach) and evidence.nearest
    assert (evidence.limit, evidence.nearest.holders) == (4, 6)
    claim = next(change for change in found.changes if change.setting == "most_holders")
    assert (claim.values[0], claim.claim) == ("6", "")
    few = SharedMention("Clifton Suspension Bridge", "Brunel", 6, 12)
    small = replace(facts(), shared={QUESTION: (few,)})
    settings = {one.setting for one in why_not(lost.chain(linked=False), KEY, small).changes}
    assert "most_holders" not in settings  # of twelve passages no setting lets six hold a link


def test_terms_that_add_up_to_less_are_told_beside_those_at_the_cut() -> None:
    found = asked(Cause.TERMS_BELOW)
    margin = found.lost and found.lost.evidence
    assert isinstance(margin, Margin)
    assert [term.name for term in margin.terms] == ["base, rank 6", "alone", "link"]
    assert margin.needed > margin.score


def bare(events: list[Event]) -> list[Event]:
    """A chain run in which nothing tells the terms of the passage, as far down a ranking."""
    return [
        replace(event, ranking=tuple(replace(one, parts=()) for one in event.ranking))
        if isinstance(event, Followed)
        else event
        for event in events
    ]


@pytest.mark.parametrize(("holders", "cause"), [(4, Cause.TERMS_BELOW), (5, Cause.NO_LINK)])
def test_a_mention_that_few_enough_hold_is_a_link_where_no_term_tells(
    holders: int, cause: Cause
) -> None:
    shared = SharedMention("Clifton Suspension Bridge", "Brunel", holders, 100)
    known = replace(facts(), shared={QUESTION: (shared,)})
    assert why_not(bare(lost.chain(linked=True)), KEY, known).cause is cause


def test_of_two_rounds_the_link_of_the_later_one_is_told() -> None:
    events = lost.chain(linked=True)
    one = next(event for event in events if isinstance(event, Followed))
    sentence = LinkedSentence("Marc Brunel taught.", (), (), "", 0.0)
    link = LinkedPassage(facts().ids[0], 1, 1, "Brunel", 2, sentence, sentence, 0.1, 1.0, 0.0, 0.0)
    first = replace(one, links=(link,), rounds=2)
    second = replace(one, links=(replace(link, round=2),), round=2, rounds=2)
    place = events.index(one)
    margin = why_not([*events[:place], first, second, *events[place + 1 :]], KEY, facts()).lost
    evidence = margin and margin.evidence
    assert isinstance(evidence, Margin) and evidence.link
    assert evidence.link.round == 2


def test_a_match_that_was_taken_passed_it_on_to_a_hop_that_did_not_find_it() -> None:
    found = why_not(rivals.griever_run(), "gwr", facts(key="gwr"))
    matches = [step.outcome for step in found.trail if step.step == "match"]
    assert (found.cause, matches[-1]) == (Cause.NEVER_ASKED_FOR, StepOutcome.PASSED)


def test_the_gist_memory_passes_on_what_a_fact_of_it_is_linked_to() -> None:
    linked = why_not(factories.gear_run(), KEY, facts(), k=1)
    unlinked = why_not(lost.gear_fused_below(), KEY, facts())
    outcomes = [
        [step.outcome for step in found.trail if step.step == "remember"]
        for found in (linked, unlinked)
    ]
    assert outcomes == [[StepOutcome.PASSED], [StepOutcome.SKIPPED]]


def test_a_beam_that_was_kept_and_not_gone_on_with_has_no_place_of_its_own() -> None:
    steps = lost.beams(
        [factories.candidate(6, 0.9), factories.candidate(8, 0.8)],
        [factories.candidate(10, 0.6, 1, 0.8)],
    )
    found = why_not(lost.sync_ge(*lost.search([factories.proximal(6)], [6], steps)), KEY, facts())
    cut = found.lost and found.lost.evidence
    assert isinstance(cut, PrunedCandidate)
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
    cut = found.lost and found.lost.evidence
    assert isinstance(cut, PrunedCandidate)
    assert (found.cause, cut.leads, cut.step, cut.place) == (Cause.PRUNED, True, 1, 3)


def test_names_lead_by_all_words_of_the_shorter_and_not_by_a_number() -> None:
    known = facts()
    assert known.leads("Brunel")
    assert known.leads("Sir Marc Isambard Brunel")
    assert not known.leads("Isambard Kingdom Brunel")
    assert not replace(known, title="Route 1864").leads("1864")
    assert known.shares("thames tunnel")
    assert not known.shares("Brunel")


def test_a_match_that_was_taken_is_passed_in_the_trail_of_what_was_fused_below() -> None:
    named = replace(facts(), title="Isambard Kingdom Brunel")
    found = why_not(rivals.griever_run(), KEY, named, k=1)
    matches = [step.outcome for step in found.trail if step.step == "match"]
    assert (found.cause, matches) == (Cause.FUSED_BELOW, [StepOutcome.PASSED, StepOutcome.SKIPPED])


def test_what_entered_a_pool_passed_the_search_that_brought_it() -> None:
    found = why_not(lost.pool([*lost.BASE[:5], KEY]), KEY, facts())
    retrieve = next(step for step in found.trail if step.step == "retrieve")
    assert (found.cause, retrieve.outcome) == (Cause.FUSED_BELOW, StepOutcome.PASSED)
    assert retrieve.evidence == ListPlace("hybrid", 6, 6)
    assert found.changes[0][:3] == ("max_iterations", "3", ("4", "2"))


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
    margin = asked(Cause.PROBABILITY_BELOW).lost
    evidence = margin and margin.evidence
    assert isinstance(evidence, Margin)
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
    cut = found.lost and found.lost.evidence
    assert isinstance(cut, PrunedCandidate)
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


def test_a_fact_that_was_linked_elsewhere_says_to_what() -> None:
    found = asked(Cause.LINKED_ELSEWHERE).lost
    evidence = found and found.evidence
    assert isinstance(evidence, Leading)
    instead = "Menai Suspension Bridge was designed by Thomas Telford"
    assert (evidence.number, evidence.facts, evidence.because) == (1, (), instead)


def test_without_a_match_only_lower_thresholds_are_tried() -> None:
    found = why_not(lost.griever(new="Thomas Telford", score=0.8), KEY, facts())
    assert found.changes == (Change("sure", "0.9", ("0.8", "0.7", "0.6", "0.5")),)


def test_a_passage_goes_by_its_title_and_else_by_its_key() -> None:
    assert asked(Cause.PRUNED).title == "Marc Isambard Brunel"
    assert asked(Cause.NOT_IN_COLLECTION).title == KEY


def test_hops_that_found_it_by_words_alone_needed_no_triple_of_it() -> None:
    found = why_not(rivals.griever_run(), KEY, NO_TRIPLE, k=1)
    assert found.cause is Cause.FUSED_BELOW
    assert "extract" not in [step.step for step in found.trail]


def test_an_ensembled_walk_is_told_by_its_lists_and_not_by_its_entities() -> None:
    events = [
        replace(event, ensembled=True) if isinstance(event, Walked) else event
        for event in lost.hippo()
    ]
    found = why_not(events, KEY, facts())
    assert found.lost and isinstance(found.lost.evidence, Margin)
    assert found.lost.evidence.terms == () == found.lost.evidence.holder_terms


def test_a_node_of_it_that_a_long_walk_reached_is_no_missing_seed() -> None:
    """A walk lists its first passages alone: that it reached a name of this one tells enough."""
    (started, named, walk, last) = lost.hippo(reached=False)
    assert isinstance(walk, Walked)
    many = tuple(
        RankedPassage(1000 + n, f"other {n}", f"Other {n}", 1 / (n + 1)) for n in range(200)
    )
    long = replace(walk, ranking=many)
    found = why_not([started, named, long, replace(last, ranking=many)], KEY, facts())
    assert found.cause is Cause.PROBABILITY_BELOW
    assert found.lost and found.lost.evidence == ListPlace("the walk", None, 5)
    far = tuple(replace(node, probability=0.0) for node in walk.nodes)
    unreached = [started, named, replace(long, nodes=far), replace(last, ranking=many)]
    assert why_not(unreached, KEY, facts()).cause is Cause.NO_SEED


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
    cut = found.lost and found.lost.evidence
    assert isinstance(cut, PrunedCandidate)
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
    assert (step.outcome, step.evidence) == (StepOutcome.PASSED, ListPlace("hybrid", 1, 7))


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
