"""Questions that wait for a model's reply hold nobody else."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gear_app.models import client
from gear_app.models.reader.readers import try_connection
from gear_app.models.server import Secret, Spec
from gear_app.trace.events import Called, Event
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.worker import Worker
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Bench
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply, error, in_turn
from tests.models.test_reader import gear_script
from tests.models.world import by_role
from tests.small import QUESTION
from tests.waiting import PATIENCE_S, finish, until
from tests.workspaces import filled

STALLED = ScriptedReply(b"", stalls=True)


class Hanging:
    """Gives no reply until `release`; then those of another."""

    def __init__(self, then: Callable[[dict[str, Any]], ScriptedReply]) -> None:
        self._then, self._released = then, threading.Event()

    def __call__(self, asked: dict[str, Any]) -> ScriptedReply:
        assert self._released.wait(PATIENCE_S)
        return self._then(asked)

    def release(self) -> None:
        self._released.set()


@dataclasses.dataclass
class Asking:
    """A workspace in which people ask, and the turns of its worker."""

    made: Workspace
    turns: Worker

    def local(self, owner: str, method: str = "gear:bm25") -> str:
        return self.made.runs.enqueue(RunRequest(QUESTION, "films", method, owner=owner))

    def with_model(self, owner: str, server: ScriptedServer, question: str = QUESTION) -> str:
        model = Spec(server.base_url, "tiny")
        request = RunRequest(question, "films", "gear:bm25", reader="llm", owner=owner, model=model)
        return self.made.runs.enqueue(request)

    def states(self, runs: list[str]) -> list[str]:
        return [self.made.runs.get(run).state for run in runs]

    def ended(self, runs: list[str]) -> bool:
        return all(not self.made.runs.get(run).going for run in runs)

    def finish(self) -> None:
        """Take turns until nothing waits any more, not even for a server."""
        finish(self.turns)


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    monkeypatch.setattr(client, "SHOWN", 1)
    made = filled(tmp_path)
    asking = Asking(made, made.worker())
    asking.finish()
    yield asking
    for run in made.runs.recent():
        made.runs.cancel(run.id)
    asking.turns.close()


def without_ms(happened: list[Event]) -> list[Event]:
    return [
        dataclasses.replace(one, ms=0.0) if isinstance(one, Called) else one for one in happened
    ]


def test_a_local_question_is_answered_while_a_model_hangs_and_that_is_cancelled_at_once(
    asking: Asking, bench: Bench
) -> None:
    server = bench.serve(in_turn(STALLED))
    hanging = asking.with_model("ann", server)
    local = asking.local("bo")
    assert asking.turns.take() and asking.turns.take()
    assert asking.states([hanging, local]) == ["running", "done"]
    until(lambda: "Waiting for the model at 127.0.0.1" in asking.made.runs.get(hanging).message)
    until(lambda: server.asked)
    asking.made.runs.cancel(hanging)
    until(lambda: asking.made.runs.get(hanging).state == "cancelled")
    assert server.gone.wait(PATIENCE_S)


def test_runs_that_wait_for_models_at_once_are_those_that_each_is_alone(
    asking: Asking, bench: Bench
) -> None:
    hanging = Hanging(by_role(**gear_script()))
    server, other = bench.serve(hanging), bench.serve(by_role(**gear_script()))
    first = asking.with_model("ann", server)
    assert asking.turns.take()
    second, local = asking.with_model("bo", other), asking.local("cy")
    until(lambda: not asking.turns.take() and asking.ended([second, local]))
    assert asking.states([first, second, local]) == ["running", "done", "done"]
    hanging.release()
    asking.finish()
    assert asking.states([first]) == ["done"]
    alone = asking.made.ask(QUESTION, "films", "gear:bm25")
    assert asking.made.runs.events(local) == list(alone.events)
    model = Spec(bench.serve(by_role(**gear_script())).base_url, "tiny")
    alone = asking.made.ask(QUESTION, "films", "gear:bm25", reader="llm", model=model)
    for run in (first, second):
        assert without_ms(asking.made.runs.events(run)) == without_ms(list(alone.events))


def test_what_a_person_asks_for_is_asked_at_once_and_what_was_queued_before_says_why_it_is_not(
    asking: Asking, bench: Bench
) -> None:
    server = bench.serve(in_turn(error(401, "The account is closed.")))
    first, queued = "", ""
    for owner in ("ann", "evaluation:e"):
        first, queued = queued, asking.with_model(owner, server)
        asking.made.store.db.execute("UPDATE tasks SET created = '2020-01-01T00:00:00Z'")
        asking.finish()
    told = asking.made.runs.get(queued).message
    assert asking.ended([first, queued]) and len(server.asked) == 1
    assert "was not asked" in told and "The account is closed" in told and "Go on" in told
    again = asking.made.runs.again(first)
    asking.finish()
    assert len(server.asked) == 2
    assert "was not asked" not in asking.made.runs.get(again).message
    server.reply = in_turn(chat_reply('{"triples": [["Ada Quill", "was born in", "Port Mira"]]}'))
    assert try_connection(Spec(server.base_url, "tiny"), Secret()).ms is not None
    server.reply = by_role(**gear_script())
    go_on = asking.made.runs.again(queued)
    asking.finish()
    assert asking.states([go_on]) == ["done"]
