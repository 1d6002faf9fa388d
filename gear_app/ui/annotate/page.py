"""Annotate: judge runs, see how far people agree, and what the failures are."""

from __future__ import annotations

import streamlit as st

from gear_app.annotate.counts import counts
from gear_app.bounds import MOST_NAME
from gear_app.paths import DEMO
from gear_app.ui.annotate import agreement, charts, desk, files, runs_to_make
from gear_app.ui.shared import address, elements, session
from gear_app.views.labels import literal
from gear_app.workspace import Workspace

STYLE = session.UI / "annotate.css"
TABS = {
    "queue": "Queue",
    "agreement": "Agreement",
    "charts": "Charts",
    "book": "Code book",
    "files": "Files",
}
"""Their labels, by what the address calls them."""
TAB = "annotate-tab"
NAME = "annotator"


def page() -> None:
    """The collection and the annotator's name, then a tab."""
    st.html(STYLE)
    workspace = session.workspace()
    names = [info.name for info in workspace.collections.all()]
    if not names:
        session.tell_empty()
        return
    collection, annotator = _bar(names)
    if workspace.read_only:
        elements.message("This workspace is read-only: what you choose is not saved.")
    runs_to_make.show(workspace, collection)
    address.follow_tab(TAB, TABS)
    queue, agree, chart, book, file = st.tabs(
        list(TABS.values()), key=TAB, on_change=address.hold_tab, args=(TAB, TABS)
    )
    if queue.open:
        with queue:
            if annotator:
                desk.show(workspace, collection, annotator)
            else:
                _ask_name()
                _judged_so_far(workspace, collection)
    if agree.open:
        with agree:
            seen = workspace.annotations.seen(collection, annotator)
            agreement.show(workspace, collection, annotator, seen)
    if chart.open:
        with chart:
            charts.show(workspace, collection, annotator)
    if book.open:
        with book:
            files.code_book(workspace, annotator)
    if file.open:
        with file:
            files.files(workspace, collection, annotator)


def _bar(names: list[str]) -> tuple[str, str]:
    state, asked = st.session_state, st.query_params.get("collection", "")
    if state.get("annotate-collection") not in names:
        fallback = DEMO if DEMO in names else names[0]
        state["annotate-collection"] = asked if asked in names else fallback
    annotator = str(state.get(NAME) or st.query_params.get(NAME, ""))[:MOST_NAME].strip()
    state[NAME] = annotator
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        collection: str = st.selectbox(
            "Collection",
            names,
            key="annotate-collection",
            label_visibility="collapsed",
            width=200,
            persist_state="session",
        )
        if annotator:
            st.query_params[NAME] = annotator
            st.button(literal(f"Annotator: {annotator}"), key="annotator-change", on_click=_forget)
    st.query_params["collection"] = collection
    return collection, annotator


def _ask_name() -> None:
    """Ask who judges, once; the name goes into the session and the address."""
    with st.form("who", border=True, width=520):
        st.text_input(
            "Your name",
            key="annotator-typed",
            max_chars=60,
            placeholder="Written beside what you judge, and into exported files",
        )
        st.form_submit_button("Begin", type="primary", key="annotator-begin", on_click=_remember)


def _judged_so_far(workspace: Workspace, collection: str) -> None:
    """What others have judged, where it may be seen: what the page is for, at first sight."""
    found = counts(workspace.annotations.seen(collection, ""))
    if found.judged:
        items = {item.case: item for item in workspace.annotations.items(collection)}
        hidden = workspace.annotations.hidden(collection, "")
        charts.failures(workspace, found, items, hidden)


def _remember() -> None:
    st.session_state[NAME] = " ".join(str(st.session_state["annotator-typed"]).split())


def _forget() -> None:
    st.session_state[NAME] = ""
    st.query_params.pop(NAME, None)


page()
