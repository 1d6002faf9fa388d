"""Properties of the methods on random tiny collections. PageRank, the pool and the cut have theirs
in tests/steps.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_app.core.text import normalise_entity
from gear_app.core.types import DualThoughts, ReasoningChain, Verification
from gear_app.methods import METHODS
from gear_app.trace.events import Matched, Pooled, Promoted, Retrieved, Walked
from tests.methods.checks import run
from tests.methods.worlds import World, index_of, questions, worlds
from tests.scripted import ScriptedReader

ITERATIVE = [name for name, method in METHODS.items() if method.over == "step"]
FEW = settings(max_examples=12, deadline=None, derandomize=True)
MORE = settings(max_examples=40, deadline=None, derandomize=True)


@pytest.mark.parametrize("name", [*ITERATIVE, "ircot:hipporag", "bdtr:bm25"])
@FEW
@given(world=worlds, question=questions)
def test_a_pool_loses_nothing_and_no_score_falls(name: str, world: World, question: str) -> None:
    pools = [
        _in_pool(event)
        for event in run(name, index_of(world), question)[1]
        if isinstance(event, Pooled)
    ]
    for before, after in pairwise(pools):
        assert all(after[id_] >= score for id_, score in before.items())


@MORE
@given(world=worlds, question=questions, indices=st.lists(st.integers(0, 9), max_size=4))
def test_what_is_verified_leads_and_the_others_keep_their_order(
    world: World, question: str, indices: list[int]
) -> None:
    replies = [
        DualThoughts("Who?", ""),
        DualThoughts("", ""),
        ReasoningChain(("a", "b")),
        Verification(tuple(indices)),
    ]
    ranking, events = run("bdtr:dense", index_of(world), question, reader=ScriptedReader(replies))
    (promoted,) = (event for event in events if isinstance(event, Promoted))
    pool = [line.id for line in next(e for e in reversed(events) if isinstance(e, Pooled)).ranking]
    assert ranking.ids[: len(promoted.promoted)] == promoted.promoted
    assert [id_ for id_ in pool if id_ not in promoted.promoted] == list(
        ranking.ids[len(promoted.promoted) :]
    )
    assert set(promoted.promoted) == {pool[i - 1] for i in indices if 1 <= i <= len(pool)}


def _in_pool(event: Pooled) -> dict[int, float]:
    return {line.id: line.score for line in event.ranking[: len(event.ranking) - event.below]}


# HippoRAG


@MORE
@given(world=worlds, question=questions)
def test_probability_is_shared_out_and_starts_at_the_seeds(world: World, question: str) -> None:
    for event in run("hipporag", index_of(world), question)[1]:
        if isinstance(event, Walked):
            assert sum(node.seed for node in event.nodes) == pytest.approx(1, abs=1e-5)
            assert sum(node.probability for node in event.nodes) <= 1 + 1e-5
            assert all(node.probability >= event.restart * node.seed - 1e-6 for node in event.nodes)


# GRIEVER


@MORE
@given(world=worlds, question=questions)
def test_from_the_second_hop_on_every_passage_touches_what_is_to_be_joined(
    world: World, question: str
) -> None:
    index = index_of(world)
    joins: set[str] | None = None
    for event in run("griever", index, question)[1]:
        if isinstance(event, Retrieved) and joins is not None:
            for line in event.ranking:
                told = [row.triple for row in index.triples_of([line.id])]
                assert joins & {
                    normalise_entity(side) for t in told for side in (t.subject, t.object)
                }
        if isinstance(event, Matched):
            joins = {
                normalise_entity(name)
                for j in event.joins
                for name in (j.entity, *dict(j.synonyms))
            }
