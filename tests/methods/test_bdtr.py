"""BDTR, DTR and BGEC against scripted thoughts, chains and verdicts: App. A.3 line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gear_app.core.types import (
    DualThoughts,
    ProximalTriple,
    Ranking,
    ReasoningChain,
    Verification,
)
from gear_app.methods.bdtr import Bdtr, BdtrConfig
from gear_app.trace.events import (
    Event,
    Stopped,
    Thought,
)
from tests.methods.canned import Canned, asked, shown
from tests.scripted import ScriptedReader
from tests.small import PASSAGES, QUESTION, SmallWorld, of_kind, parts_over

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira")
ONE = DualThoughts(
    "Who directed it?", "It was directed by Ada Quill. Where was she born?", (DIRECTED,)
)
TWO = DualThoughts(
    "Where was Ada Quill born?", "Ada Quill was born in Port Mira. Where is that?", (DIRECTED, BORN)
)
CHAIN = ReasoningChain(
    ("Harbour Lights", "was directed by", "Ada Quill", "Port Mira"), (DIRECTED, BORN)
)
LISTS = {
    QUESTION: "harbour winter festival lorn",
    ONE.fast: "hale winter",
    ONE.slow: "quill harbour",
    TWO.fast: "quill mira",
    TWO.slow: "vane mira",
}
# two of each query: 1 for the firsts, 1/2 for winter and mira
POOL = "harbour hale quill vane winter mira"


def run(
    world: SmallWorld, replies: Sequence[Any] | ScriptedReader, **config: Any
) -> tuple[Ranking, list[Event], Canned]:
    events: list[Event] = []
    canned = Canned(world, LISTS | config.pop("lists", {}))
    reader = replies if isinstance(replies, ScriptedReader) else ScriptedReader(replies)
    method = Bdtr(parts_over(world.index, reader=reader), BdtrConfig(pool_k=2, **config), canned)
    return method.retrieve(QUESTION, 99, events.append), events, canned


def names(world: SmallWorld, ids: Sequence[int]) -> str:
    return " ".join(PASSAGES[id_ - 1][0] for id_ in ids)


def test_every_role_gets_the_question_and_what_was_thought_before(small: SmallWorld) -> None:
    reader = ScriptedReader([ONE, TWO, CHAIN, Verification()])
    run(small, reader)
    assert asked(reader) == [
        ("dual_thoughts", QUESTION, ()),
        ("dual_thoughts", QUESTION, (ONE,)),
        ("chain", QUESTION, (DIRECTED, BORN)),  # each fact once
        ("verify", QUESTION, CHAIN),
    ]
    final = tuple(small.passage(key).id for key in POOL.split())
    assert shown(reader)[-1][1] == final  # the pool, not what follows below it


@pytest.mark.parametrize(
    ("thoughts", "queries", "unasked"),
    [
        (DualThoughts("", ONE.slow), [ONE.slow], ["The reader has nothing left", ""]),
        (DualThoughts(ONE.fast, "  "), [ONE.fast], ["", "The reader has nothing left"]),
        (
            DualThoughts(QUESTION.upper(), ONE.slow),
            [ONE.slow],
            ["The next query was asked before", ""],
        ),
        (
            DualThoughts(ONE.fast, ONE.fast + "!"),
            [ONE.fast],
            ["", "The next query was asked before"],
        ),
    ],
)
def test_a_thought_that_is_empty_or_was_asked_is_not_asked_and_says_so(
    small: SmallWorld, thoughts: DualThoughts, queries: list[str], unasked: list[str]
) -> None:
    _, events, canned = run(small, [thoughts], rounds=1, calibrate=False)
    assert [query for query, _ in canned.asked] == [QUESTION, *queries]
    fast, slow = of_kind(events, Thought)
    assert (fast.text, slow.text) == (thoughts.fast, thoughts.slow)
    assert [e.query for e in (fast, slow) if e.query] == queries
    for event, start in zip((fast, slow), unasked, strict=True):
        assert event.skip_reason.startswith(start) and bool(event.skip_reason) == bool(start)
    assert [e.why for e in of_kind(events, Stopped)] == ["iteration limit"]
