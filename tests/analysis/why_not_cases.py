"""A run for every cause, in which it and nothing else is true."""

from __future__ import annotations

from typing import TypeVar

from gear_app.analysis.why_not import (
    Cause,
    DeepRank,
    PassageFacts,
    WhyNot,
    why_not,
)
from gear_app.events import (
    Event,
    Ranked,
)
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.factories import NEXT_QUERY, QUESTION

T = TypeVar("T")
FIRST_FAR = {QUESTION: DeepRank(8), NEXT_QUERY: DeepRank(9)}
LAST_NEAR = {QUESTION: DeepRank(9), NEXT_QUERY: DeepRank(8)}
NO_TRIPLE = facts(triples_=False)
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
    Cause.NO_ENTITY_NEAR: (lost.communities(), facts(), "collection", "gather"),
    Cause.NO_WAY: (lost.votes(), facts(), "collection", "vote"),
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


def evidence_of(answer: WhyNot, type_: type[T]) -> T:
    """What the step that lost the passage tells, which is of this type."""
    assert answer.lost and isinstance(answer.lost.evidence, type_)
    return answer.lost.evidence
