"""The questions that a collection suggests of itself, as buttons that fill the question in."""

from __future__ import annotations

import streamlit as st

from gear_app.app.shared import address, elements
from gear_app.display.labels import literal
from gear_app.display.start import suggested
from gear_app.models.reader.roles import SUGGEST, ReaderRequest
from gear_app.models.suggestions import Suggestion, joined, suggest
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
    " or its text is not English. A language model that is chosen on the page Settings can be asked"
    " for questions on the page Collections, tab Questions."
)
IN_CLUSTER = (
    "No question is suggested: its passages are in a cluster, and suggestions are made of passages"
    " that are here. Ask for anything that a passage says, in your own words."
)
RECORDED = "It has only the passages of an imported run: nothing is asked of it."
FROM_COLLECTION = "Questions of the collection, which come with it."
UNCHECKED = "Each is made from what its passages say. No person has checked it."


def questions(
    workspace: Workspace, info: CollectionInfo
) -> tuple[list[Suggestion], str, ReaderRequest[list[Suggestion]]]:
    """The collection's suggestions, best first, computed once for each state of the passages and
    triples; why there are none; and the request to a language model for more.
    """
    if info.cluster:
        return [], IN_CLUSTER, ReaderRequest(SUGGEST)
    if info.recorded:
        return [], RECORDED, ReaderRequest(SUGGEST)
    state = f"{info.id} {info.revision} {info.active}"
    computed, request = _computed(str(workspace.path), info.name, state, _workspace=workspace)
    reason = NONE_FOUND if info.active and info.active.triples else NO_TRIPLES
    return computed, "" if computed else reason, request


@st.cache_resource(max_entries=32, show_spinner="Looking for questions to suggest")
def _computed(
    path: str, collection: str, state: str, *, _workspace: Workspace
) -> tuple[list[Suggestion], ReaderRequest[list[Suggestion]]]:
    sources = _workspace.collections[collection].suggestion_sources()
    return suggest(*sources), ReaderRequest(SUGGEST, passages=joined(*sources))


def invite(workspace: Workspace, collection: str) -> None:
    """Ways on where no run is shown: ask what is filled in, one of three suggestions, or, where
    there are none, of the collection's own questions.
    """
    if st.session_state.pop(FILLED_IN, None):
        elements.message("The question is filled in above. Press Run to ask it.")
        return
    suggestions, reason, _ = questions(workspace, workspace.collections.get(collection))
    offered = {suggestion.question: suggestion.keys for suggestion in suggestions[:LISTED]}
    if not suggestions:
        listed = suggested(workspace.collections[collection].questions(), "")
        offered = {question.question: () for question, _ in listed}
    if not offered:
        elements.message(
            f"Nothing has been asked of “{collection}” yet. Ask something of it, then press Run."
            f" {reason}"
        )
        return
    elements.message(f"Nothing has been asked of “{collection}” yet. Try:")
    for number, (words, keys) in enumerate(offered.items()):
        st.button(
            literal(words),
            key=f"suggested-{number}",
            on_click=fill_in,
            args=(collection, words, keys),
        )
    st.caption(UNCHECKED if suggestions else FROM_COLLECTION)


def fill_in(collection: str, question: str, keys: tuple[str, ...] = ()) -> None:
    """Put a question into Explore's field, of this collection, and show no run; `keys` are the
    passages that a suggested one is made of.
    """
    address.open_run("")
    st.session_state.update(
        {
            "question": question,
            "seeded": collection,
            FILLED_IN: True,
            EXPECTED: (collection, question, keys),
        }
    )


def expected(collection: str, question: str) -> tuple[str, ...]:
    """The passages that a question is made of, where it was filled in as a suggestion."""
    *origin, keys = st.session_state.get(EXPECTED, ("", "", ()))
    return keys if origin == [collection, question] else ()
