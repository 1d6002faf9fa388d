from __future__ import annotations

from dataclasses import replace

from gear_app.display.gold import origin_words, strip
from gear_app.trace import gold
from gear_app.trace.events import (
    Retrieved,
)
from gear_app.trace.rankings import per_iteration
from gear_app.trace.trace import RunTrace
from tests import factories

GOLD = factories.GOLD
EVENTS = factories.gear_run()


def test_recall_per_iteration_is_of_equation_9_as_of_then() -> None:
    found = per_iteration(EVENTS)
    assert sorted(found) == [1, 2]
    assert [passage.key for passage in found[2][:2]] == ["isambard", "marc"]


def test_every_gold_passage_has_its_ranks_at_every_stop() -> None:
    clifton, isambard, marc = gold.gold_passages(EVENTS, GOLD)
    assert (clifton.first, isambard.first, marc.first) == (1, 6, None)
    assert _ranks(isambard, 1) == {"base": 6, "beams": 2, "fused": 3, "so far": 1}
    assert _ranks(marc, 2) == {"base": 1, "beams": 1, "fused": 1, "so far": 2}
    assert (clifton.final, isambard.final, marc.final) == (5, 1, 2)


def _ranks(passage: gold.GoldPassage, iteration: int) -> dict[str, int]:
    return {stop.name: rank for stop, rank in passage.ranks.items() if stop.iteration == iteration}


def test_a_passage_low_in_the_first_list_that_the_gist_raised_is_the_gists() -> None:
    listed = tuple(factories.ranked(["marc"]))
    events = [
        (
            replace(e, ranking=(*e.ranking, *listed))
            if isinstance(e, Retrieved) and e.iteration == 1
            else e
        )
        for e in EVENTS
    ]
    (marc,) = gold.gold_passages(events, ("marc",))
    assert marc.first
    assert marc.first > 5
    assert origin_words(marc.origin).startswith("found in iteration 1 by the fact “")


def test_the_list_that_a_step_makes_is_marked_in_the_table_of_gold_passages() -> None:
    trace = RunTrace(EVENTS)
    passages = gold.gold_passages(trace, GOLD)
    for verb, heads in {"retrieve": 2, "expand": 2, "fuse": 2, "rank": 1, "read": 0}.items():
        steps = [step for step in trace.steps if step.verb == verb]
        drawn = [
            strip(trace, passages, factories.QUESTION, current=gold.stop_of(step)) for step in steps
        ]
        assert [html.count('<th scope="col" aria-current="true">') for html in drawn] == (
            [1] * heads or [0] * len(steps)
        )
        assert all('scope="colgroup">Iteration 2</th>' in html for html in drawn)


def test_a_run_opens_at_the_first_beams_that_prefer_a_missed_gold_passage_to_others() -> None:
    trace = RunTrace(EVENTS)
    assert gold.opening_step(trace, GOLD) == trace.first_step("expand", 1)
