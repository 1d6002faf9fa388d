"""IRCoT, GCoT, ToG and IRGS against scripted thoughts: what is asked next, what enters the pool,
why they stop.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gear_app.core.overrides import overridden
from gear_app.core.types import ProximalTriple, Ranking, Style, Thinking
from gear_app.methods import METHODS, answer, build, config_for
from gear_app.methods.iterative import ThoughtConfig
from gear_app.trace.events import (
    Event,
    Failed,
    Pooled,
    Retrieved,
    Stopped,
    Thought,
)
from tests.methods.canned import Canned, asked, keys, shown
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


def test_a_run_that_stops_at_once_still_ranks_what_the_first_query_found(small: SmallWorld) -> None:
    """R@15 with a pool of two: the rest follows, with score 0 and its place in the first query's
    list.
    """
    ranking, events, _ = run(small, ScriptedReader([DONE]), pool_k=2)
    (pooled,) = of_kind(events, Pooled)
    assert keys(pooled.ranking) == LISTS[QUESTION] and pooled.below == 2
    assert [hit.score for hit in ranking.hits] == [1.0, 0.5, 0.0, 0.0]
    assert [(p.source, p.rank, p.value, p.score) for p in pooled.ranking[3].parts] == [
        ("query 1", 4, 0.0, 0.25)
    ]


def test_the_reader_sees_the_top_of_the_pool_with_its_triples_and_always_the_question(
    small: SmallWorld,
) -> None:
    reader = ScriptedReader([FIRST, DONE])
    run(small, reader, prompt_k=3)
    first, second = (
        tuple(small.passage(key).id for key in some)
        for some in (["harbour", "winter", "festival"], ["harbour", "quill", "winter"])
    )
    assert shown(reader) == [("think", first, first), ("think", second, second)]
    assert {question for _, question, *_ in asked(reader)} == {QUESTION}


def test_irgs_asks_the_question_followed_by_its_reasoning_and_stops_only_at_the_limit(
    small: SmallWorld,
) -> None:
    lists = {
        QUESTION: "harbour",
        f"{QUESTION} {FIRST.text}": "quill",
        f"{QUESTION} {DONE.text}": "mira",
    }
    ranking, events, canned = run(
        small, ScriptedReader([FIRST, DONE, DONE]), "irgs", lists, max_iterations=3
    )
    assert [query for query, _ in canned.asked] == list(lists)
    assert [e.query for e in of_kind(events, Thought)] == [*list(lists)[1:], ""]
    assert of_kind(events, Stopped) == [
        Stopped("iteration limit", "That was iteration 3, the limit set for this run.", iteration=3)
    ]
    assert len(ranking) == 3


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
    assert (last.query, last.unasked) == ("", stopped.sentence)


def test_an_answer_at_the_limit_is_an_answer(small: SmallWorld) -> None:
    _, events, _ = run(small, ScriptedReader([DONE]), max_iterations=1)
    assert [e.why for e in of_kind(events, Stopped)] == ["answerable"]


def test_a_retrieval_that_fails_later_leaves_the_ranking_so_far(small: SmallWorld) -> None:
    ranking, events, _ = run(small, ScriptedReader([FIRST]), lists={QUESTION: "harbour winter"})
    assert [type(e) for e in events] == [Retrieved, Pooled, Thought, Failed, Stopped]
    assert of_kind(events, Failed)[0].message == f"nothing is known about {FIRST.text!r}"
    assert len(ranking) == 2


@pytest.mark.parametrize(
    ("base", "scale"),
    [
        ("bm25", "min-max"),
        ("dense", "min-max"),
        ("hybrid", "reciprocal rank"),
        ("naive_ge:dense", "reciprocal rank"),
    ],
)
def test_scores_are_normalised_as_the_method_below_scores(
    small: SmallWorld, base: str, scale: str
) -> None:
    events: list[Event] = []
    build(f"ircot:{base}", small.index, ScriptedReader([DONE]), small.embedder).retrieve(
        QUESTION, 3, events.append
    )
    (pooled,) = of_kind(events, Pooled)
    assert pooled.normalised == scale
    second = pooled.ranking[1].score
    assert (second == 0.5) == (scale == "reciprocal rank")


def test_a_query_that_rests_on_no_sure_fact_counts_half_in_the_pool(small: SmallWorld) -> None:
    _, events, _ = run(small, ScriptedReader([replace(FIRST, sure=False), SECOND, DONE]))
    pool = of_kind(events, Pooled)[-1]
    assert pool.weights == (1.0, 0.5, 1.0)
    best = {
        query: max(
            part.value for line in pool.ranking for part in line.parts if part.source == query
        )
        for query in ("query 1", "query 2", "query 3")
    }
    assert best == {"query 1": 1.0, "query 2": 0.5, "query 3": 1.0}
    for line in pool.ranking[: len(pool.ranking) - pool.below]:
        assert line.score == max(part.value for part in line.parts)


def test_over_chain_later_queries_count_by_squares_and_the_event_says_so(small: SmallWorld) -> None:
    """Every part of a later query is the square of its stretched score; the question's is not."""
    assert config_for("bdtr:chain").first_k == config_for("ircot:chain").first_k == 15
    assert config_for("ircot:hipporag").later_power == 1
    pools = {}
    for power in (1.0, 2.0):
        config = overridden(config_for("ircot:chain"), {"later_power": power})
        built = build(
            "ircot:chain", small.index, ScriptedReader([FIRST, DONE]), small.embedder, config
        )
        events: list[Event] = []
        answer(built, small.index, QUESTION, 5, events.append)
        pools[power] = of_kind(events, Pooled)[-1]
        assert pools[power].power == power
    values = {
        power: {
            (part.source, part.rank): part.value for line in pool.ranking for part in line.parts
        }
        for power, pool in pools.items()
    }
    assert any(0 < value < 1 for (source, _), value in values[1.0].items() if source == "query 2")
    for (source, rank), value in values[1.0].items():
        wanted = value**2 if source == "query 2" else value
        assert values[2.0][source, rank] == pytest.approx(wanted, abs=2e-6)
