"""The collection that all pages show: one selector in the top bar, bound to the address."""

from __future__ import annotations

import contextlib

import streamlit as st

from gear_app.app.shared import address, session
from gear_app.core.errors import GearError
from gear_app.core.paths import DEMO
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.workspace import Workspace

KEY, NEXT = "collection", "collection-next"
MISSING = "collection-gone"  # the name of a collection that was renamed or deleted elsewhere
LAST = "collection-last"
# What the session remembers of one collection only.
MEMORY = ("run", "compared", "evaluation", "evaluate-pick")


def chosen() -> str | None:
    """The name of the collection; None where there is none, or its run outlived it."""
    name: str | None = st.session_state.get(KEY)
    return name


def choose(name: str | None) -> None:
    """Show another collection from the next run of the script on; None: the first."""
    st.session_state[NEXT] = name
    _changed()


def selector(workspace: Workspace) -> bool:
    """Draw the selector; whether there is a collection, or a run, to show."""
    collections = sorted(workspace.collections.all(), key=lambda info: info.name != DEMO)
    names = [info.name for info in collections]
    state = st.session_state
    run = _owner(workspace, collections)
    if NEXT in state:
        state[KEY] = state[NEXT] or next(iter(names), None)
    elif run is not None:
        state[KEY] = run or None
    else:
        name = state.get(KEY) or state.get(MISSING) or st.query_params.get(KEY)
        if name and name not in names:
            state[KEY], state[MISSING] = None, name
        elif not state.get(KEY):
            state.pop(KEY, None)
    if names:
        st.selectbox(
            "Collection",
            names,
            key=KEY,
            bind="query-params",
            label_visibility="collapsed",
            placeholder="Choose a collection",
            on_change=_changed,
        )
    if run and run != chosen():  # Back led to a run whose entry has the next collection's name
        st.rerun()
    if chosen():
        state.pop(MISSING, None)
    if state.get(LAST) != chosen():
        for key in MEMORY:
            state.pop(key, None)
        state[LAST] = chosen()
    return not names or bool(chosen()) or run is not None


def _owner(workspace: Workspace, collections: list[CollectionInfo]) -> str | None:
    """The collection of the run or evaluation that the address names; "" where it was deleted, None
    where the address names nothing of this workspace.
    """
    query = st.query_params
    with contextlib.suppress(GearError):
        if "evaluation" in query:
            return workspace.store.evaluations.get(query["evaluation"]).collection
    for id_ in ",".join([query.get("runs", ""), query.get("run", "")]).split(","):
        with contextlib.suppress(GearError):
            if id_.strip():
                run = workspace.runs.get(id_.strip())
                return "" if session.collection_gone(run, collections) else run.collection
    return None


def _changed() -> None:
    """Leave the runs and the evaluation of the address, which are of another collection."""
    address.write(**address.NO_RUN, runs="", evaluation="")
