"""A call that fails is shown at the step that it was for, and what was found before stays as it is."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Any

import pytest

from gear_app.core.errors import ModelFailed
from gear_app.display import labels
from gear_app.display.step import telling
from gear_app.display.telling import Scene
from gear_app.trace import timeline
from gear_app.trace.events import Failed
from gear_app.trace.rankings import of_event
from gear_app.workspace.workspace import Workspace
from tests.display.compared import column
from tests.models.conftest import Serve
from tests.models.server import ScriptedReply, chat_reply, error
from tests.models.world import endless, role_of
from tests.small import QUESTION

CLOSED, NOTHING = error(401, "The account is closed."), chat_reply(" ")


@pytest.mark.parametrize("fault", [CLOSED, NOTHING], ids=["no reply", "no use"])
@pytest.mark.parametrize(
    ("method", "prompt", "time", "place"),
    [
        ("sync_ge:bm25", "read", 1, "read"),
        ("gear:bm25", "read", 1, "iteration 1, read"),
        ("hipporag", "query_entities", 1, "recognise"),
        ("tog:bm25", "tog", 2, "iteration 2, think"),
        ("bdtr:bm25", "verify", 1, "iteration 3, verify"),
    ],
)
def test_a_failure_is_shown_at_the_step_that_failed(
    films: Workspace,
    serve: Serve,
    method: str,
    prompt: str,
    time: int,
    place: str,
    fault: ScriptedReply,
) -> None:
    asked: Counter[str] = Counter()
    works = endless()

    def reply(request: dict[str, Any]) -> ScriptedReply:
        asked[role_of(request)] += 1
        return (
            fault
            if (role_of(request), asked[role_of(request)]) == (prompt, time)
            else works(request)
        )

    serve(reply)
    with contextlib.suppress(ModelFailed):  # the run fails where it has no ranking yet
        films.ask(QUESTION, "films", method, reader="llm")
    run = films.runs.recent()[0]
    events = films.runs.events(run.id)
    steps = timeline.steps(events)
    (failed,) = [step for step in steps if step.failed]
    assert labels.step_place(failed) == place
    for step in steps[: failed.number]:
        ranked = [event for event in step.events if of_event(event)]
        assert ranked or step.verb not in ("retrieve", "fuse", "pool")
        assert not any(isinstance(event, Failed) for event in step.events)
    scene = Scene(run, events, failed, timeline.before(failed, steps), ())
    sentences = [message.sentence for message in telling(scene).messages]
    assert not any("No passage was found" in sentence for sentence in sentences)
    assert any("closed" in one or "reply" in one for one in sentences)
    told = column("a", events).failure
    assert told and told.step == failed.verb
