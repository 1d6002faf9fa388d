from __future__ import annotations

from gear_app.trace import timeline
from gear_app.trace.events import (
    Failed,
    Retrieved,
)
from tests import factories


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
