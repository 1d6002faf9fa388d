"""Asking on Explore, and what its components are sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.app.conftest import visit

Work = Callable[[], None]


def component(at: AppTest, name: str) -> dict[str, Any]:
    """The data of one of our components as the page sends it."""
    for element in at.get("bidi_component"):
        if element.proto.component_name == f"gear_app.{name}":
            data: dict[str, Any] = json.loads(element.proto.json)
            return data
    raise AssertionError(f"no {name} on the page")


def asked(at: AppTest, question: str, method: str = "gear") -> AppTest:
    at.text_input(key="question").set_value(question)
    at.selectbox(key="method").set_value(method)
    return at.button(key="run-button").click().run()


def current_step(at: AppTest) -> int:
    """The number of the step that is shown."""
    return int(component(at, "strip")["current"])


def drawn_steps(at: AppTest, run: str) -> list[str]:
    """The verbs of a run's steps; of each verb the first step and the last have been drawn, at the
    end the last of all.
    """
    visit(at, run=run)
    verbs = [step["verb"] for step in component(at, "strip")["steps"]]
    last = {verb: number for number, verb in enumerate(verbs)}
    for number in sorted({*map(verbs.index, verbs), *last.values()}):
        visit(at, run=run, step=str(number))
        assert current_step(at) == number
    return verbs
