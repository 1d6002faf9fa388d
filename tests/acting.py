"""A local reader that also acts as an agent, which searches the question, then others, and answers."""

from __future__ import annotations

from typing import Any

from gear_app.core.types import Action, Analysis
from gear_app.methods import METHODS
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import ACT, ANALYSE
from gear_app.trace.events import Emit

SEARCHES = 2
# GFM-RAG has tests of its own (methods/test_gfm.py): it asks nothing without weights.
READY = [name for name, method in METHODS.items() if not method.needs_weights]
LOCAL = [name for name in READY if not METHODS[name].needs_model]


class Acting(LocalReader):
    """Replies to an agent by no look at the documents, and to all else by the rules."""

    def ask(self, request: Any, emit: Emit) -> Any:
        if request.asks is ANALYSE:
            return Analysis(" ".join(passage.text for passage in request.passages[:1]))
        if request.asks is not ACT:
            return super().ask(request, emit)
        n = len(request.turns)
        if n == SEARCHES:
            return Action("That is all.", answer="Port Mira")
        return Action(f"Thought {n}.", request.question + (f" {n}" if n else ""))
