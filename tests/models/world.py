"""A model that knows the small world: it tells a prompt's role by its first line and replies as a
test says.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from gear_app.models import prompts
from tests.models.server import ScriptedReply, chat_reply

FIRST_LINES = {name: prompts.text(name).partition("\n")[0] for name in prompts.names()}


def role_of(asked: dict[str, Any]) -> str:
    """The name of the prompt that was sent."""
    first = asked["messages"][0]["content"].partition("\n")[0]
    return next(name for name, line in FIRST_LINES.items() if line == first)


def by_role(**scripts: list[str | ScriptedReply]) -> Callable[[dict[str, Any]], ScriptedReply]:
    """Each prompt's replies in order; the last one again and again."""

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        script = scripts[role_of(asked)]
        found = script.pop(0) if len(script) > 1 else script[0]
        return chat_reply(found) if isinstance(found, str) else found

    return reply


def endless(
    usage: Callable[[str], tuple[int, int]] = lambda prompt: (11, 7),
) -> Callable[[dict[str, Any]], ScriptedReply]:
    """Always finds something new, never an answer; `usage` counts the tokens of a prompt and of the
    reply to it.
    """
    numbers = itertools.count()

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        n, prompt = next(numbers), asked["messages"][0]["content"]
        fact = ["Ada Quill", f"knows by {n}", "Port Mira"]
        words = {
            "read": str(tuple(fact)),
            "read_gist": str(tuple(fact)),
            "reason": "Answerable: No\nWhy: more is asked for",
            "rewrite": f"Who is number {n}?",
            "query_entities": '{"named_entities": ["Harbour Lights"]}',
            "thoughts": (
                f"Fast thought: Who is {n}?\nSlow thought: Who built bridge {n} in Port Mira?"
            ),
            "chain": json.dumps({"nodes": ["Harbour Lights", *fact]}),
            "verify": '{"covered_doc_indices": [1]}',
            "search_r1": f"<think>Hm.</think> <search>Who is number {n}?</search>",
            "search_o1": f"<|begin_search_query|>Who is number {n}?<|end_search_query|>",
            "irgs": f"Reasoning: number {n} is asked for.\nFinal answer: unknown",
            "extraction": json.dumps({"named_entities": ["Ada Quill"], "triples": [fact]}),
        }
        return chat_reply(
            words.get(role_of(asked), f"Thought: number {n} is missing."), usage=usage(prompt)
        )

    return reply
