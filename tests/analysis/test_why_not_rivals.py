"""What HippoRAG, GRIEVER and chain lost: walks, matches, hops, links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.analysis.why_not import (
    Cause,
    Need,
    SharedMention,
    why_not,
)
from gear_app.analysis.why_not.model import (
    Leading,
    ListPlace,
    Margin,
    Matching,
    MentionReach,
)
from gear_app.events import (
    Event,
    Followed,
    Fused,
    Ranked,
    RankedPassage,
    Walked,
)
from tests import rivals
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import asked, evidence_of
from tests.factories import QUESTION

BEYOND = replace(
    facts(), shared={QUESTION: (SharedMention("Clifton Suspension Bridge", "Brunel", 6, 100),)}
)


def test_a_walk_that_lists_all_it_reached_did_not_reach_the_others() -> None:
    found = why_not(lost.hippo(reached=False), KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.NO_SEED, "walk")


def test_what_follows_a_walk_by_another_search_was_not_reached_by_it() -> None:
    started, named, walk, ranked = lost.hippo()
    assert isinstance(walk, Walked) and walk.ranking[5].key == KEY
    after = replace(walk, ranking=walk.ranking[:6], below=1)
    found = why_not([started, named, after, ranked], KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.NO_SEED, "walk")


def test_a_sum_of_probabilities_is_told_by_its_terms() -> None:
    evidence = evidence_of(asked(Cause.PROBABILITY_BELOW), Margin)
    assert evidence.terms == (("Marc Isambard Brunel × 2", 0.04),)
    assert (evidence.score, evidence.needed) == (0.04, 0.26)


def test_a_match_that_was_not_sure_says_what_would_have_been() -> None:
    found = asked(Cause.NO_MATCH)
    evidence = evidence_of(found, Matching)
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
    evidence = evidence_of(found, MentionReach)
    assert evidence.nearest
    assert (evidence.limit, evidence.nearest.holders) == (4, 6)
    claim = next(change for change in found.changes if change.setting == "most_holders")
    assert (claim.values[0], claim.claim) == ("6", "")
    few = SharedMention("Clifton Suspension Bridge", "Brunel", 6, 12)
    small = replace(facts(), shared={QUESTION: (few,)})
    settings = {one.setting for one in why_not(lost.chain(linked=False), KEY, small).changes}
    assert "most_holders" not in settings  # of twelve passages no setting lets six hold a link


def test_terms_that_add_up_to_less_are_told_beside_those_at_the_cut() -> None:
    found = asked(Cause.TERMS_BELOW)
    margin = evidence_of(found, Margin)
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


def test_a_fact_that_was_linked_elsewhere_says_to_what() -> None:
    evidence = evidence_of(asked(Cause.LINKED_ELSEWHERE), Leading)
    instead = "Menai Suspension Bridge was designed by Thomas Telford"
    assert (evidence.number, evidence.facts, evidence.because) == (1, (), instead)


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
