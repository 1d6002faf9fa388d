"""A reader that gives replies written in a test."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from gear_app.core import types
from gear_app.core.errors import ModelFailed
from gear_app.models.reader.roles import ReaderRequest, Reply
from gear_app.trace.events import Emit

TYPES: dict[str, type] = {  # of the replies of roles
    "read": types.Reading,
    "reason": types.Verdict,
    "rewrite": types.Rewriting,
    "named_entities": tuple,
    "choose_facts": tuple,
    "summarise": types.Summary,
    "report": str,
    "think": types.Thinking,
    "dual_thoughts": types.DualThoughts,
    "act": types.Action,
    "analyse": types.Analysis,
    "chain": types.ReasoningChain,
    "verify": types.Verification,
    "answer": str,
}


class ScriptedReader:
    """Gives each role's replies in order; raises ModelFailed when none is left.

    `requests` lists what it was asked.
    """

    name = "scripted reader"

    def __init__(self, script: Iterable[object]) -> None:
        """Replies of all roles, told apart by their types: entities are a tuple, answers text."""
        self._replies: dict[type, deque[Any]] = {}
        for reply in script:
            self._replies.setdefault(type(reply), deque()).append(reply)
        self.requests: list[ReaderRequest[Any]] = []

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The next reply of the role, whatever the passages."""
        self.requests.append(request)
        waiting: deque[Reply] = self._replies.get(TYPES[request.role], deque())
        if not waiting:
            raise ModelFailed(
                f"The script has no reply left for '{request.role}'. It was asked:"
                f" {request.question}"
            )
        return waiting.popleft()
