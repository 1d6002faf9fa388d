"""Runs made of given events, as if a worker had made them: so that every card can be drawn, and
many be judged, without an engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.store.processes import new_name
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.workspace.workspace import Workspace
from tests import factories


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
    with store.transaction():  # so that no worker of a server takes it in between
        run = store.runs.create(
            RunInfo(
                question=question,
                method=method,
                config={},
                reader="local",
                k=15,
                collection=collection.name,
                collection_id=collection.id,
                gold=gold,
            )
        )
        store.tasks.claim(run.number, new_name())  # alive as long as the tests
        for position, event in enumerate(events, start=1):
            store.events.add(run.number, position, float(position), event)
        if done:
            store.tasks.finish(store.runs.get(run.id), "done", ms=42.0, iterations=1)
    return run.id


def missing_runs(workspace: Workspace, number: int, of: str = "demo") -> list[str]:
    """The ids of many runs, in the order of the queue: each of a question of its own and without
    one of its gold passages.
    """
    events, gold = factories.gear_run(), (*factories.GOLD, "nowhere")
    questions = [f"Question {at:05}: {factories.QUESTION}" for at in range(number)]
    with workspace.store.transaction():
        return [played(workspace, "gear", events, of=of, question=q, gold=gold) for q in questions]
