"""Thoughts, what they rest on, and the pool that their queries fill."""

from __future__ import annotations

from dataclasses import replace

from gear_app.events import Thought
from gear_app.step_views import thoughts
from tests import factories, rivals

BDTR = rivals.bdtr_run()
BOTH = [event for event in BDTR if isinstance(event, Thought)]


def test_words_of_models_are_escaped() -> None:
    evil = replace(
        BOTH[0], text=rivals.EVIL, query=rivals.EVIL, answer=rivals.EVIL, unasked=rivals.EVIL
    )
    assert "<script" not in thoughts.cards([evil])
    assert "<script" not in thoughts.iterations([evil, replace(BOTH[1], iteration=2)])


def test_a_run_of_one_round_tells_nothing() -> None:
    assert thoughts.iterations(rivals.hippo_run()) == ""
    assert thoughts.iterations(factories.hybrid_run()) == ""


def test_queries_are_escaped() -> None:
    event = rivals.pooled([["clifton"]], [rivals.EVIL])
    assert "<script" not in thoughts.pool_queries(event, [event])
