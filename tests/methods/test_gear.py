"""SyncGE and GEAR against a scripted reader: what is asked, in which order, and what becomes of the
replies.
"""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.core.types import (
    ProximalTriple,
    Ranking,
    Reading,
    Rewriting,
    Verdict,
)
from gear_app.methods import build
from gear_app.methods.gear import GearConfig
from gear_app.methods.steps.fuse import rrf
from gear_app.trace.events import (
    Event,
    Failed,
    Fused,
    Linked,
    PassagesLinked,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    Stopped,
)
from tests.methods.canned import asked
from tests.scripted import ScriptedReader
from tests.small import QUESTION, SmallWorld, of_kind, retrieved, top

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira")
NO = Verdict(False, "birthplace missing")
YES = Verdict(True, "all there", "Port Mira")
NEXT = Rewriting("Where was Ada Quill born?")
TWO_ROUNDS = [Reading((DIRECTED,)), Reading((DIRECTED,)), Reading((BORN,)), Reading((BORN,))]


def gear(world: SmallWorld, script: ScriptedReader, **config: Any) -> tuple[Ranking, list[Event]]:
    return retrieved(build("gear:bm25", world.index, script, world.embedder, GearConfig(**config)))


def test_written_and_selected_triples_are_each_linked_to_their_own(small: SmallWorld) -> None:
    events: list[Event] = []
    stored = small.triples[6]
    selected = ProximalTriple(stored.subject, stored.predicate, stored.object, triple_id=stored.id)
    written = ProximalTriple("Quill", "born in", "Mira"), ProximalTriple("Hale", "studied", "music")
    script = ScriptedReader([Reading((written[0], selected, written[1]))])
    build("sync_ge:bm25", small.index, script, small.embedder).retrieve(QUESTION, 3, events.append)
    links = of_kind(events, Linked)[0].links
    assert [(link.proximal, link.identity) for link in links] == [
        (written[0], False),
        (selected, True),
        (written[1], False),
    ]
    assert [link.triple.object for link in links] == ["Port Mira", stored.object, "music"]


def test_gear_asks_in_the_papers_order_and_with_the_papers_inputs(small: SmallWorld) -> None:
    script = ScriptedReader([*TWO_ROUNDS, NO, YES, NEXT])
    _, events = gear(small, script)
    assert asked(script) == [
        ("read", QUESTION, None),  # Eq. 1: the query, no memory
        ("read", QUESTION, ()),  # Eq. 4, n = 1
        ("reason", QUESTION, (DIRECTED,)),
        ("rewrite", QUESTION, (DIRECTED,), "birthplace missing"),
        ("read", NEXT.query, None),  # Eq. 1 with q(2)
        ("read", QUESTION, (DIRECTED,)),  # Eq. 4: the question and the memory
        ("reason", QUESTION, (DIRECTED, BORN)),
    ]
    assert [e.query for e in of_kind(events, Retrieved)] == [QUESTION, NEXT.query]
    assert [e.iteration for e in of_kind(events, Reasoned)] == [1, 2]
    assert [e.why for e in of_kind(events, Stopped)] == ["answerable"]
    assert [e.size for e in of_kind(events, Remembered)] == [1, 2]


