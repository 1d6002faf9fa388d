"""The questions that a collection suggests of itself, as buttons that fill the question in."""

from __future__ import annotations

import streamlit as st

from gear_app.app.shared import address, elements
from gear_app.display.start import suggested
from gear_app.models.suggestions import Suggestion
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.workspace import Workspace

LISTED = 3
FILLED_IN = "question-filled-in"
EXPECTED = "passages-expected"
NO_TRIPLES = (
    "No question can be suggested yet, because the collection has no triples. Extract them on the"
    " page Collections, tab Triples."
)
NONE_FOUND = (
    "No question is suggested: the templates fit none of the triples and fields of this collection,"
    " or its text is not English."
)
IN_CLUSTER = (
    "No question is suggested: its passages are in a cluster, and suggestions are made of passages"
    " that are here. Ask for anything that a passage says, in your own words."
)
RECORDED = "It has only the passages of an imported run: nothing is asked of it."
FROM_COLLECTION = "Questions of the collection, which come with it."
UNCHECKED = "Each is made from what its passages say. No person has checked it."


def questions(workspace: Workspace, info: CollectionInfo) -> tuple[list[Suggestion], str]:
    """The collection's suggestions, best first, computed once for each state of the passages and
    triples; or why there are none.
    """
    if info.cluster:
        return [], IN_CLUSTER
    if info.recorded:
        return [], RECORDED
    active = info.active
    triples = active.triples if active else 0
    state = f"{info.revision}-{active.name if active else ''}-{triples}"
    suggestions = _computed(str(workspace.path), info.name, state, _workspace=workspace)
    if suggestions:
        return suggestions, ""
    return [], NONE_FOUND if triples else NO_TRIPLES


@st.cache_resource(max_entries=32, show_spinner="Looking for questions to suggest")
def _computed(path: str, collection: str, state: str, *, _workspace: Workspace) -> list[Suggestion]:
    return _workspace.collections[collection].suggestions()


def invite(workspace: Workspace, collection: str) -> None:
    """Ways on where no run is shown: ask what is filled in, one of three suggestions, or, where
    there are none, of the collection's own questions.
    """
    if st.session_state.pop(FILLED_IN, None):
        elements.message("The question is filled in above. Press Run to ask it.")
        return
    suggestions, reason = questions(workspace, workspace.collections.get(collection))
    offered, caption = (
        [(suggestion.question, suggestion.keys) for suggestion in suggestions[:LISTED]],
        UNCHECKED,
    )
    if not offered:
        listed = suggested(workspace.collections[collection].questions(), "")
        offered, caption = [(question_.question, ()) for question_, _ in listed], FROM_COLLECTION
    if not offered:
        elements.message(
            f"Nothing has been asked of “{collection}” yet. Ask something of it, then press Run."
            f" {reason}"
        )
        return
    elements.message(f"Nothing has been asked of “{collection}” yet. Try:")
    for number, (question, keys) in enumerate(offered):
        st.button(
            question,
            key=f"suggested-{number}",
            on_click=fill_in,
            args=(collection, question, keys),
        )
    st.caption(caption)


def fill_in(collection: str, question: str, keys: tuple[str, ...] = ()) -> None:
    """Put a question into Explore's field, of this collection, and show no run; `keys` are the
    passages that a suggested one is made of.
    """
    address.open_run("")
    st.session_state.update({"question": question, FILLED_IN: True, "seeded": collection})
    st.session_state[EXPECTED] = (collection, question, keys)


def expected(collection: str, question: str) -> tuple[str, ...]:
    """The passages that a question is made of, where it was filled in as a suggestion."""
    *origin, keys = st.session_state.get(EXPECTED, ("", "", ()))
    return keys if origin == [collection, question] else ()
