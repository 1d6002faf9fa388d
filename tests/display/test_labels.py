"""What readers and steps are called, and what a step is for."""

from __future__ import annotations

import pytest

from gear_app.display import labels
from gear_app.methods import answer, build
from gear_app.trace import timeline
from gear_app.trace.events import (
    Event,
)
from gear_app.trace.rankings import has_ranking, of_event
from tests.acting import READY
from tests.display.told import purpose
from tests.small import QUESTION, SmallWorld
from tests.test_golden import script


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        labels.reader_note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert labels.reader_note("gpt") == "by gpt"
    assert labels.reader_name("local", "tiny") == "local reader"
    assert labels.reader_note("") == ""


def sentence(events: list[Event], number: int) -> str:
    return purpose(timeline.steps(events)[number], events)


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
    assert not (added and "nothing was added" in words)


def test_somebodys_words_are_no_markdown() -> None:
    assert labels.literal("ann ![x](https://a.b) :red[y] $z$") == (
        r"ann \!\[x\]\(https\:\/\/a\.b\) \:red\[y\] \$z\$"
    )
    assert labels.literal("Ivo Andrić\nB") == "Ivo Andrić B"
