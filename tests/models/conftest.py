"""A scripted server and chats that wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unittest.mock import patch

import pytest
from openai._base_client import BaseClient

from gear_app.models.client import ModelClient
from gear_app.models.errors import CallFailed
from gear_app.models.messages import Request
from gear_app.models.prompts import Prompt
from gear_app.models.reply_model import Line, ReplyModel
from gear_app.models.server import Patience, Secret, Server
from gear_app.trace.events import Called
from tests.models.server import KEY, ScriptedReply, ScriptedServer, serving
from tests.waiting import PATIENCE_S

Reply = Callable[[dict[str, Any]], ScriptedReply]
Serve = Callable[[Reply], ScriptedServer]
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL")
PATIENCE = Patience.__dataclass_fields__


class Words(ReplyModel):
    """A reply in words."""

    words: Line

    @classmethod
    def schema_of(cls) -> None:
        """None."""


@dataclass(frozen=True)
class Plain(Request[str]):
    """A prompt of these words."""

    role: str
    words: str
    model: type[ReplyModel] = Words  # type: ignore[misc]

    @cached_property
    def prompt(self) -> Prompt:
        return Prompt(self.role, "", self.words)


class AskingClient(ModelClient):
    """A client that is asked one thing at a time."""

    def ask(self, request: Request[Any]) -> Called:
        """The model's reply. Raises CallFailed, or what the check raises."""
        (outcome,) = self.ask_all([request])
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome


class Bench:
    """Makes servers and chats for one test, and closes them after it. `stream`: whether servers
    stream where they are asked to.
    """

    def __init__(self, stream: bool = True) -> None:
        self.stream = stream
        self.waits: list[float] = []  # before another attempt, in seconds; none is waited for
        self._stack = ExitStack()
        wait_s: Any = BaseClient._calculate_retry_timeout

        def no_wait(*arguments: Any) -> float:
            self.waits.append(round(wait_s(*arguments), 3))
            return 0.0

        self._stack.enter_context(patch.object(BaseClient, "_calculate_retry_timeout", no_wait))

    def serve(self, reply: Callable[[dict[str, Any]], ScriptedReply]) -> ScriptedServer:
        server = self._stack.enter_context(serving(reply))
        server.streams = self.stream
        return server

    def chat(
        self, server: ScriptedServer, check: Callable[[], None] = lambda: None, **changes: Any
    ) -> AskingClient:
        configured = server_of(server, **changes)
        chat = AskingClient(configured, check)
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
    return Server(scripted.base_url, "tiny", key=Secret(KEY), patience=patient, **changes)


class MemoryReplies:
    """Replies in memory, on whichever thread (store.spending.Replies)."""

    def __init__(self) -> None:
        self._replies: dict[bytes, Called] = {}

    def __len__(self) -> int:
        return len(self._replies)

    def get(self, key: bytes, call: Called) -> Called | None:
        return self._replies.get(key)

    def put(self, key: bytes, call: Called, server: str) -> None:
        self._replies[key] = call


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
