"""Runs and the fair queue."""

from __future__ import annotations

from gear_app.store import Store
from gear_app.store.runs import RunOutcome, fair
from tests.store.make import new_run


def test_a_run_goes_from_queued_to_done_and_no_further(store: Store) -> None:
    run = store.runs.get(store.runs.create(new_run(store)).id)
    assert (run.state, run.queue_position, run.gold, run.config) == (
        "queued",
        1,
        ("k1",),
        {"beam.width": 5},
    )
    assert store.runs.claim(run.id, "p1") and not store.runs.claim(run.id, "p2")
    assert store.runs.get(run.id).state == "running"
    store.runs.finish(run.id, RunOutcome("done", "", 12.5, 3))
    store.runs.finish(run.id, RunOutcome("failed", "too late"))
    done = store.runs.get(run.id)
    assert (done.state, done.message, done.ms, done.iterations, done.queue_position) == (
        "done",
        "",
        12.5,
        3,
        None,
    )


def test_cancelling_stops_a_queued_run_at_once_and_asks_a_running_one(store: Store) -> None:
    first, second = (store.runs.create(new_run(store)) for _ in range(2))
    store.runs.claim(second.id, "p")
    store.runs.cancel(first.id)
    assert not store.runs.cancel_requested(second.id)
    store.runs.cancel(second.id)
    assert store.runs.get(first.id).state == "cancelled"
    assert store.runs.get(second.id).state == "running" and store.runs.cancel_requested(second.id)
    assert store.runs.claim_next("p") is None


def test_the_runs_of_dead_workers_are_interrupted(store: Store) -> None:
    runs = [store.runs.create(new_run(store)) for _ in range(3)]
    for run, process in zip(runs, ("worker:1", "here:2", "worker:3"), strict=True):
        store.runs.claim(run.id, process)
    store.runs.interrupt("worker:")
    assert [store.runs.get(run.id).state for run in runs] == [
        "interrupted",
        "running",
        "interrupted",
    ]


def test_the_queue_takes_turns_among_owners() -> None:
    queued = [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)]
    assert fair(queued, {}) == [1, 4, 5, 2, 6, 3]
    assert fair(queued, {"a": 30.0, "b": 20.0, "c": 10.0}) == [5, 4, 1, 6, 2, 3]
    assert fair([], {}) == []


def test_an_owner_who_has_just_had_a_turn_waits_for_the_others(store: Store) -> None:
    greedy = [store.runs.create(new_run(store, "greedy")) for _ in range(3)]
    modest = store.runs.create(new_run(store, "modest"))
    taken = [store.runs.claim_next("p") for _ in range(4)]
    assert taken == [greedy[0].id, modest.id, greedy[1].id, greedy[2].id]


def done(store: Store, name: str = "") -> str:
    """A finished run; its id."""
    run = store.runs.create(new_run(store, name))
    store.runs.claim(run.id, "p")
    store.runs.finish(run.id, RunOutcome("done"))
    return run.id


def featured(store: Store) -> str | None:
    row = store.collections.get("a")
    run = store.runs.featured(row.id)
    return run.id if run else None


def test_a_collection_opens_with_the_pinned_run_else_with_the_newest_that_is_done(
    store: Store,
) -> None:
    store.collections.create("a")
    assert featured(store) is None
    waiting = store.runs.create(new_run(store)).id
    assert featured(store) == waiting
    first, second = done(store), done(store)
    store.runs.create(new_run(store))
    assert featured(store) == second
    store.runs.pin(first)
    assert featured(store) == first
    assert [store.runs.get(id_).pinned for id_ in (first, second)] == [True, False]
    store.runs.unpin(second)
    assert featured(store) == first
    store.runs.pin(second)
    assert [store.runs.get(id_).pinned for id_ in (first, second)] == [False, True]
    store.runs.unpin(second)
    assert featured(store) == second and not store.runs.get(second).pinned


def test_a_pinned_run_that_is_deleted_unpins(store: Store) -> None:
    first, second = done(store), done(store)
    store.runs.pin(first)
    store.db.execute("DELETE FROM runs WHERE id = ?", [first])
    assert featured(store) == second
    assert store.db.value("SELECT pinned_run FROM collections") is None
