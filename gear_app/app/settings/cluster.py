"""The section Cluster of Settings: connect to a cluster, and open, close and drop its collections.

The address is the environment's or typed; the login is the environment's alone. No cluster is asked
before a visitor presses Connect, but for the one that the environment names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import streamlit as st

from gear_app.app.shared import collection as selected
from gear_app.app.shared import elements, session, visitors
from gear_app.core.errors import GearError
from gear_app.display import clusters as views
from gear_app.display import markup
from gear_app.display.clusters import ClusterRow
from gear_app.display.labels import as_sentence, literal
from gear_app.index.opensearch.address import URL, address_of
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.workspace.workspace import Workspace

T = TypeVar("T")
FIELD, FOUND, OUTCOME = "cluster-address", "cluster-found", "cluster-said"
WHAT_IT_IS = (
    "A collection that outgrows this machine is searched in an OpenSearch cluster: the same methods"
    " with OpenSearch's BM25. It is pushed there by gear-app index push, and opened here."
)
ELSEWHERE = (
    "From another machine only the cluster that the server's environment names can be used; it"
    f" names none ({URL})."
)


class FoundCluster(NamedTuple):
    """What a cluster said when it was asked last, in this session; `failure` where it did not."""

    address: str
    version: str = ""
    indices: Sequence[StoredIndex] = ()
    failure: str = ""


def show(workspace: Workspace) -> None:
    """The form; then what the cluster said."""
    with st.container(border=True):
        address = _form(workspace)
        place = st.empty()
    cluster: FoundCluster | None = st.session_state.get(FOUND)
    if address and (cluster is None or cluster.address != address):
        with place, st.spinner(f"Asking {literal(address)} …"):
            cluster = st.session_state[FOUND] = _ask(workspace, address)
    sentence, tone = st.session_state.pop(OUTCOME, ("", "info"))
    elements.message(sentence, tone)
    if cluster is None:
        return
    with place:
        if cluster.failure:
            elements.message(cluster.failure, "bad")
            return
        elements.message(f"OpenSearch {cluster.version} answers at {cluster.address}.", "good")
    _collections(workspace, cluster)


def _form(workspace: Workspace) -> str:
    """The address, who is logged in, and a button; the address that is to be asked now, "" for
    none.
    """
    named, home = os.environ.get(URL, "").strip(), visitors.is_home()
    st.html(markup.title("Cluster", "of OpenSearch nodes, for collections that outgrow a machine"))
    st.html(markup.tag("p", WHAT_IT_IS, class_="gear-note"))
    if not home and not named:
        elements.message(ELSEWHERE)
        return ""
    clusters = [info.cluster for info in workspace.collections.all() if info.cluster]
    st.session_state.setdefault(FIELD, next(iter([*filter(None, [named]), *clusters]), ""))
    if not home:
        st.session_state[FIELD] = named
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Address",
            key=FIELD,
            placeholder="https://search:9200",
            persist_state="session",
            disabled=not home,
            width=420,
            on_change=_forget,
            help="Of one node, or of several with commas between",
        )
        st.button("Connect", key="cluster-connect", type="primary", on_click=_forget)
    text = str(st.session_state[FIELD] or "").strip()
    if not text:
        return ""
    try:
        to = address_of(text)
        login = views.login_sentence(to, str(address_of(named)) if named else "")
        st.html(markup.tag("p", login, class_="gear-note"))
    except GearError as error:
        elements.message(as_sentence(str(error)), "bad")
        return ""
    by_itself = bool(named) and str(to) == str(address_of(named))
    connect = bool(st.session_state.get("cluster-connect"))
    return str(to) if connect or by_itself else ""


def _forget() -> None:
    """What was found is of another address, or of an earlier moment."""
    st.session_state.pop(FOUND, None)


def _ask(workspace: Workspace, address: str) -> FoundCluster:
    """Connect, and ask for all that is shown."""
    try:
        version = workspace.clusters.version(address)
        return FoundCluster(address, version, workspace.clusters.status(address))
    except GearError as error:
        return FoundCluster(address, failure=as_sentence(str(error)))


def _collections(workspace: Workspace, cluster: FoundCluster) -> None:
    """Each index, with what can be done with it."""
    rows = views.rows(cluster.indices, workspace.clusters.opened(cluster.address))
    st.html(markup.title("Collections of the cluster", "opened here, they appear on every page"))
    if not rows:
        elements.message(views.NONE_YET)
    for row in rows:
        with st.container(border=True):
            st.markdown(f"**{literal(row.stored.facts.collection)}**, {literal(row.place_words)}")
            st.caption(literal(row.details))
            with st.container(horizontal=True, gap="small"):
                _actions(workspace, cluster.address, row)


def _actions(workspace: Workspace, address: str, row: ClusterRow) -> None:
    def button(label: str, act: Callable[..., None], *values: object, help: str = "") -> None:
        st.button(
            label,
            key=f"cluster-{label.split()[0].lower()}-{row.stored.name}",
            on_click=act,
            args=(workspace, *values),
            help=help or None,
        )

    collection = row.stored.facts.collection
    if row.place in ("not here", "newer") and row.stored.health != "red":
        button("Open" if row.place == "not here" else "Update", _open, address, collection)
    if row.place == "here":
        if st.button("Ask it", key=f"cluster-ask-{row.stored.name}", type="primary"):
            selected.choose(row.name)
            st.switch_page(session.EXPLORE, query_params={})
        leaves = (
            "It leaves this workspace and stays in the cluster. Its runs stay readable; questions"
            " that were written here are lost"
        )
        button("Close", _close, row.name, help=leaves)
    elif visitors.is_home():
        with st.popover("Drop", key=f"cluster-dropping-{row.stored.name}"):
            st.write("The index is deleted from the cluster, for everybody.")
            button("Delete it", _drop, address, row.stored)


def _open(workspace: Workspace, address: str, collection: str) -> None:
    notes: list[str] = []
    names = _tried(lambda: workspace.clusters.adopt(address, collection, notes.append))
    if names:
        sentence = " ".join([f"“{names[0]}” is open here, on every page.", *notes])
        st.session_state[OUTCOME] = (sentence, "bad" if notes else "good")


def _close(workspace: Workspace, name: str) -> None:
    def close() -> list[str]:
        workspace.collections.delete(name)
        return [name]

    if _tried(close):
        sentence = f"“{name}” was closed here. It is still in the cluster: Open brings it back."
        st.session_state[OUTCOME] = (sentence, "good")


def _drop(workspace: Workspace, address: str, index: StoredIndex) -> None:
    facts = index.facts
    dropped = _tried(
        lambda: workspace.clusters.drop(
            address, facts.collection, facts.triple_set, closed=not index.open
        )
    )
    if dropped:
        _forget()
        sentence = f"“{facts.collection}” was deleted from the cluster."
        st.session_state[OUTCOME] = (sentence, "good")


def _tried(act: Callable[[], list[T]]) -> list[T]:
    """What came of it; nothing where it failed, which is told when the page is drawn next."""
    try:
        return act()
    except GearError as error:
        st.session_state[OUTCOME] = (as_sentence(str(error)), "bad")
        return []
