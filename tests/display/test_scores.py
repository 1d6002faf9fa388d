from __future__ import annotations

import re
from decimal import Decimal

import pytest

from gear_app.core.overrides import overridden
from gear_app.display import scores
from gear_app.display.telling import ScoredRanking
from gear_app.methods import answer, build, config_for
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import (
    Event,
    Fused,
    PassagesLinked,
    Pooled,
    Ranked,
    Started,
)
from gear_app.trace.rankings import of_event
from gear_app.trace.trace import RunTrace
from tests import factories
from tests.small import QUESTION, SmallWorld
from tests.test_golden import script


def test_lines_stop_at_fifteen_and_count_the_others() -> None:
    ranking = factories.ranked(list(factories.TEXTS)) + factories.ranked(list(factories.TEXTS))
    data = scores.lines(ScoredRanking(ranking), (), ())
    assert len(data["lines"]) == 15 < len(ranking)
    assert scores.lines(ScoredRanking(()), (), ()) == {"lines": [], "legend": []}


def test_every_rank_of_the_final_ranking_opens_into_what_it_is_made_of(small: SmallWorld) -> None:
    """In the list of a gist triple and in an iteration's."""
    events = gear_events(small)
    last = events[-1]
    assert isinstance(last, Ranked)
    ranking = scores.final_ranking(last, events)
    lines = scores.lines(ranking, events, ())["lines"]
    opened = {part["words"]: part["within"] for line in lines for part in line["parts"]}
    assert opened and all(opened.values())
    linked = next(event for event in events if isinstance(event, PassagesLinked))
    first = linked.ranking[0]
    within = next(within for words, within in opened.items() if "rank 1 in gist 1" in words)
    assert [one["words"] for one in within] == [
        f"1/(1 + {part.rank}) = {part.value:.6f} · rank {part.rank} in {part.source}"
        for part in first.parts
    ]


def gear_events(small: SmallWorld) -> list[Event]:
    config = overridden(config_for("gear"), {"max_iterations": 2})
    events: list[Event] = [Started(QUESTION, "gear", (("max_iterations", "2"),))]
    method = build("gear", small.index, script(), small.embedder, config)
    answer(method, small.index, QUESTION, 8, events.append)
    return events


@pytest.mark.parametrize("method", ["hipporag", "ircot:hipporag"])
def test_a_walks_score_opens_into_probabilities_times_triples(
    small: SmallWorld, method: str
) -> None:
    events: list[Event] = []
    answer(
        build(method, small.index, script(), small.embedder),
        small.index,
        QUESTION,
        8,
        events.append,
    )
    last = events[-1]
    assert isinstance(last, Ranked)
    ranking = scores.final_ranking(last, events)
    lines = scores.lines(ranking, events, ())["lines"]
    parts = lines[0]["parts"] if ranking.way == "walk" else lines[0]["parts"][0]["within"]
    assert parts
    for words in (part["words"] for part in parts):
        probability, number, value = re.findall(r": ([\d.]+) × (\d+) triples? = ([\d.]+)", words)[0]
        assert round(float(probability) * int(number), 6) == float(value)
    assert {part["kind"] for part in parts} == {"kept"}, "whatever an entity is called"


@pytest.mark.parametrize("method", ["ircot", "bdtr", "griever", "ircot:hipporag", "bdtr:chain"])
def test_every_rank_in_a_pool_or_of_a_hop_opens_too(small: SmallWorld, method: str) -> None:
    events: list[Event] = []
    made = build(method, small.index, script(), small.embedder)
    answer(made, small.index, QUESTION, 8, events.append)
    pooled = [e for e in events if isinstance(e, Pooled | Fused)][-1]
    lists = scores.part_lists(events)
    parts = [part for line in pooled.ranking for part in line.parts]
    assert parts and {part.source for part in parts} <= lists.keys()
    assert all(
        line.id in lists[part.source].passages for line in pooled.ranking for part in line.parts
    )


def test_the_final_ranking_takes_its_parts_from_the_fusion_with_the_same_order() -> None:
    events = factories.gear_run()
    last = RunTrace.of(events).result
    assert last
    bare = Ranked(
        tuple(p.__class__(p.id, p.key, p.title, p.score) for p in last.ranking), iteration=0
    )
    assert scores.final_ranking(bare, events) == ScoredRanking(last.ranking)
    other = Ranked(bare.ranking[::-1], iteration=0)
    assert scores.final_ranking(other, events) == ScoredRanking(other.ranking)


def test_the_final_ranking_of_a_search_opens_as_far_as_its_event_has_parts(
    small: SmallWorld,
) -> None:
    events: list[Event] = []
    made = build("hybrid", small.index, LocalReader(small.embedder), small.embedder)
    answer(made, small.index, QUESTION, 3, events.append)
    retrieved, ranked = of_event(events[0]), events[-1]
    assert isinstance(ranked, Ranked) and 0 < len(retrieved) < len(ranked.ranking)
    final = scores.final_ranking(ranked, events).passages
    assert final[: len(retrieved)] == retrieved
    assert final[len(retrieved) :] == ranked.ranking[len(retrieved) :]


@pytest.mark.parametrize("method", ["hybrid", "gear", "sync_ge"])
def test_what_is_shown_of_a_sum_adds_up_to_the_last_digit(small: SmallWorld, method: str) -> None:
    """Each term is rounded, and so is the score; 0.015152 + 0.015385 is not 0.030536."""
    events: list[Event] = []
    reader = LocalReader(small.embedder)
    made = build(method, small.index, reader, small.embedder)
    answer(made, small.index, QUESTION, 8, events.append)
    sums = [
        (
            [re.findall(r"0\.\d{6}", part["words"])[0] for part in line["parts"]],
            line["total"].removeprefix("= "),
        )
        for event in events
        if scores.way_of(event) == "sum"
        for line in scores.lines(ScoredRanking(of_event(event)), (), ())["lines"]
        if line["parts"]
    ]
    assert sums
    for shown, total in sums:
        assert sum(map(Decimal, shown)) == Decimal(total)
