"""Explore, the front page: ask, and watch the run step by step."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.explore import question_bar, run
from gear_app.ui.shared import elements, session
from gear_app.views.labels import as_sentence
from gear_app.workspace import RunInfo, Workspace


def page() -> None:
    """The bar, and under it the run of the address, of this session, or the latest finished one."""
    workspace = session.workspace()
    collections = workspace.collections.all()
    if not collections:
        elements.message(
            "This workspace is empty. Add documents on the page Collections, or run: gear-app demo"
        )
        st.page_link(session.COLLECTIONS, label="Go to Collections", icon=":material/library_add:")
        if session.current_run() and (old := _shown(workspace)):  # of a collection that was deleted
            run.show(workspace, old.id)
        return
    shown = _shown(workspace)
    question_bar.bar(workspace, collections, shown)
    empty = session.empty_collection()
    if shown is None and empty:
        elements.message(
            f"Nothing has been asked of “{empty}” yet. Ask something of it, then press Run."
        )
        return
    if shown is None:
        elements.message(
            "Nothing has been asked yet. Type a question or pick one under Questions, then press"
            " Run."
        )
        return
    run.show(workspace, shown.id)


def _shown(workspace: Workspace) -> RunInfo | None:
    """The run of the address or session, else the latest; None where a collection has none."""
    wanted = session.current_run()
    if wanted:
        try:
            named = workspace.runs.get(workspace.runs.find_id(wanted))
        except GearError as error:
            elements.message(
                f"{as_sentence(str(error))} The address names no run of this workspace; here is the"
                " latest one.",
                "bad",
            )
        else:
            session.remember(named.id)
            return named
    if session.empty_collection():
        return None
    newest = question_bar.latest(workspace.runs.recent(limit=20))
    if newest:
        session.remember(newest.id)
    return newest


page()
