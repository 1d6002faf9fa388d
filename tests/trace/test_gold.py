from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.display import gold_strip
from gear_app.display.origin_words import origin_words
from gear_app.trace import gold, timeline
from gear_app.trace.events import (
    BeamCandidate,
    BeamStep,
    Event,
    Expanded,
    Retrieved,
)
from gear_app.trace.rankings import per_iteration
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
    assert isambard.ranks[0] == gold.Ranks(1, base=6, beams=2, fused=3, total=1)
    assert marc.ranks[1] == gold.Ranks(2, base=1, beams=1, fused=1, total=2)
    assert (clifton.final, isambard.final, marc.final) == (5, 1, 2)


def test_the_decisive_step_is_the_beam_that_found_what_hybrid_missed() -> None:
    assert gold.decisive_step(EVENTS, GOLD) == 3
    assert gold.decisive_step(EVENTS, ("marc",)) == 5  # no beam before the gist
    assert gold.decisive_step(EVENTS, ()) == 3
    assert gold.decisive_step(factories.hybrid_run(), GOLD) is None


def without_contrast(event: Expanded, part: str) -> Expanded:
    """The beam search with nothing pruned, or with every kept triple from a gold passage."""

    def of_gold(found: BeamCandidate) -> BeamCandidate:
        key = found.triple.passage_key
        triple = replace(found.triple, passage_key=key if key in GOLD else "clifton")
        return replace(found, triple=triple)

    if part == "pruned":
        return replace(event, steps=tuple(BeamStep(step.kept, ()) for step in event.steps))
    kept = [tuple(map(of_gold, step.kept)) for step in event.steps]
    steps = tuple(replace(step, kept=of) for step, of in zip(event.steps, kept, strict=True))
    return replace(event, steps=steps)


@pytest.mark.parametrize("part", ["pruned", "rivals"])
def test_a_run_opens_at_the_first_beam_search_with_a_contrast(part: str) -> None:
    unseen = [
        replace(e, ranking=tuple(p for p in e.ranking if p.key not in ("isambard", "marc")))
        if isinstance(e, Retrieved)
        else e
        for e in EVENTS
    ]

    def changed(*iterations: int) -> list[Event]:
        return [
            without_contrast(e, part)
            if isinstance(e, Expanded) and e.iteration in iterations
            else e
            for e in unseen
        ]

    first, second = (step.number for step in timeline.steps(EVENTS) if step.verb == "expand")
    assert gold.decisive_step(changed(), GOLD) == first
    assert gold.decisive_step(changed(1), GOLD) == second
    assert gold.decisive_step(changed(1, 2), GOLD) == first  # what first brought one in


def test_the_strip_shows_stops_that_hold_something_and_escapes_titles() -> None:
    found = gold.gold_passages(EVENTS, (*GOLD, "hostile"))
    drawn = gold_strip.strip(found, "hybrid", factories.QUESTION)
    assert "<script>" not in drawn
    assert "&lt;script&gt;alert(&#x27;title&#x27;)&lt;/script&gt;" in drawn
    assert drawn.count('scope="colgroup"') == 2
    (line,) = re.findall('<div dir="auto">(Found in iteration [^<]*beam: [^<]*)</div>', drawn)
    assert line.endswith(" · the question does not name it")  # whole: it wraps


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
