"""Many finished runs, made by hand, each of a question of its own and without one of its gold
passages: something to judge.
"""

from __future__ import annotations

from gear_app.store.rows import NewRun
from gear_app.store.runs import RunOutcome
from gear_app.workspace import Workspace
from tests import factories


def missing_runs(workspace: Workspace, number: int, of: str = "demo") -> list[str]:
    """Their ids, in the order of the queue."""
    store, collection = workspace.store, workspace.store.collections.get(of)
    events = factories.gear_run()
    ids = []
    with store.transaction():
        for at in range(number):
            new = NewRun(
                question=f"Question {at:05}: {factories.QUESTION}",
                method="gear",
                config={},
                reader="local",
                k=15,
                collection=collection,
                triple_set=None,
                gold=(*factories.GOLD, "nowhere"),
            )
            run = store.runs.create(new)
            store.runs.claim(run.id, workspace.connection.process)
            for position, event in enumerate(events, start=1):
                store.events.add(run.number, position, float(position), event)
            store.runs.finish(run.id, RunOutcome("done", "", 42.0, 2))
            ids.append(run.id)
    return ids
