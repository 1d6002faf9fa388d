from __future__ import annotations

from gear_app.analysis.counts import Fate, GoldAnswer, StepPair, causes, flow, steps
from gear_app.analysis.lost import Cause, why_not
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts

PRUNED = why_not(lost.pruned(), KEY, facts())
UNREAD = why_not(lost.read_nothing(), KEY, facts())
FOUND = why_not(factories.gear_run(), KEY, facts())
ANSWERS = [
    GoldAnswer("q1", "sync_ge", PRUNED),
    GoldAnswer("q2", "sync_ge", UNREAD),
    GoldAnswer("q3", "sync_ge", PRUNED),
    GoldAnswer("q4", "sync_ge", FOUND),
    GoldAnswer("q5", "sync_ge", FOUND),
    GoldAnswer("q1", "gear", FOUND),
    GoldAnswer("q2", "gear", PRUNED),
    GoldAnswer("q4", "gear", UNREAD),
    GoldAnswer("q5", "gear", FOUND),
]


def test_causes_are_counted_a_method_in_the_order_of_the_steps() -> None:
    counted = causes(ANSWERS)
    assert list(counted["sync_ge"].items()) == [(Cause.READ_NOTHING, 1), (Cause.PRUNED, 2)]
    assert counted["gear"] == {Cause.READ_NOTHING: 1, Cause.PRUNED: 1}
    assert causes([GoldAnswer("q1", "gear", FOUND)]) == {"gear": {}}


def test_losses_are_counted_by_the_last_good_and_the_first_failing_step() -> None:
    assert steps(ANSWERS, "sync_ge") == {
        StepPair("link", "expand"): 2,
        StepPair("extract", "read"): 1,
    }


def test_a_flow_tells_what_the_second_method_made_of_what_either_lost() -> None:
    assert list(flow(ANSWERS, "sync_ge", "gear").items()) == [
        (Fate(Cause.FOUND, Cause.READ_NOTHING), 1),
        (Fate(Cause.READ_NOTHING, Cause.PRUNED), 1),
        (Fate(Cause.PRUNED, Cause.FOUND), 1),
    ]


def test_a_flow_and_its_reverse_count_the_same_passages() -> None:
    there, back = flow(ANSWERS, "sync_ge", "gear"), flow(ANSWERS, "gear", "sync_ge")
    assert {Fate(fate.other, fate.cause): number for fate, number in there.items()} == back
