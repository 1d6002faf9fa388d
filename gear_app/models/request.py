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
    "response_format": "format|schema|json|grammar|guided|structured|Unsupported",
}


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
    prompt = {"role": "user", "content": storable(request.prompt)}
    sent: dict[str, Any] = {"model": server.model, "messages": [prompt]}
    # Newer models of OpenAI want the limit under another name.
    limit = "max_completion_tokens" if "max_tokens" in unsupported else "max_tokens"
    sent |= {limit: server.max_tokens, "temperature": server.temperature, "seed": server.seed}
    if request.schema:
        schema = {"name": request.role, "schema": request.schema, "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.tools:
        sent["tools"] = list(request.tools)
    if server.stream and "stream" not in unsupported:
        # Without the options tokens are estimated.
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    return {name: value for name, value in sent.items() if name not in unsupported}


def add_unsupported(sent: Mapping[str, Any], message: str) -> Unsupported:
    """The first parameter of those sent that the server's message refuses; none where it refuses
    the prompt or a value.
    """
    names = (name for name, words in _REFUSED.items() if name in sent and re.search(words, message))
    return frozenset(list(names)[:1])
