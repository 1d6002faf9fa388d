"""A reader that gives replies written in a test."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from gear_app.core.errors import ModelFailed
from gear_app.models.reader.roles import ReaderRequest, Reply
from gear_app.trace.events import Emit


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
        (kind,) = get_args(type(request).__orig_bases__[0])  # type: ignore[attr-defined]
        waiting: deque[Reply] = self._replies.get(get_origin(kind) or kind, deque())
        if not waiting:
            raise ModelFailed(
                f"The script has no reply left for '{request.role}'. It was asked:"
                f" {request.question}"
            )
        return waiting.popleft()
