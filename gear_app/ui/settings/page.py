"""Settings: the language model, what it may take and took, and what is installed."""

from __future__ import annotations

import streamlit as st

from gear_app import doctor
from gear_app.ui.settings import costs, model_card
from gear_app.ui.shared import elements, language_model, session
from gear_app.ui.shared.language_model import READER
from gear_app.views import markup
from gear_app.views.language_models import in_use
from gear_app.workspace import Workspace

ABOUT = ("gear_app", "workspace", "embedder", "worker", "unfinished", "disk")


def page() -> None:
    """What is in use, then a card for everything that can be set."""
    workspace = session.workspace()
    above = st.container()  # drawn last: the cards may change what is in use
    left, right = st.columns([11, 9], gap="medium")
    with left, st.container(border=True):
        model_card.show()
    with right:
        with st.container(border=True):
            costs.budget()
        with st.container(border=True):
            costs.prices(workspace)
        with st.container(border=True):
            costs.replies(workspace)
    with st.container(border=True):
        costs.spent(workspace)
    with st.container(border=True):
        _about(workspace)
    spec = language_model.chosen()
    with above:
        elements.message(
            in_use(spec, st.session_state.get(READER, "local")), "good" if spec else "info"
        )


def _about(workspace: Workspace) -> None:
    """What the doctor finds: the most important in sight, the rest folded away."""
    findings = doctor.examine(workspace)
    st.html(markup.title("About", "as gear-app doctor finds it"))
    elements.message(" ".join(f"{one.what}: {one.found}." for one in findings if not one.ok), "bad")
    st.html(markup.facts([(one.what, one.found) for one in findings if one.what in ABOUT]))
    rows = [{"what": one.what, "as it should be": one.ok, "found": one.found} for one in findings]
    elements.folded_table("All that was looked at", lambda: rows, "about")


page()
