"""What a chat endpoint is called with, and what is left out where a server refuses a part.

Servers speak the same protocol to different lengths: some know no `seed`, some models take no
temperature, some give no JSON by a schema and follow the prompt alone. What a server refuses is
learned once and remembered by its client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gear_app.core.text import storable
from gear_app.models.server import Server

Schema = Mapping[str, Any]
Tools = tuple[Mapping[str, Any], ...]
Unsupported = frozenset[str]
# Parameters that can be left out, and how a refusal names them.
_REFUSED = {
    "max_tokens": "max_completion_tokens",
    "temperature": "temperature",
    "seed": "seed",
    "stream_options": "stream_options",
    "stream": "stream",
    "tools": "tool",
    "response_format": "",  # also a refusal that names no parameter
}
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
    """A prompt, and the JSON schema of the reply or the tools that the model can call, if any;
    `role` names the call in messages.
    """

    role: str
    prompt: str
    schema: Schema | None = None
    tools: Tools = ()


def arguments(server: Server, request: Request, unsupported: Unsupported) -> dict[str, Any]:
    """Arguments of the chat endpoint, without the unsupported parameters."""
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
    if request.schema and "response_format" not in unsupported:
        schema = {"name": request.role, "schema": request.schema, "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.tools and "tools" not in unsupported:
        sent["tools"] = list(request.tools)
    if server.stream and "stream" not in unsupported:
        sent["stream"] = True
        if "stream_options" not in unsupported:  # without it tokens are estimated
            sent["stream_options"] = {"include_usage": True}
    return sent


def add_unsupported(
    server: Server, request: Request, unsupported: Unsupported, message: str
) -> Unsupported | None:
    """The unsupported parameters after the server refused the others with this message.

    None where nothing more can be left out, and where it is no parameter that is refused but its
    value, more tokens than the model has, or the prompt.
    """
    if refuses_limit(message) or _PROMPT_REFUSED.search(message):
        return None
    sent = arguments(server, request, unsupported)
    named = (name for name, words in _REFUSED.items() if name in sent and words in message)
    refused = next(named, None)
    return unsupported | {refused} if refused else None


def refuses_limit(message: str) -> bool:
    """Whether a server refuses a call since a reply may have too many tokens."""
    return _LIMIT_REFUSED.search(message) is not None
