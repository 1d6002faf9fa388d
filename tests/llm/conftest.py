"""A scripted server and chats that wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from gear_app.llm.chat_model import About
from gear_app.llm.completion import Chat, Tell
from gear_app.llm.request_pool import Time
from gear_app.llm.response import Reply
from gear_app.llm.server import Patience, Secret, Server
from tests.llm.server import KEY, Said, Scripted, serving


@dataclass
class Clock:
    """Time that passes only where it is slept; `waits` are the sleeps in seconds."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.now += seconds

    def time(self, jitter: float = 0.0) -> Time:
        return Time(lambda: self.now, self.sleep, lambda: jitter)


class Bench:
    """Makes servers and chats for one test, and closes them after it. `stream`: whether chats
    stream.
    """

    def __init__(self, stream: bool = False) -> None:
        self.clock = Clock()
        self.stream = stream
        self._stack = ExitStack()

    def serve(self, reply: Callable[[dict[str, Any]], Said]) -> Scripted:
        return self._stack.enter_context(serving(reply))

    def chat(
        self,
        server: Scripted,
        check: Callable[[], None] = lambda: None,
        time: Time | None = None,
        tell: Tell = lambda role, characters: None,
        **changes: Any,
    ) -> Chat:
        patience = {
            name: changes.pop(name)
            for name in list(changes)
            if name in Patience.__dataclass_fields__
        }
        configured = Server(
            server.base_url,
            "tiny",
            Secret(KEY),
            patience=Patience(**{"timeout_s": 5.0, **patience}),
            **{"stream": self.stream, **changes},
        )
        chat = Chat(configured, check, time or self.clock.time(), tell)
        self._stack.callback(chat.close)
        return chat

    def close(self) -> None:
        self._stack.close()


class Kept:
    """Replies in memory, on whichever thread (llm.chat_model.Replies)."""

    def __init__(self) -> None:
        self._found: dict[bytes, Reply] = {}

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: bytes) -> Reply | None:
        return self._found.get(key)

    def put(self, key: bytes, reply: Reply, about: About) -> None:
        self._found[key] = reply


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Servers and chats for one test."""
    made = Bench()
    yield made
    made.close()
