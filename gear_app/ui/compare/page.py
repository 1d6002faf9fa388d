"""Compare: one question, up to eight methods, side by side."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError, StoreFailed
from gear_app.runs.comparison import comparable
from gear_app.store.rows import RunInfo
from gear_app.ui.compare import question_bar, results
from gear_app.ui.shared import collection, elements, session
from gear_app.views.compare.entries import MOST
from gear_app.workspace import Workspace

STYLE = session.UI / "compare.css"


def page() -> None:
    """The bar, and under it the runs of the address, those compared last, or runs to begin with."""
    st.html(STYLE)
    workspace = session.workspace()
    collections = workspace.collections.all()
    if not collections:
        session.tell_empty()
        if runs := _shown(workspace):  # of collections that were deleted
            results.show(workspace, [run.id for run in runs])
        return
    info = next((one for one in collections if one.name == collection.chosen()), None)
    if session.compared() is None and info:
        session.compare(question_bar.first_comparison(workspace, info))
    runs = _shown(workspace)
    question_bar.bar(workspace, info, runs)
    if runs:
        results.show(workspace, [run.id for run in runs])
    else:
        question_bar.invitation(workspace, info)


def _shown(workspace: Workspace) -> list[RunInfo]:
    """The runs to show; the address forgets the others, and sentences say which and why."""
    runs, unknown = [], []
    for id_ in session.compared() or ():
        try:
            run = workspace.runs.get(workspace.runs.find_id(id_))
            session.events(workspace, run)
            runs.append(run)
        except StoreFailed as error:
            elements.message(f"{id_[:20]} is left out. {error}", "bad")
        except GearError:
            unknown.append(id_[:20])
    alike, others = comparable(runs)
    shown = alike[:MOST]
    if unknown:
        elements.message(f"Not in this workspace, so left out: {', '.join(unknown[:MOST])}.", "bad")
    if others:
        words = ", ".join(run.id for run in others[:MOST])
        elements.message(
            f"Left out, because they ask another question or another collection: {words}.", "bad"
        )
    if len(alike) > MOST:
        elements.message(f"{len(alike)} runs were named; the first {MOST} are shown.", "bad")
    session.compare([run.id for run in shown])
    return shown


page()
