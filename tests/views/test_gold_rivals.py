"""Gold passages in the runs of the other methods: recall an iteration, ranks at every stop, what brought them in."""

from __future__ import annotations

from dataclasses import replace

from gear_app.events import Fused, Promoted, Ranked, Walked
from gear_app.views import gold, goldstrip
from tests import factories, rivals
from tests.factories import GOLD


def keys(events: list, iteration: int) -> list[str]:
    return [passage.key for passage in gold.per_iteration(events)[iteration][:3]]


def test_recall_per_iteration_is_of_the_pool_and_at_last_of_the_promotion() -> None:
    events = rivals.bdtr_run()
    assert keys(events, 1) == ["clifton", "engineers", "menai"]
    assert keys(events, 2) == ["clifton", "isambard", "marc"]
    unpromoted = [event for event in events if not isinstance(event, Promoted)]
    assert keys(unpromoted, 2) == ["clifton", "isambard", "tunnel"]


def test_recall_per_iteration_of_griever_is_of_what_is_fused_so_far() -> None:
    events = rivals.griever_run()
    assert keys(events, 1) == ["clifton", "engineers", "menai"]
    assert keys(events, 2) == ["isambard", "clifton", "engineers"]
    unfused = [event for event in events if not (isinstance(event, Fused) and event.iteration == 1)]
    assert list(gold.per_iteration(unfused)) == [1, 2]
    assert keys(unfused, 1) == ["clifton", "engineers", "menai"]


def test_a_walk_has_one_ranking_and_is_its_own_baseline() -> None:
    events = rivals.hippo_run()
    assert list(gold.per_iteration(events)) == [1]
    assert gold.alone(events)
    base = gold.base(events)
    assert base and base.base == "HippoRAG"
    assert gold.verdict(events, GOLD) == "HippoRAG has 2 of 3 gold passages in its first 5."


def test_iterations_over_a_walk_are_measured_against_the_first_walk() -> None:
    over = [
        replace(rivals.recognised(), iteration=1), rivals.walked(), *rivals.ircot_run()[2:],
    ]  # fmt: skip
    assert gold.verdict(over, GOLD).startswith("HippoRAG alone has 2 of 3")


def test_the_newest_ranking_of_a_run_that_goes_on_is_the_pools() -> None:
    events = rivals.ircot_run()[:5]  # a second search has begun, its passages are not in the pool yet
    assert [passage.key for passage in gold.final(events)[:2]] == ["clifton", "engineers"]
    assert [passage.key for passage in gold.final(rivals.hippo_run()[:3])[:2]] == ["clifton", "menai"]


def test_the_walk_tells_its_way_to_the_passage() -> None:
    clifton, isambard, marc = gold.strip(rivals.hippo_run(), GOLD)
    assert clifton.how == "the walk: Clifton Suspension Bridge, named in 3 of its triples"
    assert isambard.how == "the walk: Clifton Suspension Bridge → Isambard Kingdom Brunel, named in 3 of its triples"
    assert marc.how.startswith("the walk: Clifton Suspension Bridge → Isambard Kingdom Brunel → Marc Isambard Brunel")
    assert (clifton.step, marc.ranks[0].walk, marc.final) == (1, 6, 6)


def test_a_passage_far_down_in_a_walk_still_has_its_way_told() -> None:
    far = replace(rivals.walked(), ranking=rivals.walked().ranking[:4] * 3 + rivals.walked().ranking[5:])
    events = [event if not isinstance(event, Walked) else far for event in rivals.hippo_run()]
    (marc,) = gold.strip(events[:3], ("marc",))
    assert marc.how.startswith("HippoRAG at rank 13: the walk: Clifton Suspension Bridge →")
    assert marc.how.endswith("; nothing raised it")


def test_a_thought_that_found_it_is_named_with_its_words() -> None:
    _, isambard, marc = gold.strip(rivals.bdtr_run(), GOLD)
    assert isambard.how == f"the fast thought of iteration 1 as a query, “{rivals.FAST}”"
    assert isambard.ranks[1] == gold.Ranks(2, fast=1, pool=2, promoted=2, total=2)
    assert marc.how == f"the slow thought of iteration 1 as a query, “{rivals.SLOW}”; promoted from rank 11 to 3"
    assert marc.ranks[1] == gold.Ranks(2, slow=6, pool=11, promoted=3, total=3)


def test_a_long_thought_is_cut() -> None:
    events = rivals.ircot_run()
    long = [
        replace(e, text=e.text * 9, query=e.query * 9) if type(e).__name__ == "Thought" and e.query else e
        for e in events
    ]
    long = [replace(e, query=e.query * 9) if type(e).__name__ == "Retrieved" and e.iteration == 2 else e for e in long]
    how = gold.strip(long, ("marc",))[0].how
    assert how.endswith("…”")
    assert len(how) < 160


def test_griever_names_what_was_put_in_and_where_it_searched() -> None:
    (marc,) = gold.strip(rivals.griever_run(), ("marc",))
    assert marc.how == (
        "the query of iteration 2, with “Isambard Kingdom Brunel” put in, "
        "among the 3 passages that name Isambard Kingdom Brunel or a synonym"
    )


def test_a_passage_that_only_the_last_ranking_has_is_told_so() -> None:
    events = rivals.ircot_run()
    last = events[-1]
    assert isinstance(last, Ranked)
    events[-1] = replace(last, ranking=(*last.ranking, *factories.ranked(["rouen"])))
    (rouen,) = gold.strip(events, ("rouen",))
    assert (rouen.how, rouen.step) == ("only at rank 9 at the end; no step raised it", None)


def test_the_decisive_step_is_each_methods_own() -> None:
    verbs = {}
    from gear_app.views import timeline

    for name, run in rivals.RUNS.items():
        number = gold.decisive_step(run(), GOLD)
        verbs[name] = None if number is None else timeline.steps(run())[number].verb
    assert verbs == {
        "hipporag": "walk", "hipporag fallback": None, "ircot": "think", "bdtr": "promote", "griever": "match",
    }  # fmt: skip


def heads(events: list) -> list[str]:
    return list(goldstrip.rows(gold.strip(events, GOLD), "base", factories.QUESTION)[0])[2:-2]


def test_the_strip_has_each_methods_own_stops() -> None:
    assert heads(rivals.hippo_run()) == []
    assert heads(rivals.ircot_run()) == ["1 pool", "2 base", "2 pool"]
    assert heads(rivals.bdtr_run()) == ["1 pool", "2 fast", "2 slow", "2 pool", "2 promoted"]
    assert heads(rivals.griever_run()) == ["1 so far", "2 base", "2 so far"]


def test_the_strip_says_what_its_stops_mean() -> None:
    drawn = goldstrip.drawn(gold.strip(rivals.bdtr_run(), GOLD), "hybrid", factories.QUESTION)
    assert "slow = what the slow thought&#x27;s query found, pool = all queries until now, promoted" in drawn
