"""The two components of Compare (gear_app/ui/frontend): rankings side by side, and tables that lead
into runs.

Registered as those in native.py are. What they show comes as data and is set as text. What is
clicked is kept by a callback until the page asks for it: a run of the script that ends early must
not lose it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from gear_app.views.compare.tables import Grid

_aligned = st.components.v2.component(
    "gear_app.aligned", html='<div class="aligned"></div>', js="compare.js", css="compare.css"
)
_grid = st.components.v2.component(
    "gear_app.grid", html='<div class="grid"></div>', js="grid.js", css="compare.css"
)


class Act(NamedTuple):
    """What is asked of a run: "open" it, at a step or where it opens by itself, "stop" it, "drop"
    it, do it "again".
    """

    what: str
    run: str
    step: int | None = None


def aligned(lines: Mapping[str, Any], selected: str | None, key: str) -> str | None:
    """Rankings side by side; the key of the selected passage, `selected` to begin with."""
    state = st.session_state.get(key)
    chosen = (state.get("selected") if state else None) or selected
    if chosen not in {passage["key"] for passage in lines["passages"]}:
        chosen = selected
    _aligned(
        data={**lines, "selected": chosen},
        key=key,
        on_selected_change=_nothing,
        on_act_change=lambda: _keep(key, "act"),
    )
    return chosen


def grid(table: Grid, key: str) -> None:
    """A table; its cells lead into runs."""
    _grid(data=table, key=key, on_go_change=lambda: _keep(key, "go"))


def asked() -> Act | None:
    """What was asked since this was called last."""
    kept = st.session_state.pop("compare-act", None)
    return Act(kept.get("what", "open"), str(kept["run"]), kept.get("step")) if kept else None


def _keep(key: str, name: str) -> None:
    state = st.session_state.get(key)
    if state and state.get(name):
        st.session_state["compare-act"] = dict(state[name])


def _nothing() -> None:
    """A component's state exists only where there is a callback for it."""
