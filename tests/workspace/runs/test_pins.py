"""Pinning a run: a collection opens with it."""

from __future__ import annotations

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def test_only_a_run_that_is_done_and_has_its_collection_can_be_pinned(films: Workspace) -> None:
    waiting = films.runs.enqueue(RunRequest(QUESTION, "films", "hybrid"))
    with pytest.raises(BadInput, match=r"is queued\. Pin one that is done"):
        films.runs.pin(waiting)
    with pytest.raises(Unknown):
        films.runs.pin("nowhere")
    done = films.ask(QUESTION, "films", "hybrid").run
    assert films.runs.pin(done).pinned
    films.collections.delete("films")
    assert not films.runs.get(done).pinned
    with pytest.raises(BadInput, match="was deleted"):
        films.runs.pin(done)
