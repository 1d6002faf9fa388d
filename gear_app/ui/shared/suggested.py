"""The questions that a collection suggests of itself, as buttons that fill the question in."""

from __future__ import annotations

import streamlit as st

from gear_app.ui.shared import elements, session
from gear_app.workspace import CollectionInfo, Suggestion, Workspace

SHOWN = 3
FILLED_IN = "question-filled-in"
NO_TRIPLES = (
    "Questions are suggested from triples, and there are none yet. Extract them on the page"
    " Collections, tab Triple sets."
)
NONE_FOUND = (
    "No two triples of its passages make a question that reads well, so none is suggested. This is"
    " usual for notes and lists, and for text that is not English."
)


def questions(
    workspace: Workspace, info: CollectionInfo, limit: int = SHOWN
) -> tuple[list[Suggestion], str]:
    """The best suggestions, computed once for each state of the triples; or why there are none."""
    active = next((one for one in info.triple_sets if one.active), None)
    if active is None or not active.triples:
        return [], NO_TRIPLES
    state = f"{info.revision}-{active.name}-{active.triples}"
    found = _computed(str(workspace.path), info.name, state, _workspace=workspace)
    return found[:limit], "" if found else NONE_FOUND


@st.cache_resource(max_entries=32, show_spinner="Looking for questions to suggest")
def _computed(path: str, collection: str, state: str, *, _workspace: Workspace) -> list[Suggestion]:
    return _workspace.collections.suggestions(collection)


def invite(workspace: Workspace, collection: str) -> None:
    """What to do where no run is shown: ask what is filled in, or one of three suggestions."""
    if st.session_state.pop(FILLED_IN, None):
        elements.message("The question is filled in above. Press Run to ask it.")
        return
    found, why = questions(workspace, workspace.collections.get(collection))
    if not found:
        elements.message(
            f"Nothing has been asked of “{collection}” yet. Ask something of it, then press Run."
            f" {why}"
        )
        return
    elements.message(f"Nothing has been asked of “{collection}” yet. Try:")
    for number, one in enumerate(found):
        st.button(
            one.question,
            key=f"suggested-{number}",
            on_click=fill_in,
            args=(collection, one.question),
        )
    st.caption(
        "Each is made of two of its triples and needs both their passages. No person checked it."
    )


def fill_in(collection: str, question: str) -> None:
    """Put a question into Explore's field, of this collection, and show no run."""
    session.open_empty(collection)
    st.session_state.update(
        {"collection": collection, "question": question, FILLED_IN: True, "seeded": None}
    )
