"""What each step of a run waited for its cluster."""

from __future__ import annotations

from gear_app.analysis import timeline
from gear_app.types import Waiting
from gear_app.views import clusters
from tests import factories

EVENTS = factories.gear_run()
STEPS = timeline.steps(EVENTS)
AS_IF_LAST = next(
    position
    for position, event in enumerate(EVENTS, start=1)
    if timeline.step_of(EVENTS, event) is None and position > 2
)


def test_calls_count_for_the_step_of_the_event_that_came_of_them() -> None:
    position = 1 + next(at for at, event in enumerate(EVENTS) if event is STEPS[2].events[-1])
    found = timeline.waiting_by_step(EVENTS, STEPS, {position: Waiting((12.0, 3.5))})
    assert [one.calls for one in found[:4]] == [(), (), (12.0, 3.5), ()]
    assert (found[2].trips, found[2].ms) == (2, 15.5)


def test_what_comes_before_an_event_of_no_step_counts_for_the_step_before_it() -> None:
    before = max(
        step.number
        for step in STEPS
        if any(event is one for event in step.events for one in EVENTS[: AS_IF_LAST - 1])
    )
    found = timeline.waiting_by_step(
        EVENTS, STEPS, {1: Waiting((1.0,)), AS_IF_LAST: Waiting((2.0,))}
    )
    assert found[0] == Waiting((1.0,)) and found[before] == Waiting((2.0,))
    assert sum(one.trips for one in found) == 2


def test_a_run_that_waited_for_nothing_says_nothing() -> None:
    assert timeline.waiting_by_step(EVENTS, STEPS, {}) == (Waiting(),) * len(STEPS)
    assert (clusters.run_waited(0, 0.0), clusters.step_waited(Waiting())) == ("", "")
    assert clusters.waiting_bars(Waiting()) == {"waits": [], "waited": ""}


def test_waiting_is_told_in_round_trips_and_milliseconds_call_by_call() -> None:
    waited = [Waiting()] * len(STEPS)
    waited[0], waited[2] = Waiting((12.4,)), Waiting((1200.0, 8.0))
    assert clusters.run_waited(3, 1220.4) == "of it 1.2 s waiting for the cluster, 3 round trips"
    assert clusters.step_waited(waited[0]) == "waited 12 ms for the cluster in 1 round trip"
    assert clusters.waiting_bars(waited[2]) == {"waits": [1200.0, 8.0], "waited": "1.2 s"}
    first, second, together = clusters.waiting_rows(STEPS, waited)
    assert first == {
        "step": "iteration 1, retrieve",
        "round trips": 1,
        "waited": "12 ms",
        "each call": "12 ms",
    }
    assert second["each call"] == "1.2 s · 8 ms"
    assert (together["step"], together["round trips"], together["waited"]) == (
        "all steps",
        3,
        "1.2 s",
    )
