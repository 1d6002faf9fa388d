"""A variant is the run that somebody makes with that change, event by event, and stores nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.workspace import RunChange, RunVariant, Workspace

DEMO = Path(__file__).parents[2] / "data" / "demo"
METHODS = ("hybrid", "chain", "naive_ge", "sync_ge", "gear", "hipporag", "griever", "ircot", "bdtr")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The demo collection with its curated triples and hashed vectors."""
    path = tmp_path_factory.mktemp("what-if") / "workspace.db"
    workspace = Workspace(path, embedder=HashingEmbedder())
    workspace.import_path(DEMO, "demo")
    yield workspace
    workspace.close()


def made(workspace: Workspace, run: str, change: RunChange) -> RunVariant:
    """The run with the change as somebody makes it, in the shape of a variant."""
    asked = workspace.what_if.request(run, change)
    answer = workspace.runner.ask(asked)
    return RunVariant(run, change, answer.events, answer.ms)
