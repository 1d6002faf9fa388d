from __future__ import annotations

import re
from decimal import Decimal

import pytest

from gear_app.display import labels, scores
from gear_app.display.telling import ScoredRanking
from gear_app.methods import answer, build
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import (
    Event,
    Fused,
    Pooled,
    Ranked,
)
from tests.small import QUESTION, SmallWorld
from tests.test_golden import script


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
        for line in scores.lines(ScoredRanking(event.listed), (), ())["lines"]
        if line["parts"]
    ]
    assert sums
    for shown, total in sums:
        assert sum(map(Decimal, shown)) == Decimal(total)


def test_a_number_below_zero_keeps_its_sign_and_zero_has_none() -> None:
    assert [labels.number(value) for value in (-0.5, -0.0001)] == ["−0.500", "0.000"]
    assert labels.exact(-0.25) == labels.fine(-0.25) == "−0.250000"
