"""A run whose method does not begin with hybrid search knows what that finds."""

from __future__ import annotations

from gear_app.trace.events import Started
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def test_hipporag_and_griever_keep_what_hybrid_alone_finds(films: Workspace) -> None:
    alone = films.ask(QUESTION, "films", "hybrid")
    for method in ("hipporag", "griever", "ircot:hipporag"):
        begun = films.ask(QUESTION, "films", method).events[0]
        assert isinstance(begun, Started)
        assert list(begun.hybrid) == [passage.key for passage in alone.ranking[:20]], method
