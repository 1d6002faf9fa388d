"""A scripted server and chats that wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from gear_app.llm import response
from gear_app.llm.chat_model import ReplyOrigin
from gear_app.llm.completion import ChatClient, Progress
from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.request_pool import TimeSource
from gear_app.llm.server import Patience, Secret, Server
from tests.llm.server import KEY, ScriptedReply, ScriptedServer, chat_reply, in_turn, serving
from tests.waiting import PATIENCE_S

Reply = Callable[[dict[str, Any]], ScriptedReply]
Serve = Callable[[Reply], ScriptedServer]
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL")
PATIENCE = Patience.__dataclass_fields__


@dataclass
class Clock:
    """Time that passes only where it is slept; `waits` are the sleeps in seconds."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.now += seconds

    def time(self, jitter: float = 0.0) -> TimeSource:
        return TimeSource(lambda: self.now, self.sleep, lambda: jitter)


class Bench:
    """Makes servers and chats for one test, and closes them after it. `stream`: whether chats
    stream.
    """

    def __init__(self, stream: bool = False) -> None:
        self.clock = Clock()
        self.stream = stream
        self._stack = ExitStack()

    def serve(self, reply: Callable[[dict[str, Any]], ScriptedReply]) -> ScriptedServer:
        return self._stack.enter_context(serving(reply))

    def chat(
        self,
        server: ScriptedServer,
        check: Callable[[], None] = lambda: None,
        time: TimeSource | None = None,
        progress: Progress = lambda role, characters: None,
        **changes: Any,
    ) -> ChatClient:
        configured = server_of(server, **{"stream": self.stream, **changes})
        chat = ChatClient(configured, check, time or self.clock.time(), progress)
        self._stack.callback(chat.close)
        return chat

    def close(self) -> None:
        self._stack.close()


def server_of(scripted: ScriptedServer, **changes: Any) -> Server:
    """The scripted server as one that can be asked: the model `tiny`, with the key. `changes` are
    fields of Server or of its Patience.
    """
    patience = {name: changes.pop(name) for name in list(changes) if name in PATIENCE}
    patient = Patience(**{"timeout_s": PATIENCE_S, **patience})
    return Server(scripted.base_url, "tiny", Secret(KEY), patience=patient, **changes)


def impatient(fault: ScriptedReply) -> tuple[dict[str, Any], int]:
    """How long to wait for a server that begins with this fault, and how often to ask it again:
    more than once where it is waited for so shortly that a busy machine may be late with the right
    reply too.
    """
    slow = fault.stalls or fault.hangs or fault.drips
    return ({"timeout_s": 0.4}, 9) if slow else ({}, 1)


def assert_asked_again(bench: Bench, fault: ScriptedReply, words: str) -> None:
    """A server that begins with this fault is asked again; one that goes on is told in these words."""
    asked = Request("query_entities", "Is it?")
    server = bench.serve(in_turn(fault, chat_reply("yes")))
    patience, retries = impatient(fault)
    again = bench.chat(server, retries=retries, **patience).ask(asked)
    assert again.text == "yes" and 2 <= again.attempts <= 1 + retries
    server.reply = in_turn(fault)
    with pytest.raises(CallFailed) as caught:
        bench.chat(server, retries=0, **patience).ask(asked)
    assert words in str(caught.value)
    assert len(server.asked) == again.attempts + 1


class MemoryReplies:
    """Replies in memory, on whichever thread (llm.chat_model.ReplyCache)."""

    def __init__(self) -> None:
        self._replies: dict[bytes, response.Reply] = {}

    def __len__(self) -> int:
        return len(self._replies)

    def get(self, key: bytes) -> response.Reply | None:
        return self._replies.get(key)

    def put(self, key: bytes, reply: response.Reply, origin: ReplyOrigin) -> None:
        self._replies[key] = reply


def name_in_environment(monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
    """Let the environment name this server, its key and the model `tiny`."""
    for name, value in zip(VARIABLES, (KEY, base_url, "tiny"), strict=True):
        monkeypatch.setenv(name, value)


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Servers and chats for one test."""
    made = Bench()
    yield made
    made.close()


@pytest.fixture
def serve(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Starts a server that replies as told, and names it in the environment."""

    def served(reply: Reply) -> ScriptedServer:
        server = bench.serve(reply)
        name_in_environment(monkeypatch, server.base_url)
        return server

    return served
