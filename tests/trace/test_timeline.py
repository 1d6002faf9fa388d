from __future__ import annotations

from gear_app.display import labels
from gear_app.trace import timeline
from gear_app.trace.events import (
    Failed,
    Fused,
    Ranked,
    Retrieved,
    Started,
)
from tests import factories, rivals


def test_a_gear_run_walks_the_pipeline_twice_and_ends_with_the_ranking() -> None:
    steps = timeline.steps(factories.gear_run())
    one = ["retrieve", "read", "link", "expand", "fuse", "remember", "reason", "rewrite"]
    assert [step.verb for step in steps] == [*one, *one[:-1], "rank"]
    assert [step.iteration for step in steps] == [1] * 8 + [2] * 7 + [0]
    assert [step.number for step in steps] == list(range(16))


def test_a_failure_belongs_to_the_step_it_names_or_else_to_the_one_before() -> None:
    retrieved = Retrieved("q", "hybrid", ())
    named = timeline.steps([retrieved, Failed("reason", "no verdict")])
    assert [(step.verb, step.failed) for step in named] == [("retrieve", False), ("reason", True)]
    unnamed = timeline.steps([retrieved, Failed("", "server gone")])
    assert [(step.verb, step.failed) for step in unnamed] == [("retrieve", True)]


def test_both_retrievals_of_a_round_are_steps_of_their_own() -> None:
    steps = timeline.steps(rivals.bdtr_run())
    assert [(labels.step_label(step), step.query) for step in steps[3:5]] == [
        ("iteration 2, fast, retrieve", rivals.FAST),
        ("iteration 2, slow, retrieve", rivals.SLOW),
    ]
    assert steps[5].query == ""  # the pool is of all queries


def test_a_method_of_ones_own_needs_no_step_of_its_own() -> None:
    """Retrieved, Fused and Ranked are enough to be drawn, whatever the method is called."""
    one, two = factories.ranked(["clifton"]), factories.ranked(["marc"])
    both = factories.fused(words=["clifton"], meaning=["marc"])
    events = [
        Started("q", "mine"),
        Retrieved("q", "bm25", one),
        Retrieved("q, in other words", "dense", two),
        Fused("final", ("words", "meaning"), both, "rrf"),
        Ranked(both, iteration=0),
    ]
    assert [(step.verb, step.search) for step in timeline.steps(events)] == [
        ("retrieve", "query 1"),
        ("retrieve", "query 2"),
        ("fuse", ""),
        ("rank", ""),
    ]
