"""The card of Settings about this installation: what the doctor finds."""

from __future__ import annotations

import streamlit as st

from gear_app import doctor
from gear_app.ui.shared import folded_table, session
from gear_app.views import detail
from gear_app.workspace import Workspace

FIRST = ("gear_app", "workspace", "embedder", "worker", "unfinished", "disk")


def show(workspace: Workspace) -> None:
    """The version, the workspace, the embedder; whether anything is missing; the rest folded
    away.
    """
    found = doctor.examine(workspace)
    st.html(detail.title("About", "as gear-app doctor finds it"))
    session.say(" ".join(f"{one.what}: {one.found}." for one in found if not one.ok), "bad")
    st.html(detail.facts([(one.what, one.found) for one in found if one.what in FIRST]))
    rows = [{"what": one.what, "as it should be": one.ok, "found": one.found} for one in found]
    folded_table.table("All that was looked at", lambda: rows, "about")
