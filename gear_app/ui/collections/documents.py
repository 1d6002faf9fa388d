"""The documents of a collection, and a way to take one out again."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import session
from gear_app.views import collections as views
from gear_app.workspace import Workspace


def show(workspace: Workspace, collection: str) -> None:
    """The documents as a table; the chosen one can be deleted, after a question."""
    found = workspace.collections.documents(collection)
    if not found:
        session.say(
            "This collection has no documents of its own; add some above. Imported passages are on"
            " the tab Passages."
        )
        return
    event: Any = st.dataframe(
        views.documents(found),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="documents-table",
    )
    rows = event.selection.rows
    if rows and rows[0] < len(found):
        chosen = found[rows[0]]
        with st.container(horizontal=True, vertical_alignment="center"):
            sure = st.checkbox(
                "Delete the chosen document with its passages and triples",
                key=f"sure-document-{chosen.id}",
            )
            if st.button("Delete document", disabled=not sure, key="delete-document"):
                _delete(workspace, collection, chosen.id)


def _delete(workspace: Workspace, collection: str, document_id: int) -> None:
    try:
        workspace.collections.delete_document(collection, document_id)
    except GearError as error:
        session.say(str(error), "bad")
        return
    st.rerun()
