"""Gold passages in the runs of the other methods: recall an iteration, ranks at every stop, what
brought them in.
"""

from __future__ import annotations

from dataclasses import replace

from gear_app.display.gold import origin_words
from gear_app.trace import gold, timeline
from gear_app.trace.events import Event, Pooled, Ranked, Retrieved, Thought
from gear_app.trace.rankings import per_iteration
from tests import factories, rivals
from tests.display.compared import column
from tests.factories import GOLD


def keys(events: list, iteration: int) -> list[str]:
    return [passage.key for passage in per_iteration(events)[iteration][:3]]


def test_the_decisive_step_is_each_methods_own() -> None:
    verbs = {}
    for name, run in rivals.RUNS.items():
        number = gold.opening_step(run(), GOLD)
        verbs[name] = None if number is None else timeline.steps(run())[number].verb
    assert verbs == {
        "hipporag": "walk",
        "hipporag fallback": None,
        "ircot": "think",
        "bdtr": "promote",
        "griever": "match",
    }


SEVENTH = ["clifton", "engineers", "menai", "avon", "clifton_town", "isambard", "marc"]


def thoughts_run(*lists: list[str], below: int = 0) -> list[Event]:
    """An iterative method over hybrid: these lists, one an iteration, each asked by the thought
    before it.
    """
    events: list[Event] = []
    queries = [factories.QUESTION, *(f"thought {n}" for n in range(1, len(lists)))]
    for n, found in enumerate(lists, start=1):
        shown = found[: len(found) - below] if n == 1 else found
        events.append(Retrieved(queries[n - 1], "hybrid", factories.ranked(shown), iteration=n))
        events.append(replace(rivals.pooled(lists[:n], queries[:n], below=below), iteration=n))
        if n < len(lists):
            events.append(Thought("ircot", queries[n], queries[n], iteration=n))
    last = events[-1]
    assert isinstance(last, Pooled)
    return [*events, Ranked(last.ranking, iteration=0)]


def test_whatever_is_told_to_be_found_in_an_iteration_stood_in_the_first_five_then_as_compare_says() -> (
    None
):
    for run in (rivals.ircot_run, rivals.bdtr_run, rivals.griever_run, factories.gear_run):
        compared = column("a", run())
        for found in gold.gold_passages(run(), GOLD):
            first = compared.first_within(found.key, 5)
            assert first, origin_words(found.origin)
            if " iteration " in origin_words(found.origin):
                assert f"iteration {first[0]}" in origin_words(found.origin).split(", by")[0]
            else:
                assert first[0] == 1


def test_passages_below_the_pool_have_no_rank_in_it_but_a_marked_one_at_the_end() -> None:
    events = thoughts_run(SEVENTH, ["telford"], below=1)
    (marc,) = gold.gold_passages(events, ("marc",))
    assert marc.ranks == {gold.FINAL: 8}
    assert origin_words(marc.origin) == "only at rank 8 at the end; no step raised it"
