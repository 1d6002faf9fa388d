"""Calls of a language model on the pages Explore and Compare, on runs made of given events."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from gear_app.trace.events import Called, Event, Ranked, Read, Retrieved, Started
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.played import played

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
FOLD = "Model calls of this step"


def call(reply: str, **changes: Any) -> Called:
    facts: dict[str, Any] = {"input_tokens": 1000, "output_tokens": 20, "ms": 840.0, "cost": None}
    return Called(
        "read", "tiny", "0123", f"The prompt. {EVIL}", reply, step="read", **facts | changes
    )


def sync(*between: Event) -> list[Event]:
    found = factories.ranked(["clifton", "marc"])
    return [
        Started(factories.QUESTION, "sync_ge", reader="llm"),
        Retrieved(factories.QUESTION, "hybrid", found),
        *between,
        Ranked(found, iteration=0),
    ]


def shown(app: AppTest, run: str, step: int) -> AppTest:
    return visit(app, run=run, step=str(step))


def folds(app: AppTest) -> list[str]:
    return [one.label for one in app.expander if one.label.startswith(FOLD)]


def test_a_step_shows_its_calls_and_only_its_own(world: Workspace, app: AppTest) -> None:
    run = played(
        world, "sync_ge", sync(call("one"), call("two"), Read("sync", factories.QUESTION, ()))
    )
    assert folds(shown(app, run, 0)) == []
    assert folds(shown(app, run, 1)) == [f"{FOLD} (2)"]
    assert "The prompt." not in sentences(app)  # not sent before somebody opens it
    assert folds(shown(app, run, 2)) == []
    assert "2 calls of tiny · 2,000 + 40 tokens in + out · cost: price not known" in sentences(app)
