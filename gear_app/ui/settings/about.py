"""The section About of Settings: versions, the workspace, and how the pages look."""

from __future__ import annotations

import streamlit as st

from gear_app import doctor
from gear_app.ui.shared import elements
from gear_app.views import markup
from gear_app.workspace import Workspace

SHOWN = ("gear_app", "workspace", "embedder", "worker", "unfinished", "disk")
APPEARANCE = (
    "Light or dark follows your system. To choose, open the menu ⋮ at the top right of every page."
)


def show(workspace: Workspace) -> None:
    """What the doctor finds: the most important in sight, the rest folded away."""
    with st.container(border=True):
        _about(workspace)
    with st.container(border=True):
        st.html(markup.title("Appearance"))
        st.html(markup.tag("p", APPEARANCE))


def _about(workspace: Workspace) -> None:
    findings = doctor.examine(workspace)
    st.html(markup.title("About", "as gear-app doctor finds it"))
    elements.message(" ".join(f"{one.what}: {one.found}." for one in findings if not one.ok), "bad")
    st.html(markup.facts([(one.what, one.found) for one in findings if one.what in SHOWN]))
    rows = [{"what": one.what, "as it should be": one.ok, "found": one.found} for one in findings]
    elements.folded_table("All that was looked at", lambda: rows, "about")
