"""Asking on Explore, and what its components are sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Slider

Work = Callable[[], None]


def component(at: AppTest, name: str) -> dict[str, object]:
    """The data of one of our components as the page sends it."""
    for element in at.get("bidi_component"):
        if element.proto.component_name == f"gear_app.{name}":
            data: dict[str, object] = json.loads(element.proto.json)
            return data
    raise AssertionError(f"no {name} on the page")


def asked(at: AppTest, question: str, method: str = "gear") -> AppTest:
    at.text_input(key="question").set_value(question)
    at.selectbox(key="method").set_value(method)
    return at.button(key="run-button").click().run()


def step_slider(at: AppTest) -> Slider[Any]:
    """The slider of the run that is shown; its key is this run's with so many steps."""
    (found,) = (one for one in at.slider if one.label == "Step")
    return found


def rows_of(table: dict[str, object]) -> list[dict[str, Any]]:
    rows = table["rows"]
    assert isinstance(rows, list)
    return rows


def drawn_steps(at: AppTest) -> list[str]:
    """The verbs of the steps of the run that is shown; of each verb the first step and the last have
    been drawn, at the end the last of all.
    """
    steps = component(at, "strip")["steps"]
    assert isinstance(steps, list)
    verbs = [step["verb"] for step in steps]
    last = {verb: number for number, verb in enumerate(verbs)}
    for number in sorted({*map(verbs.index, verbs), *last.values()}):
        step_slider(at).set_value(number + 1).run()
        assert component(at, "strip")["current"] == number
    return verbs