@pytest.mark.parametrize(("config", "constant"), [({}, 1), ({"fusion_constant": 60}, 60)])
def test_eq_9_fuses_every_gist_triple_and_every_round(
    small: SmallWorld, config: dict[str, int], constant: int
) -> None:
    script = ScriptedReader([*TWO_ROUNDS, NO, YES, NEXT])
    ranking, events = gear(small, script, **config)
    fused = finals(events)
    assert [e.lists for e in fused] == [
        ("gist 1", "iteration 1"),
        ("gist 1", "gist 2", "iteration 1", "iteration 2"),
    ]
    rounds = [
        Ranking.of((line.id, line.score) for line in e.ranking)
        for e in of_kind(events, Fused)
        if e.purpose == "iteration"
    ]
    links, lists = [], []
    for triple in (DIRECTED, BORN):
        direct = top(small.index, triple.text, 10, "bm25")
        near = top(small.index, triple.text, 200, "bm25", over="triples").ids
        passage_of = {t.id: t.passage_id for t in small.triples}
        through = list(dict.fromkeys(passage_of[id_] for id_ in near))[:10]
        near_passages = Ranking.of((id_, -n) for n, id_ in enumerate(through))
        lists.append({"passages": direct, "passages of triples": near_passages})
        links.append(rrf(lists[-1], constant=constant)[0].top(10))
    assert ranking == rrf(dict(enumerate([*links, *rounds])), constant=constant)[0]
    assert tuple(line.id for line in fused[-1].ranking) == ranking.ids
    # Eq. 8 fuses with the same constant: its scores are those of each list in Eq. 9
    linkings = of_kind(events, PassagesLinked)
    assert [(one.name, one.query, one.iteration) for one in linkings] == [
        ("gist 1", DIRECTED.text, 1),
        ("gist 2", BORN.text, 2),
    ]
    for number, linked in enumerate(links, start=1):
        event = linkings[number - 1]
        assert tuple(line.id for line in event.ranking[: event.size]) == linked.ids
        for name, of in lists[number - 1].items():  # both lists whole, each with its ranks
            there = {
                part.rank: line.id
                for line in event.ranking
                for part in line.parts
                if part.source == name
            }
            assert there == dict(enumerate(of.ids, start=1))
        for line in event.ranking:
            assert line.score == pytest.approx(
                sum(1 / (constant + part.rank) for part in line.parts), abs=2e-6
            )
        assert {
            line.id: part.score
            for line in fused[-1].ranking
            for part in line.parts
            if part.source == f"gist {number}"
        } == dict(linked.hits)


def finals(events: list[Event]) -> list[Fused]:
    return [event for event in of_kind(events, Fused) if event.purpose == "final"]


def test_a_later_round_does_not_count_while_nothing_is_remembered(small: SmallWorld) -> None:
    """The second query was made of nothing that was found; its round would only dilute the first."""
    other = Rewriting("river bridges of Tom Vane")
    script = ScriptedReader([*[Reading(())] * 4, NO, NO, other])
    ranking, events = gear(small, script, max_iterations=2, round_k=4)
    first, second = of_kind(events, Fused)
    assert [event.query for event in of_kind(events, Retrieved)] == [QUESTION, other.query]
    assert second.lists == ("iteration 1",) and second.ranking == first.ranking
    assert ranking.ids[:4] == top(small.index, QUESTION, 4, "bm25").ids


def test_a_ranking_shorter_than_k_is_followed_by_the_bases(small: SmallWorld) -> None:
    script = ScriptedReader([*[Reading(())] * 2, NO])
    ranking, events = gear(small, script, max_iterations=1, round_k=2)
    found = top(small.index, QUESTION, 8, "bm25").ids
    assert ranking.ids == found and len(found) > 2
    assert [hit.score > 0 for hit in ranking.hits] == [n < 2 for n in range(len(found))]
    assert [line.id for line in of_kind(events, Fused)[-1].ranking] == list(found)


@pytest.mark.parametrize(
    ("replies", "config", "why", "iterations"),
    [
        ([NO], {"max_iterations": 1}, "iteration limit", 1),
        ([NO, Rewriting("  ")], {}, "nothing to rewrite", 1),
        ([NO, Rewriting(QUESTION.upper())], {}, "query repeated", 1),
        ([NO, NEXT], {}, "model failed", 2),  # the second verdict cannot be had
        ([NO] * 4 + [Rewriting(f"query {n}") for n in range(3)], {}, "iteration limit", 4),
    ],
)
def test_why_it_stops(
    small: SmallWorld,
    replies: list[Verdict | Rewriting],
    config: dict[str, int],
    why: str,
    iterations: int,
) -> None:
    script = ScriptedReader([*[Reading(())] * 8, *replies])
    ranking, events = gear(small, script, **config)
    assert [e.why for e in of_kind(events, Stopped)] == [why]
    assert len(of_kind(events, Retrieved)) == iterations
    assert len(ranking) > 0
    assert len(of_kind(events, Failed)) == (why == "model failed")
    assert len(of_kind(events, Rewrote)) == len(asked(script)) - sum(
        call[0] != "rewrite" for call in asked(script)
    )
