"""Collections themselves: make, rename, delete (after a question), choose the triple set."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.text import count
from gear_app.ui.collections import extraction_form, shortfalls
from gear_app.ui.shared import session
from gear_app.views import collections as views
from gear_app.workspace import CollectionInfo, Workspace


def new(workspace: Workspace, *, first: bool = False) -> None:
    """A form for a new collection; on an otherwise empty page it stands alone."""
    with st.form("new-collection", border=first, clear_on_submit=True):
        name = st.text_input(
            "Name of the new collection", key="new-name", placeholder="For example: my documents"
        )
        if st.form_submit_button("Create", type="primary", key="create"):
            try:
                workspace.create_collection(name)
            except GearError as error:
                session.say(str(error), "bad")
                return
            _done(" ".join(name.split()), "“{}” was created.")


def rename(workspace: Workspace, collection: str) -> None:
    """A form for another name."""
    with st.form("rename-collection", border=False):
        name = st.text_input("New name", key="other-name")
        if st.form_submit_button("Rename", key="rename"):
            try:
                workspace.rename_collection(collection, name)
            except GearError as error:
                session.say(str(error), "bad")
                return
            _done(" ".join(name.split()), f"“{collection}” is now called “{{}}”.")


def _done(chosen: str | None, sentence: str) -> None:
    """Close the popovers, go on with a collection (None: the first there is), and say what was
    done.
    """
    state = st.session_state
    state["managed"] = state.get("managed", 0) + 1
    state["managed_said"] = sentence.replace("{}", chosen or "")
    state["chosen"] = chosen
    state["using"] = None
    st.rerun()


def delete(workspace: Workspace, info: CollectionInfo) -> None:
    """Ask back, naming what would be lost; then delete."""
    session.say(
        f"“{info.name}” has {count(info.passages, 'passage')} and"
        f" {count(info.questions, 'question')}. Deleting it cannot be undone; runs made on it"
        " stay readable.",
        "bad",
    )
    sure = st.checkbox("Yes, delete it", key=f"sure-{info.name}")
    if st.button("Delete", type="primary", disabled=not sure, key="delete"):
        try:
            workspace.delete_collection(info.name)
        except GearError as error:
            session.say(str(error), "bad")
            return
        _done(None, f"“{info.name}” was deleted.")


def triple_sets(workspace: Workspace, info: CollectionInfo) -> None:
    """The sets as a table, which one runs use, extraction, and the passages that fell short."""
    if info.triple_sets:
        st.dataframe(views.triple_sets(info.triple_sets), hide_index=True)
        names = [found.name for found in info.triple_sets]
        active = next((place for place, found in enumerate(info.triple_sets) if found.active), 0)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                "Set that runs use", names, index=active, key="active-set", width=320
            )
            if st.button("Use this set", disabled=chosen == names[active], key="activate"):
                workspace.activate(info.name, chosen)
                st.rerun()
    else:
        session.say("No triples yet. Extract them, or import a file of ready-made ones.")
    extraction_form.form(workspace, info)
    shortfalls.show(workspace, info)
