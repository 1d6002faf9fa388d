"""The bar on top of Explore: which collection, which question, by which method; Run puts it in the
queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import (
    lazy_extraction,
    method_picker,
    method_settings,
    question_picker,
    reader_picker,
    session,
)
from gear_app.views import names
from gear_app.views.collections import needs_triples
from gear_app.views.names import LLM
from gear_app.views.settings import in_words
from gear_app.workspace import CollectionInfo, Options, RunInfo, Workspace

RUNS_LISTED = 40


def bar(workspace: Workspace, collections: Sequence[CollectionInfo], run: RunInfo | None) -> None:
    """Draw the bar, filled in from the run that is shown."""
    by_name = {collection.name: collection for collection in collections}
    _seed(collections, run, by_name)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        name: str = st.selectbox(
            "Collection",
            list(by_name),
            key="collection",
            label_visibility="collapsed",
            width=170,
            placeholder="Choose a collection",
            on_change=_chosen,
            args=(workspace,),
            persist_state="session",
        )
        chosen = by_name.get(name)  # none while the run of a deleted collection is shown
        method = (
            method_picker.pick()
        )  # outside of the form: another method has other bases and settings
        reader_picker.pick(method, answers=method_settings.answers())
        reader = reader_picker.chosen(method, answers=method_settings.answers())
        method_settings.popover(method, reader, chosen)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if chosen:
            question_picker.pick(workspace, chosen.name, key="picked", into="question")
        _runs(workspace)
        _question(workspace, chosen)
    if chosen and (needed := needs_triples(chosen, method, reader)):
        session.say(needed)
        lazy_extraction.field(method, reader, chosen)
    session.say(st.session_state.pop("ask_error", ""), "bad")


def _question(workspace: Workspace, chosen: CollectionInfo | None) -> None:
    with (
        st.form("ask", border=False, width="stretch"),
        st.container(horizontal=True, vertical_alignment="center", gap="small"),
    ):
        st.text_input(
            "Question",
            key="question",
            placeholder="Ask a question of this collection",
            label_visibility="collapsed",
            persist_state="session",
        )
        st.form_submit_button(
            "Run",
            type="primary",
            on_click=_enqueue,
            args=(workspace, chosen),
            key="run-button",
            disabled=chosen is None,
        )


def _seed(
    collections: Sequence[CollectionInfo],
    run: RunInfo | None,
    by_name: Mapping[str, CollectionInfo],
) -> None:
    """Fill the bar in from the run shown, once; afterwards it is the visitor's."""
    state = st.session_state
    names = [collection.name for collection in collections]
    if state.get("collection") not in names:
        state["collection"] = None if run and gone(run, collections) else names[0]
    state.setdefault("question", "")
    new = "method" not in state
    if new:
        method_picker.seed(None)
    if run and (new or state.get("seeded") != run.id):
        state["seeded"] = run.id
        state["question"] = run.question
        state["collection"] = None if gone(run, collections) else run.collection
        method_picker.seed(run.method)
        method_settings.seed(method_picker.chosen(), dict(run.config), by_name.get(run.collection))


def gone(run: RunInfo, collections: Sequence[CollectionInfo]) -> bool:
    """Whether the run's collection was deleted, even if another has its name now."""
    return run.collection_id is None or run.collection not in {
        collection.name for collection in collections
    }


def latest(runs: Sequence[RunInfo]) -> RunInfo | None:
    """Of runs, newest first, the newest that is done, else the newest."""
    return next((one for one in runs if one.state == "done"), runs[0] if runs else None)


def _chosen(workspace: Workspace) -> None:
    """Another collection was chosen: its latest run is shown, or none."""
    name = st.session_state["collection"]
    try:
        found = latest(workspace.runs(name, limit=20)) if name else None
    except GearError as error:
        st.session_state["ask_error"] = str(error)
        return
    if found:
        session.open_run(found.id)
    elif name:
        st.session_state["question"] = ""
        session.open_none(name)


def _runs(workspace: Workspace) -> None:
    with st.popover("Runs", help="Open an earlier run"):
        found = workspace.runs(limit=RUNS_LISTED)
        if not found:
            st.caption("Nothing has been asked yet. Type or pick a question and press Run.")
            return
        st.selectbox(
            "The latest runs",
            found,
            index=None,
            format_func=_run_words,
            key="earlier",
            placeholder="Search them",
            on_change=_open_earlier,
            width=640,
        )


def _run_words(run: RunInfo) -> str:
    by = names.made_by(run)
    return f"{run.question}  ({by}, {run.collection}, {run.state}, {run.id[:8]})"


def _open_earlier() -> None:
    earlier: RunInfo | None = st.session_state.get("earlier")
    if earlier:
        session.open_run(earlier.id)


def _enqueue(workspace: Workspace, collection: CollectionInfo | None) -> None:
    state = st.session_state
    if collection is None:
        state["ask_error"] = "No collection is chosen. Choose one first."
        return
    question = str(state["question"]).strip()
    if not question:
        state["ask_error"] = "There is no question yet. Type one, or pick one under Questions."
        return
    method = method_picker.chosen()
    reader = reader_picker.chosen(method, answers=method_settings.answers())
    try:
        lazy = lazy_extraction.chosen(method, reader, collection)
        model = reader_picker.model(LLM if LLM in (reader, lazy) else reader)
        asked: dict[str, Any] = {
            "question": question,
            "collection": collection.name,
            "method": method,
            "triples": state["set-triples"],
            "settings": method_settings.changes(method),
            "k": method_settings.k(),
            "reader": reader,
            "model": model,
            "options": Options(answer=method_settings.answers(), lazy=lazy),
        }
        run_id = _on_its_way(workspace, asked) or workspace.enqueue_run(
            **asked, owner=session.owner(), budget=session.budget()
        )
    except GearError as error:
        state["ask_error"] = in_words(str(error), method)
        return
    state["seeded"] = run_id
    session.open_run(run_id, fresh=True)


def _on_its_way(workspace: Workspace, asked: Mapping[str, Any]) -> str | None:
    """This visitor's run of exactly this that has not ended: Enter and a click on Run are one
    request.
    """
    same = workspace.same_run(**asked)
    return (
        same.id
        if same and same.state in ("queued", "running") and same.owner == session.owner()
        else None
    )
