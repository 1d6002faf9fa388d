"""Collections: create, rename or delete one, add documents, and look at what is in it."""

from __future__ import annotations

import streamlit as st

from gear_app.app.collections import contents, documents, entities
from gear_app.app.collections import questions as questions_tab
from gear_app.app.shared import collection, elements, session
from gear_app.core.text import count
from gear_app.display.collections import collection_facts
from gear_app.display.labels import literal
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.workspace import Workspace

IN_CLUSTER = (
    "This collection is in the cluster {}. Explore, Compare and Evaluate search it there. Passages"
    " and triples are changed in the workspace that it was pushed from, questions here."
)
RECORDED = (
    "This collection has only the passages of an imported run, which Explore shows. No run can be"
    " made on it, and nothing in it can be changed."
)


def page() -> None:
    """Draw the chosen collection."""
    workspace = session.workspace()
    infos = {info.name: info for info in workspace.collections.all()}
    if infos:
        _draw(workspace, infos[collection.chosen() or next(iter(infos))])
    else:
        elements.message("This workspace has no collection yet. Create one, then add documents.")
        if not workspace.read_only:
            _create(workspace)


def _draw(workspace: Workspace, info: CollectionInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if info.passages and st.button("Ask it", type="primary", key="ask-collection"):
            st.switch_page(session.EXPLORE, query_params={})
        if not workspace.read_only:
            _changes(workspace, info)
        st.caption(literal(collection_facts(info)))
    if info.cluster:
        elements.message(IN_CLUSTER.format(info.cluster))
        questions_tab.show(workspace, info)
        return
    if info.recorded:
        elements.message(RECORDED)
        contents.passages(workspace, info)
        return
    if not workspace.read_only:
        documents.draw_jobs(workspace, info.name)
    elements.tabs(
        {
            "Documents": lambda: documents.show(workspace, info.name),
            "Passages": lambda: contents.passages(workspace, info),
            "Triples": lambda: contents.triples(workspace, info),
            "Entities": lambda: entities.show(workspace, info),
            "Questions": lambda: questions_tab.show(workspace, info),
        },
        "tab",
    )


def _changes(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw popovers to create, rename and delete; those of another collection are closed."""
    with st.popover("New", key=f"new-popover-{info.name}"):
        _create(workspace)
    with (
        st.popover("Rename", key=f"rename-popover-{info.name}"),
        st.form("rename-collection", border=False),
    ):
        name = st.text_input("New name", key="other-name")
        if st.form_submit_button("Rename", key="rename"):
            with elements.refusals():
                workspace.store.collections.rename(info.name, name)
                _go_to(" ".join(name.split()))
    verb = "Close" if info.cluster else "Delete"
    with st.popover(verb, key=f"delete-popover-{info.name}"):
        _delete(workspace, info, verb)


def _create(workspace: Workspace) -> None:
    with st.form("new-collection", border=False):
        name = st.text_input(
            "Name of the new collection",
            key=elements.field_key("new", "new-name"),
            placeholder="For example: my documents",
        )
        if st.form_submit_button("Create", type="primary", key=elements.field_key("new", "create")):
            with elements.submission("new"):
                workspace.store.collections.create(name)
                _go_to(" ".join(name.split()))


def _delete(workspace: Workspace, info: CollectionInfo, verb: str) -> None:
    words = f"“{info.name}” stays in the cluster. Questions written here are lost."
    if not info.cluster:
        contents_ = f"{count(info.passages, 'passage')} and {count(info.questions, 'question')}"
        runs = "its imported runs go too" if info.recorded else "runs on it stay readable"
        words = f"“{info.name}” has {contents_}. Deleting it cannot be undone; {runs}."
    elements.message(words, "info" if info.cluster else "bad")
    sure = st.checkbox(f"Yes, {verb.lower()} it", key=f"sure-{info.name}")
    if st.button(verb, type="primary", disabled=not sure, key="delete"):
        with elements.refusals():
            workspace.store.collections.delete(info.name)
            _go_to(None)


def _go_to(name: str | None) -> None:
    """Show a collection; None: the first."""
    collection.choose(name)
    st.rerun()


page()
