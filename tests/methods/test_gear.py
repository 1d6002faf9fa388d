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
from gear_app.methods.fuse import rrf
from gear_app.methods.gear import GearConfig
from gear_app.trace.events import (
    Event,
    Failed,
    Fused,
    Linked,
    PassagesLinked,
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
