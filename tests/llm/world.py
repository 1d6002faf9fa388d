"""A model that knows the small world: it tells a prompt's role by its first line and replies as a test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gear_app import prompts
from tests.llm.server import Said, said

FIRST_LINES = {name: prompts.text(name).partition("\n")[0] for name in prompts.names()}


def role_of(asked: dict[str, Any]) -> str:
    """The name of the prompt that was sent."""
    first = asked["messages"][0]["content"].partition("\n")[0]
    return next(name for name, line in FIRST_LINES.items() if line == first)


def by_role(**scripts: list[str | Said]) -> Callable[[dict[str, Any]], Said]:
    """Each prompt's replies in order; the last one again and again."""

    def reply(asked: dict[str, Any]) -> Said:
        script = scripts[role_of(asked)]
        found = script.pop(0) if len(script) > 1 else script[0]
        return said(found) if isinstance(found, str) else found

    return reply
