"""The section Index of Settings: the index of every collection, and building it again."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.app.shared import collection, elements
from gear_app.core.errors import GearError
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import as_sentence, byte_words, literal
from gear_app.models.embedders import PAPERS, VARIABLE, describe_embedder
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.collections.index_state import EncodedTexts, IndexState
from gear_app.workspace.workspace import Workspace

FRESH_S = 60.0
OUTCOME = "index-outcome"
WHAT_IT_IS = (
    "The words of passages and triples for BM25, a vector of each passage, sentence and triple, and"
    " the names that link passages. It is in the workspace file and kept up to date by itself."
)


def show(workspace: Workspace) -> None:
    """Draw the index of every collection, and a button to build that of the chosen one again."""
    st.html(markup.title("Index", WHAT_IT_IS))
    infos = [info for info in workspace.collections.all() if not info.recorded]
    with elements.refusals():
        arrays = workspace.indices.arrays()
        help_ = f"Another for one run: Encoder among its settings. For all: {VARIABLE}={PAPERS}"
        st.caption(
            f"Model: {literal(describe_embedder())}."
            f" {count(arrays.files, 'array')} in the cache, {byte_words(arrays.bytes)}.",
            help=help_,
        )
        rows = [_row(workspace, info) for info in infos]
        if rows:
            st.dataframe(rows, hide_index=True, height="content")
    sentence, tone = st.session_state.pop(OUTCOME, ("", "info"))
    elements.message(sentence, tone)
    name = collection.chosen()
    if name in [info.name for info in infos if not info.cluster]:
        st.button(
            f"Build the index of “{name}” again",
            key="index-rebuild",
            help="Missing vectors are computed and the cached arrays are read anew",
            on_click=_rebuild,
            args=(workspace,),
        )


# Counting looks at every text, which takes seconds where there are a million.
@st.cache_data(ttl=FRESH_S, show_spinner="Counting vectors")
def _state(
    path: str, name: str, revision: int, triples: str, done: int, *, _workspace: Workspace
) -> IndexState:
    return _workspace.indices.state(name)


def _row(workspace: Workspace, info: CollectionInfo) -> dict[str, Any]:
    active = info.active.name if info.active else ""
    row: dict[str, Any] = {"collection": info.name, "triple set": active or "none in use"}
    if info.cluster:
        return row | {"index": "in the cluster", "passages": f"{info.passages:,}"}
    jobs = (job for job in workspace.jobs.recent(info.name) if job.kind == "vectors")
    done = sum(job.done + job.going for job in jobs)
    path = str(workspace.path)
    state = _state(path, info.name, info.revision, active, done, _workspace=workspace)
    return row | {
        "index": status(state),
        "passages": _part(state.passages),
        "sentences": _part(state.sentences),
        "triples": _part(state.triples),
        "vectors": byte_words(state.bytes),
    }


def _rebuild(workspace: Workspace) -> None:
    name = collection.chosen() or ""
    try:
        workspace.indices.rebuild(name)
    except GearError as error:
        st.session_state[OUTCOME] = (as_sentence(str(error)), "bad")
        return
    _state.clear()
    words = f"The index of “{name}” is built by the worker. Collections shows its progress."
    st.session_state[OUTCOME] = (words, "good")


def status(state: IndexState) -> str:
    """Whether an index is complete, in a few words."""
    if not state.passages.texts:
        return "– empty"
    if state.encoding:
        left = f"{count(state.missing, 'vector')} to come" if state.missing else "names follow"
        return f"● being built, {left}"
    if state.missing:
        return f"○ {count(state.missing, 'vector')} missing, computed when needed"
    return "✓ built"


def _part(part: EncodedTexts) -> str:
    """How many texts there are: "174", or "12 of 174" where not all have a vector."""
    if part.encoded == part.texts:
        return f"{part.texts:,}"
    return f"{part.encoded:,} of {part.texts:,}"
