"""The section Index of Settings: by which model texts are compared, and of every collection what
its index is made of, how large it is, whether it is built; and building it again.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.collections.index_state import ArrayFiles, EncodedTexts, IndexState
from gear_app.embedders import PAPERS, VARIABLE, describe_embedder
from gear_app.errors import GearError
from gear_app.store.rows import CollectionInfo
from gear_app.text import count
from gear_app.ui.shared import elements
from gear_app.views import markup
from gear_app.views.labels import byte_words
from gear_app.workspace import Workspace

FRESH_S = 60.0
CHOSEN, OUTCOME = "index-collection", "index-said"


def show(workspace: Workspace) -> None:
    """What an index is, the index of every collection, and building one again."""
    with st.container(border=True):
        _indices(workspace)


def _indices(workspace: Workspace) -> None:
    st.html(markup.title("Index", "what questions are searched in"))
    st.html(markup.tag("p", WHAT_IT_IS, class_="gear-note"))
    infos = [info for info in workspace.collections.all() if not info.recorded]
    try:
        model = describe_embedder()
        states = {
            info.name: _state(str(workspace.path), *_stamp(workspace, info), _workspace=workspace)
            for info in infos
            if not info.cluster
        }
    except GearError as error:  # the model that the environment names is not to be had
        elements.message(str(error), "bad")
        return
    st.html(
        markup.facts(
            [
                (
                    "Model",
                    f"{model}. Another is chosen for one run, as Encoder among its options, or for"
                    f" all by {VARIABLE} before the server starts: GEAR's own is {PAPERS}, which"
                    " gear-app fetch downloads.",
                ),
                ("Arrays", arrays(workspace.indices.arrays())),
            ]
        )
    )
    if not infos:
        elements.message("This workspace has no collection yet.")
        return
    rows = [cluster_row(info) if info.cluster else row(states[info.name]) for info in infos]
    st.dataframe(rows, hide_index=True, height="content")
    if states:
        _rebuilding(workspace, list(states))


# Counting looks at every text, which takes seconds where there are a million.
@st.cache_data(ttl=FRESH_S, show_spinner="Counting vectors")
def _state(
    path: str, name: str, revision: int, triples: str, done: int, *, _workspace: Workspace
) -> IndexState:
    return _workspace.indices.state(name)


def _stamp(workspace: Workspace, info: CollectionInfo) -> tuple[str, int, str, int]:
    """What changes with the index of a collection: its name, revision and triples in use, and how
    many texts the worker has done.
    """
    active = info.active.name if info.active else ""
    jobs = (job for job in workspace.jobs.recent(info.name) if job.kind == "vectors")
    return info.name, info.revision, active, sum(job.done + job.going for job in jobs)


def _rebuilding(workspace: Workspace, names: list[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox("Collection", names, key=CHOSEN, width=260)
        st.button(
            "Build it again",
            key="index-rebuild",
            help="Vectors that are missing are made, and the arrays beside the file are read from"
            " it anew. Vectors that are there stay: rankings do not change",
            on_click=_rebuild,
            args=(workspace, name),
        )
    sentence, tone = st.session_state.pop(OUTCOME, ("", "info"))
    elements.message(sentence, tone)


def _rebuild(workspace: Workspace, name: str) -> None:
    try:
        workspace.indices.rebuild(name)
    except GearError as error:
        st.session_state[OUTCOME] = (str(error), "bad")
        return
    _state.clear()
    st.session_state[OUTCOME] = (
        f"The index of “{name}” is built by the worker. You can ask meanwhile; Collections shows"
        " how far it is.",
        "good",
    )


WHAT_IT_IS = (
    "What a collection is searched by: the words of its passages and triples for BM25, a vector of"
    " each passage, sentence and triple for meaning, and the mentions that link passages. It lies"
    " in the workspace file and is kept up to date by itself."
)
IN_CLUSTER = "in the cluster"


def status(state: IndexState) -> str:
    """Whether an index is whole, in a few words."""
    if not state.passages.texts:
        return "– empty"
    if state.encoding and not state.missing:
        return "✓ built; names and synonyms follow"
    if state.encoding:
        return f"● being built, {count(state.missing, 'vector')} to come"
    if state.missing:
        return f"○ {count(state.missing, 'vector')} missing, made when asked for"
    return "✓ built"


def row(state: IndexState) -> dict[str, Any]:
    """A line for an index."""
    return {
        "collection": state.collection,
        "index": status(state),
        "passages": _part(state.passages),
        "sentences": _part(state.sentences),
        "triples": _part(state.triples),
        "triple set": state.triple_set or "none in use",
        "vectors": byte_words(state.bytes),
    }


def cluster_row(info: CollectionInfo) -> dict[str, Any]:
    """A line for a collection whose index is in a cluster."""
    triples = info.active
    return {
        "collection": info.name,
        "index": IN_CLUSTER,
        "passages": f"{info.passages:,}",
        "sentences": "",
        "triples": f"{triples.triples:,}" if triples else "0",
        "triple set": triples.name if triples else "none in use",
        "vectors": "",
    }


def arrays(found: ArrayFiles) -> str:
    """What is kept beside the workspace."""
    if not found.files:
        return "No arrays are kept beside the workspace: the first search makes them."
    return (
        f"{count(found.files, 'array')} beside the workspace, {byte_words(found.bytes)}: what is in"
        " the file once more, as memory reads it. They may be deleted at any time."
    )


def _part(part: EncodedTexts) -> str:
    """How many texts there are: "174", or "12 of 174" where not all have a vector."""
    if part.encoded == part.texts:
        return f"{part.texts:,}"
    return f"{part.encoded:,} of {part.texts:,}"
