"""What a chat endpoint is called with, and what is left out where a server refuses a part.

Servers speak the same protocol to different lengths: some know no `seed`, some models take no
temperature, some give no JSON by a schema and follow the prompt alone. What a server refuses is
learned once and remembered by its client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from gear_app.core.text import storable
from gear_app.models import prompts
from gear_app.models.prompts import Prompt
from gear_app.models.reply import Parsed
from gear_app.models.server import Server
from gear_app.trace.events import Called

T = TypeVar("T")
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


class Request(Generic[T]):
    """A request to a model in one role."""

    role: str  # its name in messages and stored events

    @property
    def template(self) -> str:
        """The file of the prompt."""
        return self.role

    @property
    def model(self) -> type[Any]:
        """The model of the reply (reply_model.ReplyModel), which gives schema and parser."""
        raise NotImplementedError

    def values(self) -> dict[str, str]:
        """The values of the places in the prompt."""
        raise NotImplementedError

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt of a language model."""
        return prompts.prompt(self.template, **self.values())

    def call(self, server: Server) -> Called:
        """The call that it is for a server, before any reply."""
        prompt = self.prompt
        return Called(self.role, server.model, prompt.hash, prompt.text, "", 0, 0, 0.0, 0.0)

    def parse(self, reply: str) -> Parsed[T]:
        """The value of a language model's reply. Raises Unparsed."""
        material = "\n".join(self.values().values())
        parsed, dropped = self.model.parse(reply, prompts.text(self.template), material)
        return Parsed(cast(T, parsed.value(self)), dropped)

    def keep(self, value: T) -> bool:
        """Whether the reply is stored; one that is not is asked for again."""
        return True


def arguments(server: Server, request: Request[Any], unsupported: Unsupported) -> dict[str, Any]:
    """Arguments of the chat endpoint, without the unsupported parameters."""
    strict = {"name": request.role, "schema": request.model.schema_of(), "strict": True}
    schema = {"type": "json_schema", "json_schema": strict}
    # Newer models of OpenAI want the limit under another name.
    limit = "max_completion_tokens" if "max_tokens" in unsupported else "max_tokens"
    sent: dict[str, Any] = {
        "model": server.model,
        "messages": [{"role": "user", "content": storable(request.prompt.text)}],
        limit: server.max_tokens,
        "temperature": server.temperature,
        "seed": server.seed,
        "response_format": schema if strict["schema"] else None,
        "tools": list(request.model.tools) or None,
    }
    if not request.model.tools and "stream" not in unsupported:
        # Without the options tokens are estimated.
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    return {n: value for n, value in sent.items() if value is not None and n not in unsupported}


def add_unsupported(sent: Mapping[str, Any], message: str) -> Unsupported:
    """The first parameter of those sent that the server's message refuses; none where it refuses
    the prompt or a value.
    """
    names = (name for name, words in _REFUSED.items() if name in sent and re.search(words, message))
    return frozenset(list(names)[:1])
