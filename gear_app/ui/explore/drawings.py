"""The three small components of ours (gear_app/ui/frontend): the strip, the beams, a ranking.

They are registered by name; Streamlit finds their files through gear_app/pyproject.toml. What they
show comes as data and is set as text; what was clicked comes back as state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from gear_app.analysis.timeline import Step
from gear_app.views.step_words import label

_strip = st.components.v2.component(
    "gear_app.strip",
    html='<nav class="strip" aria-label="Steps of the run"></nav>',
    js="strip.js",
    css="components.css",
)
_beams = st.components.v2.component(
    "gear_app.beams", html='<div class="beam"></div>', js="beam.js", css="components.css"
)
_flow = st.components.v2.component(
    "gear_app.flow", html='<div class="flow"></div>', js="flow.js", css="flow.css"
)
_ranking = st.components.v2.component(
    "gear_app.ranking", html='<div class="ranking"></div>', js="ranking.js", css="components.css"
)


class Clicked(NamedTuple):
    """What happened in a component in this very run of the script."""

    selected: Any = None
    event: Any = None


def strip(steps: Sequence[Step], current: int, *, live: bool, key: str) -> int | None:
    """The pipeline; the number of the step that was clicked just now."""
    shown = [
        {
            "number": s.number,
            "iteration": s.iteration,
            "verb": s.verb,
            "search": s.search,
            "label": label(s),
            "failed": s.failed,
        }
        for s in steps
    ]
    result = _strip(
        data={"steps": shown, "current": current, "live": live}, key=key, on_go_change=_nothing
    )
    return None if result.go is None else int(result.go)


def beams(graph: Mapping[str, Any], selected: str | None, key: str) -> Clicked:
    """The beam graph; the selected card, and the column whose "+N more" was clicked just now."""
    chosen = _remembered(key, selected)
    result = _beams(
        data={**graph, "selected": chosen},
        key=key,
        on_selected_change=_nothing,
        on_more_change=_nothing,
    )
    return Clicked(result.selected or chosen, result.more)


def flow(graph: Mapping[str, Any], selected: str | None, key: str) -> Clicked:
    """Columns of cards with lines between them; the selected card."""
    chosen = _remembered(key, selected)
    result = _flow(data={**graph, "selected": chosen}, key=key, on_selected_change=_nothing)
    return Clicked(result.selected or chosen)


def ranking(lines: Mapping[str, Any], selected: int | None, key: str, *, markable: bool) -> Clicked:
    """A ranking; the id of the selected passage, and {key, gold} where a gold mark was just
    changed.
    """
    chosen = _remembered(key, selected)
    result = _ranking(
        data={**lines, "selected": chosen, "markable": markable},
        key=key,
        on_selected_change=_nothing,
        on_mark_change=_nothing,
    )
    return Clicked(result.selected or chosen, result.mark)


def _remembered(key: str, otherwise: Any) -> Any:  # noqa: ANN401
    state = st.session_state.get(key)
    return (state.get("selected") if state else None) or otherwise


def _nothing() -> None:
    """A component's state exists only where there is a callback for it."""
