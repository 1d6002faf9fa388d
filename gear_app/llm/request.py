"""What is asked of a server besides the prompt, and how to ask for less where it refuses that.

Servers speak the same protocol to different lengths: some know no `seed`, some models take no
temperature, some give JSON but not by a schema. What a server refused is found out once and
remembered by whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.llm.server import Server

Schema = Mapping[str, Any]
Part = Literal[
    "json_schema", "json_object", "seed", "temperature", "max_tokens", "stream_options", "stream"
]
Refused = frozenset[Part]


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt, and the JSON schema of the reply where one is wanted; `role` names it in
    messages.
    """

    role: str
    prompt: str
    schema: Schema | None = None


def arguments(server: Server, request: Request, refused: Refused) -> dict[str, Any]:
    """What the chat endpoint is called with, without the parts it refused."""
    prompt = request.prompt.encode("utf-8", "replace").decode(
        "utf-8"
    )  # a question may hold half a character
    found: dict[str, Any] = {
        "model": server.model,
        "messages": [{"role": "user", "content": prompt}],
    }
    # Newer models of OpenAI want the limit under another name.
    found["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = server.max_tokens
    if "temperature" not in refused:
        found["temperature"] = server.temperature
    if "seed" not in refused:
        found["seed"] = server.seed
    if request.schema and "json_schema" not in refused:
        schema = {"name": request.role, "schema": request.schema, "strict": True}
        found["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema and "json_object" not in refused:
        found["response_format"] = {"type": "json_object"}
    if server.stream and "stream" not in refused:
        found["stream"] = True
        if "stream_options" not in refused:  # without it tokens are estimated
            found["stream_options"] = {"include_usage": True}
    return found


def refused_too(server: Server, request: Request, refused: Refused, words: str) -> Refused | None:
    """What to leave out after the server refused the rest with these words; None where nothing is
    left to leave out.

    Words that name a part settle which; else the structured reply is given up, step by step.
    """
    named: list[tuple[Part, str]] = [
        ("max_tokens", "max_completion_tokens"),
        ("temperature", "temperature"),
        ("seed", "seed"),
    ]
    if server.stream:
        named += [("stream_options", "stream_options"), ("stream", "stream")]
    for part, word in named:
        if part not in refused and word in words:
            return refused | {part}
    structured: tuple[Part, ...] = ("json_schema", "json_object") if request.schema else ()
    left: list[Part] = [part for part in structured if part not in refused]
    return refused | {left[0]} if left else None
