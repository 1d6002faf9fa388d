"""Settings, a section for what a visitor would look for; the address says which one is open."""

from __future__ import annotations

from functools import partial

import streamlit as st

from gear_app.app.settings import costs, index, model
from gear_app.app.shared import elements, session
from gear_app.display import markup
from gear_app.workspace import doctor
from gear_app.workspace.workspace import Workspace

APPEARANCE = (
    "Light or dark follows your system. To choose, open the menu ⋮ at the top right of every page."
)


def page() -> None:
    """Draw the sections as tabs; only what is open is drawn, and asked for."""
    workspace = session.workspace()
    elements.tabs(
        {
            "Language model": model.show,
            "Costs": partial(costs.show, workspace),
            "Index": partial(index.show, workspace),
            "About": partial(_about, workspace),
        },
        "section",
    )


def _about(workspace: Workspace) -> None:
    """Draw what the doctor finds, and where the theme is chosen."""
    findings = list(doctor.examine(workspace))
    st.html(markup.title("About", "as gear-app doctor finds it"))
    wrong = [f"{finding.subject}: {finding.state}." for finding in findings if not finding.ok]
    elements.message(" ".join(wrong), "bad")
    rows = [
        {"": "✓" if finding.ok else "✗", "what": finding.subject, "found": finding.state}
        for finding in findings
    ]
    st.dataframe(rows, hide_index=True, height="content")
    st.caption(APPEARANCE)


page()
