"""What lost each gold passage that a method misses, one line a passage and method."""

from __future__ import annotations

import contextlib
from typing import Any

from gear_app.analysis import gold
from gear_app.errors import GearError
from gear_app.ui.compare.cards import Comparison
from gear_app.ui.shared import elements, session
from gear_app.views import why_not as words
from gear_app.workspace import Workspace


def misses(workspace: Workspace, comparison: Comparison) -> None:
    """A folded table, made when it is opened; nothing without gold."""
    if not comparison.gold or not comparison.done:
        return
    elements.folded_table(
        "Why not? What lost each gold passage that a method misses",
        lambda: _rows(workspace, comparison),
        "compare-why",
    )


def _rows(workspace: Workspace, comparison: Comparison) -> list[dict[str, Any]]:
    """Runs of a deleted collection have no line."""
    found = []
    for column in comparison.columns:
        if not column.digest:
            continue
        run = column.run
        for key in gold.missed(session.events(workspace, run), run.gold, comparison.k):
            with contextlib.suppress(GearError):
                answer = workspace.why_not.explain(run.id, key, comparison.k, deep=False)
                found.append(words.row(answer, column.label))
    return found
