"""A question set: made from a list of questions, and shown on Evaluate."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.app.shared import elements, session, visitors
from gear_app.core.text import count
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.service import EvaluationService
from gear_app.workspace.workspace import Workspace

WORDS = "Make a question set of"
HELP = (
    "An evaluation of these questions alone, which remembers what is found now. After a fix"
    " (other triples, other passages, a new version of a method) it makes the runs again and shows"
    " before and after."
)


def offer(
    workspace: Workspace,
    key: str,
    number: int,
    make: Callable[[], Definition],
) -> None:
    """A button that makes a set of so many and goes to it. `make` may raise GearError."""
    words = f"{WORDS} {'this' if number == 1 else 'these'} {count(number, 'question')}"
    disabled = not number or workspace.read_only
    if st.button(words, key=key, icon=":material/playlist_add:", help=HELP, disabled=disabled):
        with elements.refusals():
            _go(workspace, make())


def _go(workspace: Workspace, definition: Definition) -> None:
    """Keep the set and show it. Where a language model is asked nothing begins by itself: *Go on*
    tells first what it would take, and asks for a cap.
    """
    service = EvaluationService(workspace, visitors.rights())
    evaluation = service.create(definition, session.owner())
    if not definition.needs_model:
        service.start(evaluation)
    st.session_state["evaluation"] = evaluation
    for name in ("pick", "baseline", "highlight"):
        st.query_params.pop(name, None)
    st.switch_page(session.EVALUATE, query_params={"evaluation": evaluation})
