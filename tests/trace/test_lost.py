"""The step that lost a passage, in runs made by hand in which one thing alone is wrong."""

from __future__ import annotations

import pytest

from gear_app.trace.events import (
    Event,
)
from gear_app.trace.lost import Cause, PassageFacts, StepReach, WhyNot, why_not
from tests import factories
from tests.trace import lost
from tests.trace.lost import KEY, facts

NO_TRIPLE = facts(triples_=False)
LISTS = [lost.BASE, lost.OTHERS[:6], lost.OTHERS[:6]]


DIRECTOR = "Marc Isambard Brunel"
# run, what is known, cause, last step that had it, the step that lost it, and its iteration
CASES: dict[str, tuple[list[Event], PassageFacts, Cause, str, str, int]] = {
    "no ranking": (lost.pruned()[:-1], facts(), Cause.RUN_ENDED, "collection", "rank", 0),
    "deleted": (lost.pruned(), PassageFacts(), Cause.NOT_IN_COLLECTION, "", "collection", 0),
    "no triple": (lost.read_nothing(), NO_TRIPLE, Cause.NO_TRIPLE, "collection", "extract", 0),
    "base": (factories.hybrid_run(), facts(), Cause.BASE_MISSED, "collection", "retrieve", 1),
    "read": (lost.read_nothing(), facts(), Cause.READ_NOTHING, "extract", "read", 1),
    "link": (lost.linked_elsewhere(), facts(), Cause.LINKED_ELSEWHERE, "read", "link", 1),
    "one short": (lost.one_short(), facts(), Cause.NOT_REACHED, "link", "expand", 1),
    "pruned": (lost.pruned(), facts(), Cause.PRUNED, "link", "expand", 1),
    "fused low": (lost.fused_below(), facts(), Cause.BELOW_CUT, "retrieve", "fuse", 1),
    "no seed": (lost.hippo(named=False), facts(), Cause.NOT_REACHED, "extract", "recognise", 1),
    "walk": (lost.hippo(reached=False), facts(), Cause.NOT_REACHED, "recognise", "walk", 1),
    "walk, low": (lost.hippo(), facts(), Cause.BELOW_CUT, "recognise", "walk", 1),
    "no link": (lost.chain(linked=False), facts(), Cause.NOT_REACHED, "retrieve", "follow", 1),
    "sum": (lost.chain(linked=True), facts(), Cause.BELOW_CUT, "retrieve", "follow", 1),
    "entities": (lost.communities(), facts(), Cause.NOT_REACHED, "collection", "gather", 1),
    "match": (lost.griever(new=DIRECTOR, score=0.8), facts(), Cause.PRUNED, "extract", "match", 1),
    "gear, low": (lost.gear_fused_below(), facts(), Cause.BELOW_CUT, "collection", "rank", 0),
    "one query": (lost.gear_stopped(), facts(), Cause.RUN_ENDED, "extract", "ask again", 1),
    "pool": (lost.pool(*LISTS), facts(), Cause.RUN_ENDED, "collection", "ask again", 3),
    "pool, low": (
        lost.pool([*lost.BASE, KEY]), facts(), Cause.BELOW_CUT, "retrieve", "pool", 1,
    ),
    "not chosen": (
        lost.bdtr(chosen=False, shown_=30), facts(), Cause.PRUNED, "pool", "promote", 1,
    ),
}  # fmt: skip


def answer(name: str) -> WhyNot:
    events, known, *_ = CASES[name]
    return why_not(events, KEY, known)


def step_of(name: str) -> StepReach:
    step = answer(name).lost_step
    assert step
    return step


@pytest.mark.parametrize("name", CASES)
def test_the_first_step_after_which_a_passage_never_comes_back_lost_it(name: str) -> None:
    found = answer(name)
    good = next((step.step for step in reversed(found.trail[:-1]) if step.present), "")
    assert found.lost_step
    told = (found.cause, good, found.lost_step.step, found.lost_step.iteration)
    assert told == CASES[name][2:]


def test_a_passage_among_the_first_is_found_with_what_brought_it_in() -> None:
    found = why_not(factories.gear_run(), KEY, facts(), k=2)
    assert (found.cause, found.rank, found.lost_step) == (Cause.FOUND, 2, None)
    assert found.origin and found.origin.gist
    assert why_not(factories.gear_run(), KEY, facts(), k=1).cause is Cause.BELOW_CUT


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("pruned", ("step 2 of the beam search", 3, 2, 0.934561, 1.1)),  # 1.2 × e^(-1/4)
        ("fused low", ("the fused ranking", 8, 5, 0.014925, 0.015625)),
        ("walk, low", ("the walk", 6, 5, 0.04, 0.26)),
        ("match", ("", None, 0, 0.8, 0.9)),
    ],
)
def test_the_evidence_is_a_rank_and_the_cut_with_both_scores(
    name: str, evidence: tuple[object, ...]
) -> None:
    step = step_of(name)
    of, rank, cut, score, needed = evidence
    assert (step.ranking_name, step.rank, step.cut) == (of, rank, cut)
    if score is not None:
        assert (step.score, step.needed) == pytest.approx((score, needed), abs=1e-6)
