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
    Thinking,
    Verification,
)
from gear_app.methods import METHODS
from gear_app.methods.bdtr import Bdtr, BdtrConfig
from gear_app.trace.events import (
    Chained,
    Event,
    Failed,
    Move,
    Pooled,
    Promoted,
    Retrieved,
    Stopped,
    Thought,
    Verified,
)
from tests.methods.canned import Canned, asked, keys, shown
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


def test_promotion_and_cut_worked_by_hand(small: SmallWorld) -> None:
    """Pool scores 1 1 1 1 ½ ½; mira (6th) and quill (3rd) are verified. μ = 5/6, σ = √(1/18) =
    0.235702.

    At or above 1.069035 is nothing; the two promoted are handed on, and three more to make five.
    """
    reply = Verification((6, 3), ("names the town", "names her"))
    ranking, events, _ = run(small, [ONE, TWO, CHAIN, reply])
    (verified,), (promoted,) = of_kind(events, Verified), of_kind(events, Promoted)
    assert (verified.shown, keys(verified.passages), verified.ignored) == (6, "mira quill", ())
    assert [line.score for line in verified.passages] == [0.5, 1.0]
    assert verified.reasons == ("names the town", "names her")
    assert keys(promoted.ranking) == "mira quill harbour hale vane winter festival lorn"
    assert [line.score for line in promoted.ranking] == [2.0, 1.5, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0]
    assert ranking.hits == tuple((line.id, line.score) for line in promoted.ranking)
    assert names(small, promoted.promoted) == "mira quill" and promoted.below == 2
    assert (promoted.considered, promoted.mean, promoted.deviation) == (6, 0.833333, 0.235702)
    assert (promoted.threshold, names(small, promoted.kept)) == (
        1.069035,
        "mira quill harbour hale vane",
    )
    assert [(m.key, m.score, m.before, m.after, m.reason) for m in promoted.moves] == [
        ("mira", 0.5, 6, 1, "names the town"),
        ("quill", 1.0, 3, 2, "names her"),
        ("harbour", 1.0, 1, 3, ""),
        ("hale", 1.0, 2, 4, ""),
        ("vane", 1.0, 4, 5, ""),
        ("winter", 0.5, 5, 6, ""),
    ]
    assert isinstance(promoted.moves[0], Move)


def test_useless_numbers_of_a_verifier_are_ignored_and_told(small: SmallWorld) -> None:
    """7 and 8 lie below the pool; 3 comes twice, and its first reason counts."""
    reply = Verification((3, 0, 7, 3, 1, -2, 8), ("first", "zero", "seven", "again", "one"))
    ranking, events, _ = run(small, [ONE, TWO, CHAIN, reply])
    (verified,) = of_kind(events, Verified)
    assert (keys(verified.passages), verified.ignored) == ("quill harbour", (0, 7, 3, -2, 8))
    assert verified.reasons == ("first", "one")
    assert names(small, ranking.ids[:3]) == "quill harbour hale"


@pytest.mark.parametrize("chain", [ReasoningChain(), CHAIN])
def test_without_verified_passages_the_pool_keeps_its_order(
    small: SmallWorld, chain: ReasoningChain
) -> None:
    """Without a chain there is nothing to verify: the verifier is not asked."""
    ranking, events, _ = run(small, [ONE, TWO, chain, *([Verification()] if chain.nodes else [])])
    assert names(small, ranking.ids) == POOL + " festival lorn"
    assert len(of_kind(events, Verified)) == bool(chain.nodes)
    (promoted,) = of_kind(events, Promoted)
    assert (promoted.moves, promoted.promoted, promoted.considered) == ((), (), 6)
    assert of_kind(events, Chained)[0].nodes == chain.nodes


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
        assert event.unasked.startswith(start) and bool(event.unasked) == bool(start)
    assert [e.why for e in of_kind(events, Stopped)] == ["iteration limit"]


def test_bgec_alone_asks_one_ircot_thought_a_round_and_calibrates(small: SmallWorld) -> None:
    one, two = Thinking(ONE.slow, because=(DIRECTED,)), Thinking(TWO.fast, because=(BORN,))
    reader = ScriptedReader([one, two, CHAIN, Verification((1,))])
    _, events, canned = run(small, reader, thoughts="single")
    assert [query for query, _ in canned.asked] == [QUESTION, one.text, two.text]
    assert asked(reader)[:3] == [
        ("think", QUESTION, (), "ircot"),
        ("think", QUESTION, (one,), "ircot"),
        ("chain", QUESTION, (DIRECTED, BORN)),
    ]
    assert [
        type(e).__name__ for e in events if e.iteration == 3
    ] == "Retrieved Pooled Chained Verified Promoted Stopped".split()
    assert METHODS["bgec"].defaults == BdtrConfig(thoughts="single")


@pytest.mark.parametrize(
    ("replies", "step", "iteration", "queries"),
    [
        ([], "think", 1, 1),
        ([ONE], "think", 2, 3),
        ([ONE, TWO], "chain", 3, 5),
        ([ONE, TWO, CHAIN], "verify", 3, 5),
    ],
)
def test_an_unusable_reply_leaves_the_pool_so_far(
    small: SmallWorld, replies: list[Any], step: str, iteration: int, queries: int
) -> None:
    ranking, events, canned = run(small, replies)
    assert [(e.step, e.iteration) for e in of_kind(events, Failed)] == [(step, iteration)]
    assert [(e.why, e.iteration) for e in of_kind(events, Stopped)] == [("model failed", iteration)]
    assert isinstance(events[-1], Stopped) and len(canned.asked) == queries
    assert ranking.ids == tuple(line.id for line in of_kind(events, Pooled)[-1].ranking)


def test_a_slow_thought_that_cannot_be_searched_keeps_what_the_fast_one_found(
    small: SmallWorld,
) -> None:
    ranking, events, _ = run(small, [DualThoughts(ONE.fast, "unheard of")])
    assert [type(e) for e in events if e.iteration == 2] == [Retrieved, Failed, Pooled, Stopped]
    assert names(small, ranking.ids) == "harbour hale winter festival lorn"
    assert of_kind(events, Pooled)[-1].queries == (QUESTION, ONE.fast)
