"""IRCoT, GCoT, ToG and IRGS against scripted thoughts: what is asked next, what enters the pool,
why they stop.
"""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.core.types import ProximalTriple, Ranking, Style, Thinking
from gear_app.methods import METHODS
from gear_app.methods.iterative import ThoughtConfig
from gear_app.trace.events import (
    Event,
    Pooled,
    Retrieved,
    Stopped,
    Thought,
)
from tests.methods.canned import Canned, asked
from tests.scripted import ScriptedReader
from tests.small import QUESTION, SmallWorld, of_kind, parts_over

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
FIRST = Thinking("Ada Quill directed it.", because=(DIRECTED,))
SECOND = Thinking("She was born in Port Mira.")
DONE = Thinking("So the answer is: Port Mira.", True, "Port Mira")
LISTS = {
    QUESTION: "harbour winter festival lorn",
    FIRST.text: "quill harbour hale vane",
    SECOND.text: "mira quill lorn",
}


def run(
    world: SmallWorld,
    reader: Any,
    style: Style = "ircot",
    lists: dict[str, str] | None = None,
    **config: int,
) -> tuple[Ranking, list[Event], Canned]:
    events: list[Event] = []
    canned = Canned(world, lists or LISTS)
    method = METHODS[style](parts_over(world.index, reader=reader), ThoughtConfig(**config), canned)
    return method.retrieve(QUESTION, 99, events.append), events, canned


@pytest.mark.parametrize("style", ["ircot", "gcot", "tog"])
def test_the_thought_is_the_next_query_until_it_is_the_answer(
    small: SmallWorld, style: Style
) -> None:
    reader = ScriptedReader([FIRST, SECOND, DONE])
    ranking, events, canned = run(small, reader, style)
    assert canned.asked == [(QUESTION, 10), (FIRST.text, 10), (SECOND.text, 10)]
    assert asked(reader) == [
        ("think", QUESTION, (), style),
        ("think", QUESTION, (FIRST,), style),
        ("think", QUESTION, (FIRST, SECOND), style),
    ]
    assert [(type(e), e.iteration) for e in events] == [
        (kind, n) for n in (1, 2, 3) for kind in (Retrieved, Pooled, Thought)
    ] + [(Stopped, 3)]
    assert [(e.style, e.text, e.query, e.final, e.answer) for e in of_kind(events, Thought)] == [
        (style, FIRST.text, FIRST.text, False, ""),
        (style, SECOND.text, SECOND.text, False, ""),
        (style, DONE.text, "", True, "Port Mira"),
    ]
    assert of_kind(events, Thought)[0].because == (DIRECTED,)
    assert events[-1] == Stopped(
        "answerable", "The thought begins with “So the answer is:”.", iteration=3
    )
    assert ranking.ids == tuple(line.id for line in of_kind(events, Pooled)[-1].ranking)


@pytest.mark.parametrize("style", ["ircot", "gcot", "tog", "irgs"])
@pytest.mark.parametrize(
    ("thoughts", "limit", "why", "sentence"),
    [
        (
            [FIRST, SECOND],
            2,
            "iteration limit",
            "That was iteration 2, the limit set for this run.",
        ),
        ([Thinking("")], 4, "nothing to rewrite", "The reader has nothing left to ask for."),
        (
            [FIRST, Thinking(" ?! ")],
            4,
            "nothing to rewrite",
            "The reader has nothing left to ask for.",
        ),
        (
            [FIRST, Thinking(FIRST.text.upper())],
            4,
            "query repeated",
            "The next query was asked before",
        ),
    ],
)
def test_why_it_stops(
    small: SmallWorld, style: Style, thoughts: list[Thinking], limit: int, why: str, sentence: str
) -> None:
    lists = LISTS | {f"{QUESTION} {text}": found for text, found in LISTS.items()}
    _, events, canned = run(small, ScriptedReader(thoughts), style, lists, max_iterations=limit)
    (stopped,) = of_kind(events, Stopped)
    assert (stopped.why, stopped.iteration) == (why, len(thoughts))
    assert stopped.sentence.startswith(sentence)
    assert len(canned.asked) == len(of_kind(events, Pooled)) == len(thoughts)
    last = of_kind(events, Thought)[-1]
    assert (last.query, last.skip_reason) == ("", stopped.sentence)
