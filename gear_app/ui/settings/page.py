"""Settings: which language model reads and with whose key, what it may take and took, and what is
installed.
"""

from __future__ import annotations

import streamlit as st

from gear_app.ui.settings import about, costs, model_card
from gear_app.ui.shared import session
from gear_app.ui.shared.chosen_model import READER
from gear_app.views.language_model import in_use


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
            costs.kept(workspace)
    with st.container(border=True):
        costs.spent(workspace)
    with st.container(border=True):
        about.show(workspace)
    spec = session.language()
    with above:
        session.say(in_use(spec, st.session_state.get(READER, "local")), "good" if spec else "info")


page()
