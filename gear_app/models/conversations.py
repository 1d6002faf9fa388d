"""Conversations with a model: several requests about one subject, one after another.

A conversation is a generator: it yields a request, is sent the parsed reply, and returns its
result.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar

from gear_app.core.errors import ModelFailed
from gear_app.models.chat_model import ChatModel
from gear_app.models.request import Request
from gear_app.trace.events import Emit

V = TypeVar("V")
Conversation = Generator[Request[Any], Any, V]


def run_conversations(
    model: ChatModel, conversations: Sequence[Conversation[V]], emit: Emit
) -> list[V | ModelFailed]:
    """Each conversation's value, in order; all first requests at once, then all second ones."""
    values: dict[int, V | ModelFailed] = {}
    replies: dict[int, Any] = dict.fromkeys(range(len(conversations)))
    while replies:
        requests: dict[int, Request[Any]] = {}
        for n, reply in replies.items():
            try:
                requests[n] = conversations[n].send(reply)
            except StopIteration as end:
                values[n] = end.value
        replies = dict(zip(requests, model.ask_all(list(requests.values()), emit), strict=True))
        failed = {n: reply for n, reply in replies.items() if isinstance(reply, ModelFailed)}
        values |= failed
        replies = {n: reply for n, reply in replies.items() if n not in failed}
    return [values[n] for n in range(len(conversations))]
