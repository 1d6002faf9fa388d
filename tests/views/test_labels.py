"""What readers and steps are called, and what a step is for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.analysis import timeline
from gear_app.analysis.rankings import has_ranking, of_event
from gear_app.events import (
    Event,
    Failed,
    Fused,
    Pooled,
    Promoted,
    Ranked,
    Recognised,
    Remembered,
)
from gear_app.llm.server import Spec
from gear_app.retrievers import answer, build
from gear_app.views import labels
from tests import factories, rivals
from tests.acting import READY
from tests.small import QUESTION, SmallWorld
from tests.step_views.told import purpose
from tests.test_golden import script
from tests.views import compared


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        labels.reader_note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert labels.reader_note("gpt") == "by gpt"
    assert labels.reader_name("local", "tiny") == "local reader"
    assert labels.reader_note("") == ""


def test_a_language_model_goes_by_its_name() -> None:
    run = compared.run("a", "gear", reader="llm", model=Spec("http://a/v1", "tiny").to_json())
    assert labels.model_of(run) == labels.reader_name("llm", "tiny") == "tiny"
    assert labels.reader_note("llm", "tiny") == "by tiny, a language model"
    assert (
        labels.method_and_model(run) == "GEAR, read by tiny"
        and labels.method_and_model(compared.run("b", "gear")) == "GEAR"
    )
    earlier = compared.run(
        "c", "gear", reader="llm", versions={"reader": "old"}
    )  # when runs did not say it
    assert labels.model_of(earlier) == "old"
    assert (
        labels.reader_name("llm") == "language model"
        and labels.reader_note("llm") == "by a language model"
    )


def sentence(events: list[Event], number: int) -> str:
    return purpose(timeline.steps(events)[number], events)


@pytest.mark.parametrize(
    ("lists", "iterations", "words"),
    [
        (("iteration 1",), 4, "since nothing was remembered: later ones wait for a first fact"),
        (("iteration 1",), 2, "since nothing was remembered: the second waits for a first fact"),
        (("iteration 1",), 1, "that of one iteration, since nothing was remembered."),
        (("iteration 1", "iteration 2"), 2, "all iterations, fused, since nothing was remembered."),
        (("gist 1", "iteration 1", "iteration 2"), 2, "every iteration's ranking and the passages"),
    ],
)
def test_iterations_and_memories_that_do_not_count_are_not_said_to_be_fused(
    lists: tuple[str, ...], iterations: int, words: str
) -> None:
    """GEAR's later rounds are left out while nothing is remembered."""
    events = [one for one in factories.gear_run() if not isinstance(one, Remembered | Fused)]
    read = [Remembered((), (), 0, iteration=n + 1) for n in range(iterations)]
    last = Fused("final", lists, factories.ranked(["clifton"]), iteration=iterations)
    assert words in sentence([*events[:-1], *read, last, events[-1]], -1)


def test_what_was_added_to_a_ranking_is_told_as_its_event_has_it() -> None:
    """Walks, pools and fusions are followed by what another search found, or they are not."""
    walked = rivals.walked()
    size = len(walked.ranking)
    told = {
        below: sentence([replace(walked, below=below), Ranked(walked.ranking, iteration=0)], -1)
        for below in (0, 2, size)
    }
    assert "nothing was added" in told[0]
    for below in (2, size):
        assert "nothing was added" not in told[below] and "in the order of hybrid" in told[below]
    assert f"the first {size - 2} of {size} passages" in told[2] and "It has none" in told[size]
    averaged = replace(walked, ensembled=True)
    assert "the walk's own" not in sentence([averaged, Ranked((), iteration=0)], -1)
    bdtr = next(one for one in rivals.bdtr_run() if isinstance(one, Promoted))
    pool = next(one for one in rivals.ircot_run() if isinstance(one, Pooled))
    for event in (bdtr, pool):
        followed = sentence([replace(event, below=1), Ranked((), iteration=0)], -1)
        assert "in the order of the first query" in followed
        assert "in the order" not in sentence(
            [replace(event, below=0), Ranked((), iteration=0)], -1
        )
    none = sentence([replace(bdtr, promoted=()), Ranked((), iteration=0)], -1)
    assert "verified passages on top" not in none


@pytest.mark.parametrize("name", [*READY, "ircot:hipporag", "gear:chain"])
def test_no_method_says_that_nothing_was_added_where_something_was(
    name: str, small: SmallWorld
) -> None:
    events: list[Event] = []
    answer(
        build(name, small.index, script(), small.embedder), small.index, QUESTION, 8, events.append
    )
    words = sentence(events, -1)
    last = [one for one in events if has_ranking(one)][-2]
    added = len(of_event(last)) - len(last.reached)
    assert bool(added) == ("in the order of" in words)
    assert not (added and "nothing was added" in words)


def test_a_run_that_failed_before_its_ranking_claims_nothing_of_it() -> None:
    ended = [*factories.hybrid_run()[:2], Failed("run", "the cluster is gone", iteration=0)]
    assert sentence(ended, -1) == "The run ended before its final ranking."


def test_a_dense_ranking_in_place_of_a_walk_says_why() -> None:
    assert "None of the question's entities is in the graph" in sentence(
        rivals.hippo_fallback_run(), 1
    )
    assert "None of" not in sentence(factories.hybrid_run(), 0)
    nothing = [
        replace(one, entities=()) if isinstance(one, Recognised) else one
        for one in rivals.hippo_fallback_run()
    ]
    assert "No entity was recognised" in sentence(nothing, 1)  # as where a reply was no use


def test_somebodys_words_are_no_markdown() -> None:
    assert labels.literal("ann ![x](https://a.b) :red[y] $z$") == (
        r"ann \!\[x\]\(https\:\/\/a\.b\) \:red\[y\] \$z\$"
    )
    assert labels.literal("Ivo Andrić\nB") == "Ivo Andrić B"
