"""Our component for sections with figures and tables, as Evaluate and Compare have them: shows them
as HTML, and remembers which number was chosen and which run is to be opened.
"""

from __future__ import annotations

from typing import Literal

import streamlit as st

from gear_app.rendering import html
from gear_app.rendering.values import Section
from gear_app.ui.shared import elements
from gear_app.views.markup import Html, tag

Height = Literal["content", "stretch"]
PICK = "evaluate-pick"

_evaluation = elements.component(
    "evaluation", html='<div class="evaluation"></div>', js="evaluation.js", css=html.STYLE
)


def show(section: Section, height: Height = "content") -> None:
    """A card with a heading that states the finding, and what shows it."""
    with st.container(border=True, height=height):
        plain(f"evaluate-{section.key}", html.head(section), *map(html.draw, section.parts))


def plain(key: str, *parts: Html) -> None:
    """Figures and tables without a card."""
    drawn = str(tag("div", *parts))
    _evaluation(
        data={"html": drawn, "selected": chosen()},
        key=key,
        on_pick_change=lambda: _keep(key, "pick", PICK),
    )


def chosen() -> str:
    """The number that was chosen last, in this session or by the address."""
    return str(st.session_state.get(PICK) or st.query_params.get("pick", ""))


def _keep(key: str, name: str, into: str) -> None:
    state = st.session_state.get(key)
    if state and state.get(name):
        st.session_state[into] = state[name]
        if into == PICK:
            st.query_params["pick"] = str(state[name])
