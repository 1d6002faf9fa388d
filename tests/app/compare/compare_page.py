"""The page Compare as a visitor uses it and reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from gear_app.display.comparison_tables import Entry
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import visit
from tests.app.explored import component

Work = Callable[[], None]


def lines(at: AppTest) -> dict[str, Any]:
    """The data of the rankings side by side."""
    return component(at, "aligned")


def heads(at: AppTest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lines(at)["columns"]
    return found


def runs_of(at: AppTest) -> list[str]:
    return str(at.query_params["runs"]).split(",") if "runs" in at.query_params else []


def compared(at: AppTest, *methods: str, question: str = factories.QUESTION) -> AppTest:
    at.run()
    at.text_input(key="compare-question").set_value(question)
    at.multiselect(key="compare-entries").set_value([Entry(method) for method in methods])
    return at.button(key="compare-button").click().run()


def asked(world: Workspace, *methods: str, question: str = factories.QUESTION) -> list[str]:
    """The ids of a run of the question by each method."""
    return [world.ask(question, "demo", method).run for method in methods]


def open_runs(at: AppTest, *ids: str) -> None:
    """The page with these runs in its address."""
    visit(at, runs=",".join(ids))


def chosen_methods(at: AppTest) -> list[str]:
    return [entry.method for entry in at.multiselect(key="compare-entries").value]
