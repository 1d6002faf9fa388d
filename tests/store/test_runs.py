"""Runs, and the one that a collection opens with."""

from __future__ import annotations

from gear_app.store import Store
from tests.store.make import claimed, new_run


def done(store: Store, name: str = "") -> str:
    """A finished run; its id."""
    run = claimed(store, store.runs.create(new_run(store, name)))
    store.tasks.finish(run, "done")
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
    store.runs.pin(second, pinned=False)
    assert featured(store) == first
    store.runs.pin(second)
    assert [store.runs.get(id_).pinned for id_ in (first, second)] == [False, True]
    store.runs.pin(second, pinned=False)
    assert featured(store) == second and not store.runs.get(second).pinned
