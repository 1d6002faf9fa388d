"""What if of a run whose reader is a language model: kept replies serve, and nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from gear_app.core.errors import NotReady
from gear_app.trace.events import Called, Event
from gear_app.workspace.runs.request import ALL_RIGHTS, request_of
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Serve
from tests.models.world import endless
from tests.small import QUESTION


def without_calls(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event, Called)]


def test_a_change_that_leaves_the_prompts_alone_asks_nobody(films: Workspace, serve: Serve) -> None:
    server = serve(endless())
    run = films.ask(QUESTION, "films", "sync_ge", reader="llm").run
    asked, change = len(server.asked), RunChange({"width": "1"})
    variant = films.reruns.rerun(run, change)
    assert len(server.asked) == asked > 0
    request = replace(change.applied(request_of(films.runs.get(run))), rights=ALL_RIGHTS)
    made = films.runner.ask(request)
    assert without_calls(variant) == without_calls(made.events)
    assert without_calls(variant) != without_calls(films.reruns.rerun(run, RunChange()))


def test_a_change_that_would_ask_says_so_and_asks_nobody(films: Workspace, serve: Serve) -> None:
    server = serve(endless())
    run = films.ask(QUESTION, "films", "sync_ge", reader="llm").run
    asked = len(server.asked)
    with pytest.raises(
        NotReady, match="tiny would read something for 'read' that it has not read yet"
    ):
        films.reruns.rerun(run, RunChange({"k": "2"}))
    assert len(server.asked) == asked
