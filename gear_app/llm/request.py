"""What a chat endpoint is called with, and how to ask for less where a server refuses a part.

Servers speak the same protocol to different lengths: some know no `seed`, some models take no
temperature, some give JSON but not by a schema. What a server refuses is found out once and
remembered by the pool of requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.llm.server import Server
from gear_app.text import storable

Schema = Mapping[str, Any]
Parameter = Literal[
    "json_schema", "json_object", "seed", "temperature", "max_tokens", "stream_options", "stream"
]
Unsupported = frozenset[Parameter]
# Where the limit of a reply is set.
REPLY_LIMIT = "--reply-tokens, or “Tokens of one reply at most” on the page Settings"
FEWER_TOKENS = f"Allow a reply fewer tokens: {REPLY_LIMIT}"
_LIMIT_REFUSED = re.compile(
    r"max_(?:completion_|output_|new_)?tokens\b.*\b(?:large|at most|maximum|exceed\w*|less|range)\b"
    r"|maximum context length.*(?:completion|output|requested)",
    re.IGNORECASE | re.DOTALL,
)
_PROMPT_REFUSED = re.compile(
    r"content.?filter|content management policy|context.?length|prompt is too long", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt, and the JSON schema of the reply, if any; `role` names the call in messages."""

    role: str
    prompt: str
    schema: Schema | None = None


def arguments(server: Server, request: Request, unsupported: Unsupported) -> dict[str, Any]:
    """What the chat endpoint is called with, without the unsupported parameters."""
    sent: dict[str, Any] = {
        "model": server.model,
        "messages": [{"role": "user", "content": storable(request.prompt)}],
    }
    # Newer models of OpenAI want the limit under another name.
    limit = "max_completion_tokens" if "max_tokens" in unsupported else "max_tokens"
    sent[limit] = server.max_tokens
    if "temperature" not in unsupported:
        sent["temperature"] = server.temperature
    if "seed" not in unsupported:
        sent["seed"] = server.seed
    if request.schema and "json_schema" not in unsupported:
        schema = {"name": request.role, "schema": request.schema, "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema and "json_object" not in unsupported:
        sent["response_format"] = {"type": "json_object"}
    if server.stream and "stream" not in unsupported:
        sent["stream"] = True
        if "stream_options" not in unsupported:  # without it tokens are estimated
            sent["stream_options"] = {"include_usage": True}
    return sent


def add_unsupported(
    server: Server, request: Request, unsupported: Unsupported, message: str
) -> Unsupported | None:
    """The unsupported parameters after the server refused the others with this message.

    A message that names a parameter settles which; else the structured reply is given up, step by
    step. None where nothing more can be left out, and where it is no parameter that is refused but
    its value, more tokens than the model has, or the prompt itself.
    """
    if refuses_limit(message) or _PROMPT_REFUSED.search(message):
        return None
    named: list[tuple[Parameter, str]] = [
        ("max_tokens", "max_completion_tokens"),
        ("temperature", "temperature"),
        ("seed", "seed"),
    ]
    if server.stream:
        named += [("stream_options", "stream_options"), ("stream", "stream")]
    for parameter, word in named:
        if parameter not in unsupported and word in message:
            return unsupported | {parameter}
    structured: tuple[Parameter, ...] = ("json_schema", "json_object") if request.schema else ()
    for parameter in structured:
        if parameter not in unsupported:
            return unsupported | {parameter}
    return None


def refuses_limit(message: str) -> bool:
    """Whether a server refuses a call since a reply may have too many tokens."""
    return _LIMIT_REFUSED.search(message) is not None
