"""Runs that are cancelled or fail keep what happened and say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import Cancelled, ModelFailed
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event, Failed, Retrieved
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import filled


def test_a_cancelled_run_keeps_what_happened(films: Workspace) -> None:
    def cancel_after_first_retrieval(event: Event) -> None:
        if isinstance(event, Retrieved):
            films.runs.cancel(films.runs.recent()[0].id)

    with pytest.raises(Cancelled):
        films.ask(QUESTION, "films", "gear", emit=cancel_after_first_retrieval)
    run = films.runs.recent()[0]
    assert (run.state, run.message) == ("cancelled", "Cancelled. What happened so far is kept.")
    assert [type(event).__name__ for event in films.runs.events(run.id)] == ["Started", "Retrieved"]


class Broken(HashingEmbedder):
    """Fails on everything it has not seen at once."""

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        if any("Who broke" in text for text in texts):
            raise ModelFailed("the model is broken")
        if any("bug" in text for text in texts):
            raise TypeError("a bug")
        return super().embed(texts)


def test_a_failed_run_says_why_and_is_kept(tmp_path: Path) -> None:
    made = filled(tmp_path)
    made = Workspace(made.path, embedder=Broken())
    with pytest.raises(ModelFailed):
        made.ask("Who broke it?", "films", "dense")
    run = made.runs.recent()[0]
    assert (run.state, run.message) == ("failed", "the model is broken")
    assert made.runs.events(run.id)[-1] == Failed("", "the model is broken", iteration=0)
    with pytest.raises(TypeError):
        made.ask("What bug?", "films", "dense")
    assert (made.runs.recent()[0].state, made.runs.recent()[0].message) == (
        "failed",
        "An error in the application: TypeError: a bug",
    )
