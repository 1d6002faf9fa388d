"""A run made of given events, as if a worker had made it: so that every card can be drawn without
its engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Event
from gear_app.store.processes import Lock, Owner
from gear_app.store.rows import NewRun
from gear_app.store.runs import RunOutcome
from gear_app.workspace import Workspace
from tests import factories

_HELD: list[Lock] = []


def played(workspace: Workspace, method: str, events: Sequence[Event], *, done: bool = True) -> str:
    """The run's id; it has no settings, and the factories' gold."""
    store, collection = workspace.store, workspace.store.collections.get("demo")
    new = NewRun(
        question=factories.QUESTION,
        method=method,
        config={},
        reader="local",
        k=15,
        collection=collection,
        triple_set=None,
        gold=factories.GOLD,
        owner="",
    )
    run = store.runs.create(new)
    owner = Owner.here("worker:")
    if not done:  # somebody is at it, for as long as the tests go on
        lock = Lock(workspace.path, owner.token)
        assert lock.acquire()
        _HELD.append(lock)
    store.runs.claim(run.id, owner.name)
    for position, event in enumerate(events, start=1):
        store.events.add(run.number, position, float(position), event)
    if done:
        store.runs.finish(run.id, RunOutcome("done", "", 42.0, 1))
    return run.id
