"""A worker that extracts slice by slice with a scripted server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gear_app.store.rows import JobInfo
from gear_app.workspace.worker import Worker
from tests.models.conftest import Bench, name_in_environment
from tests.models.passages import graph, number
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply
from tests.models.world import role_of
from tests.waiting import PATIENCE_S, finish
from tests.workspaces import corpus_of, workspace

Reply = Callable[[dict[str, Any]], ScriptedReply]


def fine(asked: dict[str, Any]) -> ScriptedReply:
    return chat_reply(graph(number(asked)))


class Held:
    """Keeps everybody waiting until `release`, but for the passages it is told to reply to."""

    def __init__(self, *at_once: int) -> None:
        self._at_once, self._released = at_once, threading.Event()

    def __call__(self, asked: dict[str, Any]) -> ScriptedReply:
        if number(asked) not in self._at_once:
            self._released.wait(PATIENCE_S)
        return fine(asked)

    def release(self) -> None:
        self._released.set()


class World:
    """A collection of some passages, and a server that the environment names."""

    def __init__(self, path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self._bench, self._monkeypatch = path, bench, monkeypatch
        self.made = workspace(path)

    def serve(self, reply: Reply, count: int = 20) -> ScriptedServer:
        server = self._bench.serve(reply)
        name_in_environment(self._monkeypatch, server.base_url)
        self.made.imports.do(corpus_of(self.path, count), "c")
        return server

    def turns(self) -> Worker:
        """A worker's turns, after what else waits was done."""
        turns = self.made.worker()
        finish(turns)
        return turns

    def job(self) -> JobInfo:
        return next(job for job in self.made.jobs.recent("c") if job.kind == "extraction")

    def stored(self) -> set[str]:
        """The passages that have a triple."""
        return {triple.subject for triple in self.made.collections["c"].triples("llm", limit=1000)}


def names(*numbers: int) -> set[str]:
    return {f"Person{n}" for n in numbers}


def two_steps(asked: dict[str, Any]) -> ScriptedReply:
    n, whole = number(asked), json.loads(graph(number(asked)))
    if role_of(asked) == "entities":
        return chat_reply(json.dumps({"named_entities": whole["named_entities"]}))
    assert (
        json.dumps({"named_entities": [f"Person{n}", f"Town{n % 7}"]})
        in asked["messages"][0]["content"]
    )
    return chat_reply(json.dumps({"triples": whole["triples"]}))
