"""Collections: add documents, extract triples, and look at what is there."""

from __future__ import annotations

import streamlit as st

from gear_app.ui.collections import documents, entities, jobs, manage, tables, upload_form
from gear_app.ui.shared import session
from gear_app.views.collections import collection_facts
from gear_app.workspace import CollectionInfo, Workspace

TABS = ["Documents", "Triple sets", "Passages", "Triples", "Entities and graph", "Questions"]


def page() -> None:
    """Choose a collection, and see a tab of it."""
    workspace = session.workspace()
    found = {info.name: info for info in workspace.collections.all()}
    if not found:
        session.say(st.session_state.pop("managed_said", ""), "good")
        session.say("This workspace has no collection yet. Name one, then add documents to it.")
        manage.new(workspace, first=True)
        return
    name = _choose(workspace, found)
    if name is None:
        return
    info = found[name]
    session.say(st.session_state.pop("extract_error", ""), "bad")
    jobs.show(workspace, info.name)
    active = next((one.name for one in info.triple_sets if one.active), None)
    add, sets, passages, triples, names, questions = st.tabs(TABS, key="tab", on_change="rerun")
    if add.open:
        with add:
            upload_form.show(workspace, info.name)
            documents.show(workspace, info.name)
    if sets.open:
        with sets:
            manage.triple_sets(workspace, info)
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


def _choose(workspace: Workspace, found: dict[str, CollectionInfo]) -> str | None:
    """The bar on top: which collection, its counts, and what can be done with it as a whole.

    None when the one in use is gone: nothing else is drawn, so that no form sent for it reaches
    another collection.
    """
    gone = _settle(found)
    done = st.session_state.get("managed", 0)  # another key closes a popover
    with st.container(horizontal=True, vertical_alignment="center"):
        name: str | None = st.selectbox(
            "Collection",
            list(found),
            key="collection-page",
            label_visibility="collapsed",
            width=260,
            placeholder="Choose a collection",
            on_change=_chosen,
        )
        if name is None:
            session.say(
                f"The collection “{gone}” was renamed or deleted elsewhere. Choose another one.",
                "bad",
            )
            return None
        with st.popover("New", key=f"new-popover-{done}"):
            manage.new(workspace)
        with st.popover("Rename", key=f"rename-popover-{done}"):
            manage.rename(workspace, name)
        with st.popover("Delete", key=f"delete-popover-{done}"):
            manage.delete(workspace, found[name])
        st.caption(collection_facts(found[name]))
    session.say(st.session_state.pop("managed_said", ""), "good")
    return name


def _settle(found: dict[str, CollectionInfo]) -> str:
    """Put the collection in use into the selector; the name of one that is gone leaves it empty."""
    state = st.session_state
    using: str = state.pop("chosen", None) or state.get("using") or next(iter(found))
    state["using"] = using
    state["collection-page"] = using if using in found else None
    return using


def _chosen() -> None:
    st.session_state["using"] = st.session_state["collection-page"]


page()
