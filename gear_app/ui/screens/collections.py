"""Collections: add documents, extract triples, and look at what is there."""

from __future__ import annotations

import streamlit as st

from gear_app.ui import session
from gear_app.ui.components import adding, documents, entities, jobs, managing, tables
from gear_app.views.collections import count
from gear_app.workspace import CollectionInfo, Workspace

TABS = ["Documents", "Triple sets", "Passages", "Triples", "Entities and graph", "Questions"]


def page() -> None:
    """Choose a collection, and see a tab of it."""
    workspace = session.workspace()
    found = {info.name: info for info in workspace.collections()}
    if not found:
        session.say("This workspace has no collection yet. Name one, then add documents to it.")
        managing.new(workspace, first=True)
        return
    info = found[_choose(workspace, found)]
    session.say(st.session_state.pop("extract_error", ""), "bad")
    jobs.show(workspace, info.name)
    active = next((one.name for one in info.triple_sets if one.active), None)
    add, sets, passages, triples, names, questions = st.tabs(TABS, key="tab", on_change="rerun")
    if add.open:
        with add:
            adding.show(workspace, info.name)
            documents.show(workspace, info.name)
    if sets.open:
        with sets:
            managing.triple_sets(workspace, info)
    if passages.open:
        with passages:
            tables.passages(workspace, info.name)
    if triples.open:
        with triples:
            tables.triples(workspace, info.name, active)
    if names.open:
        with names:
            entities.show(workspace, info.name, active)
    if questions.open:
        with questions:
            tables.questions(workspace, info.name)


def _choose(workspace: Workspace, found: dict[str, CollectionInfo]) -> str:
    """The bar on top: which collection, its counts, and what can be done with it as a whole."""
    state = st.session_state
    wanted = state.pop("chosen", None)
    if wanted in found:
        state["collection-page"] = wanted
    if state.get("collection-page") not in found:
        state["collection-page"] = next(iter(found))
    with st.container(horizontal=True, vertical_alignment="center"):
        name = st.selectbox("Collection", list(found), key="collection-page", label_visibility="collapsed", width=260)
        with st.popover("New"):
            managing.new(workspace)
        with st.popover("Rename"):
            managing.rename(workspace, name)
        with st.popover("Delete"):
            managing.delete(workspace, found[name])
        info = found[name]
        st.caption(
            f"{count(info.documents, 'document')} · {count(info.passages, 'passage')}"
            f" · {count(info.questions, 'question')} · {count(len(info.triple_sets), 'triple set')}"
            f" · revision {info.revision}"
        )
    return name


page()
