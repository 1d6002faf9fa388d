"""Requests for tests of the chat client."""

from __future__ import annotations

from gear_app.llm.request import Request
from gear_app.llm.response import Reply

ASKED = Request("reason", "Is it?")


def as_it_is(position: int, reply: Reply) -> Reply:
    return reply


STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
