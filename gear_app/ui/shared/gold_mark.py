"""Gold marked on the screen: it belongs to the run and, while there is one, to the collection's
question.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.ui.explore import question_bar
from gear_app.workspace import RunInfo, Workspace


def mark_both(workspace: Workspace, run: RunInfo, keys: Sequence[str]) -> None:
    """Mark the question's gold, which refuses what is not there, then the run's own; a deleted
    collection has none.
    """
    if not question_bar.gone(run, workspace.collections.all()):
        workspace.collections.set_gold(run.collection, run.question, keys)
    workspace.runs.mark_gold(run.id, keys)
