"""What readers and steps are called, and what a step is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gear_app.analysis import timeline
from gear_app.events import Event, Fused, Retrieved, Started
from gear_app.llm.server import Spec
from gear_app.views import labels
from tests import factories, rivals
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
    return labels.step_purpose(timeline.steps(events)[number], events)


@pytest.mark.parametrize("run", [factories.gear_run, factories.hybrid_run, *rivals.RUNS.values()])
def test_every_step_says_what_it_is_for(run: Callable[[], list[Event]]) -> None:
    events = run()
    assert all(labels.step_purpose(step, events).endswith(".") for step in timeline.steps(events))


def test_base_retrieval_is_described_as_what_it_is() -> None:
    for base, words in {
        "bm25": "words they share",
        "dense": "nearness in meaning",
        "hybrid": "words and the meaning",
        "weighted": "weighted sum of two scores",
        "chain": "The rounds of links that come to it are the next steps",
    }.items():
        assert words in sentence([Started("q", base), Retrieved("q", base, ())], 0)


def test_the_final_ranking_of_each_method_is_its_own() -> None:
    ends = {name: sentence(run(), -1) for name, run in rivals.RUNS.items()}
    assert "the walk's own" in ends["hipporag"]
    assert "the retrieval's own" in ends["hipporag fallback"]
    assert "the pool of all queries" in ends["ircot"]
    assert "verified passages on top" in ends["bdtr"]
    assert "the rankings of all iterations" in ends["griever"]


@pytest.mark.parametrize(
    ("lists", "iteration", "words"),
    [
        (("iteration 1",), 4, "since nothing was remembered: later ones wait for a first fact"),
        (("iteration 1",), 2, "since nothing was remembered: the second waits for a first fact"),
        (("iteration 1",), 1, "every iteration's ranking"),
        (("gist 1", "iteration 1", "iteration 2"), 2, "every iteration's ranking"),
    ],
)
def test_iterations_that_do_not_count_are_not_said_to_be_fused(
    lists: tuple[str, ...], iteration: int, words: str
) -> None:
    """GEAR's later rounds are left out while nothing is remembered."""
    events = factories.gear_run()
    fused = next(one for one in reversed(events) if isinstance(one, Fused))
    last = replace(fused, lists=lists, iteration=iteration)
    assert words in sentence([last if one is fused else one for one in events], -1)


def test_a_dense_ranking_in_place_of_a_walk_says_why() -> None:
    assert "None of the question's entities is in the graph" in sentence(
        rivals.hippo_fallback_run(), 1
    )
    assert "None of" not in sentence(factories.hybrid_run(), 0)


def test_grievers_second_search_names_its_filter() -> None:
    events = rivals.griever_run()
    assert "Only passages that name Isambard Kingdom Brunel" in sentence(events, 5)
    assert "Only passages" not in sentence(events, 1)


def test_somebodys_words_are_no_markdown() -> None:
    assert labels.literal("ann ![x](https://a.b) :red[y] $z$") == (
        r"ann \!\[x\]\(https\:\/\/a\.b\) \:red\[y\] \$z\$"
    )
    assert labels.literal("Ivo Andrić\nB") == "Ivo Andrić B"
