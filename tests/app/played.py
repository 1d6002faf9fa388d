"""Runs made of given events, as if a worker had made them: so that every card can be drawn, and
many be judged, without an engine.
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


def played(
    workspace: Workspace,
    method: str,
    events: Sequence[Event],
    *,
    of: str = "demo",
    question: str = factories.QUESTION,
    gold: tuple[str, ...] = factories.GOLD,
    done: bool = True,
) -> str:
    """The run's id; it has no settings."""
    store, collection = workspace.store, workspace.store.collections.get(of)
    new = NewRun(question, method, {}, "local", 15, collection, triple_set=None, gold=gold)
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


def missing_runs(workspace: Workspace, number: int, of: str = "demo") -> list[str]:
    """The ids of many runs, in the order of the queue: each of a question of its own and without
    one of its gold passages.
    """
    events, gold = factories.gear_run(), (*factories.GOLD, "nowhere")
    questions = [f"Question {at:05}: {factories.QUESTION}" for at in range(number)]
    with workspace.store.transaction():
        return [played(workspace, "gear", events, of=of, question=q, gold=gold) for q in questions]
