"""The section Index of Settings: the indices of all collections, here and in a cluster, in a table.

The address of a cluster is the environment's or typed; its login is the environment's alone. No
cluster is asked before a visitor presses Connect, but for the one that the environment names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from gear_app.app.shared import elements, visitors
from gear_app.core.errors import GearError
from gear_app.core.text import count
from gear_app.display import collections as views
from gear_app.display import markup
from gear_app.display.collections import ClusterRow
from gear_app.display.labels import as_sentence, byte_words, literal
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.index.opensearch.cluster import URL, address_of
from gear_app.models.embedders import PAPERS, VARIABLE, describe_embedder
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.corpus.corpora import IndexState
from gear_app.workspace.workspace import Workspace

FRESH_S = 60.0
ADDRESS, CLUSTER, OUTCOME = "cluster-address", "cluster-answer", "index-outcome"
WHAT_IT_IS = (
    "The words of passages and triples for BM25, a vector of each passage, sentence and triple, and"
    " the names that link passages. It is in the workspace file and kept up to date by itself."
)
CLUSTERS = (
    "A collection that outgrows this machine is searched in an OpenSearch cluster: the same methods"
    " with OpenSearch's BM25. It is pushed there by gear-app index push, and opened here."
)
ELSEWHERE = (
    "From another machine only the cluster that the server's environment names can be used; it"
    f" names none ({URL})."
)


class ClusterAnswer(NamedTuple):
    """The last answer of a cluster in this session, or why there is none (`failure`)."""

    address: str
    version: str = ""
    indices: Sequence[StoredIndex] = ()
    failure: str = ""


def show(workspace: Workspace) -> None:
    """Draw the table, buttons for the chosen row, and the form for a cluster."""
    st.html(markup.title("Index", WHAT_IT_IS))
    elements.message(*st.session_state.pop(OUTCOME, ("", "info")))
    answer: ClusterAnswer | None = st.session_state.get(CLUSTER)
    if answer is None and _environment():
        answer = st.session_state[CLUSTER] = _ask(workspace, _environment())
    infos = [info for info in workspace.collections.all() if not info.recorded]
    indices: list[ClusterRow] = []
    if answer and not answer.failure:
        indices = views.rows(answer.indices, workspace.remote().opened(answer.address))
    infos = [info for info in infos if info.name not in {row.name for row in indices}]
    with elements.refusals():
        rows = [_row(workspace, info) for info in infos]
        rows += [_cluster_row(row, answer.address) for row in indices if answer]
        if rows:
            place = elements.table_with_choice(rows, f"indices-{len(rows)}")
            if place < len(infos):
                _rebuild_button(workspace, infos[place])
            elif answer:
                _cluster_buttons(workspace, answer.address, indices[place - len(infos)])
        arrays = workspace.corpora.folder.sizes()
        st.caption(
            f"Vectors are of {literal(describe_embedder())};"
            f" {count(len(arrays), 'array')} in the cache, {byte_words(sum(arrays))}.",
            help=f"Another for one run: Encoder among its settings. For all: {VARIABLE}={PAPERS}",
        )
    with st.container(border=True):
        st.html(markup.title("Cluster", CLUSTERS))
        if visitors.is_home():
            _form(workspace)
        elif not _environment():
            elements.message(ELSEWHERE)
        if answer and answer.failure:
            elements.message(answer.failure, "bad")
        elif answer:
            elements.message(f"OpenSearch {answer.version} answers at {answer.address}.", "good")


# Counting looks at every text, which takes seconds where there are a million.
@st.cache_data(max_entries=64, ttl=FRESH_S, show_spinner="Counting vectors")
def _state(
    path: str, name: str, revision: int, triples: str, done: int, *, _workspace: Workspace
) -> IndexState:
    return _workspace.corpora.state(name)


def _row(workspace: Workspace, info: CollectionInfo) -> dict[str, Any]:
    active = info.active.name if info.active else ""
    row: dict[str, Any] = {"collection": info.name, "where": info.cluster or "here"}
    if info.cluster:
        return row | {"index": "in a cluster", "passages": f"{info.passages:,}"}
    jobs = [job for job in workspace.jobs.recent(info.name) if job.kind == "vectors"]
    encoding, done = any(job.going for job in jobs), sum(job.done + job.going for job in jobs)
    path = str(workspace.path)
    state = _state(path, info.name, info.revision, active, done, _workspace=workspace)
    return row | {
        "index": status(state, encoding=encoding),
        "triple set": active or "none in use",
        "passages": _part(state.texts["passages"]),
        "sentences": _part(state.texts["sentences"]),
        "triples": _part(state.texts["triples"]),
        "size": byte_words(state.bytes),
    }


def _cluster_row(row: ClusterRow, address: str) -> dict[str, Any]:
    facts = row.stored.facts
    return {
        "collection": facts.collection,
        "where": address,
        "index": f"{row.place_words} · {views.HEALTH.get(row.stored.health, row.stored.health)}",
        "triple set": facts.triple_set or "none",
        "passages": f"{facts.passages:,}",
        "triples": f"{facts.triples:,}",
        "size": byte_words(row.stored.bytes),
    }


def status(state: IndexState, *, encoding: bool) -> str:
    """Whether an index is complete, or the worker is `encoding` what is missing, in a few words."""
    if not state.texts["passages"][0]:
        return "– empty"
    if encoding:
        left = f"{count(state.missing, 'vector')} to come" if state.missing else "names follow"
        return f"● being built, {left}"
    if state.missing:
        return f"○ {count(state.missing, 'vector')} missing, computed when needed"
    return "✓ built"


def _part(part: tuple[int, int]) -> str:
    """How many texts there are: "174", or "12 of 174" where not all have a vector."""
    texts, encoded = part
    return f"{texts:,}" if encoded == texts else f"{encoded:,} of {texts:,}"


def _rebuild_button(workspace: Workspace, info: CollectionInfo) -> None:
    def rebuild() -> str:
        workspace.corpora.rebuild(info.name)
        _state.clear()
        return f"The index of “{info.name}” is built by the worker."

    if not info.cluster:
        help_ = "Missing vectors are computed and the cached arrays are read anew"
        label = f"Build the index of “{literal(info.name)}” again"
        st.button(label, key="index-rebuild", help=help_, on_click=_do, args=(rebuild,))


def _cluster_buttons(workspace: Workspace, address: str, row: ClusterRow) -> None:
    facts, service = row.stored.facts, workspace.remote()

    def open_() -> str:
        notes: list[str] = []
        (name, *_) = service.adopt(address, facts.collection, notes.append)
        return " ".join([f"“{name}” is open here, on every page.", *notes])

    def close() -> str:
        workspace.store.collections.delete(row.name)
        return f"“{row.name}” was closed here. It is still in the cluster."

    def drop() -> str:
        service.drop(address, facts.collection, facts.triple_set, closed=not row.stored.open)
        st.session_state[CLUSTER] = _ask(workspace, address)
        return f"“{facts.collection}” was deleted from the cluster."

    if row.place in ("not here", "newer") and row.stored.health != "red":
        label = "Open" if row.place == "not here" else "Update"
        st.button(label, key="cluster-open", on_click=_do, args=(open_,))
    if row.place == "here":
        help_ = "Its runs stay readable; questions that were written here are lost"
        st.button("Close", key="cluster-close", help=help_, on_click=_do, args=(close,))
    elif visitors.is_home():
        with st.popover("Drop"):
            st.write("The index is deleted from the cluster, for everybody.")
            st.button("Delete it", key="cluster-drop", on_click=_do, args=(drop,))


def _do(act: Callable[[], str]) -> None:
    """Do what a button says; the sentence that it gives, or a refusal, is drawn next."""
    try:
        st.session_state[OUTCOME] = act(), "good"
    except GearError as error:
        st.session_state[OUTCOME] = as_sentence(str(error)), "bad"


def _environment() -> str:
    return os.environ.get(URL, "").strip()


def _form(workspace: Workspace) -> None:
    """Draw the address of a cluster and the login for it."""
    named = _environment()
    st.session_state.setdefault(ADDRESS, named)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input(
            "Address",
            key=ADDRESS,
            placeholder="https://search:9200",
            persist_state="session",
            width=420,
            help="Of one node, or of several with commas between",
        )
        connect = st.button("Connect", key="cluster-connect", type="primary")
    with elements.refusals():
        if text.strip():
            login = views.login_sentence(address_of(text), str(address_of(named)) if named else "")
            st.html(markup.tag("p", login, class_="gear-note"))
            if connect:
                with st.spinner("Asking the cluster"):
                    st.session_state[CLUSTER] = _ask(workspace, text)
                st.rerun()


def _ask(workspace: Workspace, address: str) -> ClusterAnswer:
    """Connect, and ask for all that is shown."""
    try:
        to = str(address_of(address))
        version = workspace.remote().cluster(to, anew=True).version
        return ClusterAnswer(to, version, workspace.remote().status(to))
    except GearError as error:
        return ClusterAnswer(address, failure=as_sentence(str(error)))
