"""Explore: ask, and watch the run step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from gear_app.collections.first_method import first_method
from gear_app.errors import GearError, Unknown
from gear_app.runs.request import Options, RunRequest
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.text import cut
from gear_app.ui.explore import run
from gear_app.ui.shared import (
    address,
    elements,
    fold,
    language_models,
    method_settings,
    panels,
    pickers,
    session,
    suggestions,
    visitors,
)
from gear_app.views.collections import better_method, needs_triples
from gear_app.views.labels import as_sentence
from gear_app.views.settings import in_words
from gear_app.workspace import Workspace

RUNS = "earlier"  # the button that opens the list of runs
INSTEAD = "What the workspace opens with is shown instead."
LONGEST_ID = 20  # of what an address calls a run, on the screen


def bar(workspace: Workspace, collections: Sequence[CollectionInfo], run: RunInfo | None) -> None:
    """Draw the bar, filled in from the run that is shown."""
    by_name = {collection.name: collection for collection in collections}
    _seed(collections, run, by_name)
    with fold.bar("explore", in_use=run is not None):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key="ask-with"
        ):
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
            # Outside of the form: another method has other bases and settings.
            method = pickers.pick_method()
            pickers.pick_reader(method, answers=method_settings.answers())
            reader = pickers.chosen_reader(method, answers=method_settings.answers())
            method_settings.popover(method, chosen)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if chosen:
                panels.pick_question(workspace, chosen.name, key="picked", into="question")
            panels.pick_run(
                workspace,
                key=RUNS,
                about="Open an earlier run",
                empty="Nothing has been asked yet. Type or pick a question and press Run.",
                collection=name,
                listed=lambda: workspace.runs.recent(limit=panels.RUNS_LISTED),
                chosen=address.open_run,
            )
            _question(workspace, chosen)
    if chosen and not chosen.recorded:
        if needed := needs_triples(chosen, method, reader):
            elements.message(needed)
        elif not (run and run.method == method):
            elements.message(better_method(chosen, method))
    elements.message(st.session_state.pop("ask_error", ""), "bad")


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
            disabled=chosen is None or chosen.recorded,
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
        state["collection"] = (
            None if run and session.collection_gone(run, collections) else names[0]
        )
    state.setdefault("question", "")
    new = "method" not in state
    if new:
        pickers.seed_method(first_method(by_name.get(state["collection"] or "")))
    if run and (new or state.get("seeded") != run.id):
        state["seeded"] = run.id
        state["question"] = run.question
        state["collection"] = None if session.collection_gone(run, collections) else run.collection
        pickers.seed_method(run.method)
        method_settings.seed(pickers.chosen_method(), dict(run.config), by_name.get(run.collection))


def _chosen(workspace: Workspace) -> None:
    """Another collection was chosen: it opens."""
    _open_collection(workspace, st.session_state["collection"])


def _open_collection(workspace: Workspace, name: str | None) -> None:
    """Show the run that a collection opens with, or that it has none."""
    try:
        first = workspace.runs.featured(name) if name else None
    except GearError as error:
        st.session_state["ask_error"] = as_sentence(str(error))
        return
    if first:
        address.open_run(first.id)
    elif name:
        st.session_state["question"] = ""
        pickers.seed_method(first_method(workspace.collections.get(name)))
        session.open_empty(name)


def _enqueue(workspace: Workspace, collection: CollectionInfo | None) -> None:
    state = st.session_state
    if collection is None:
        state["ask_error"] = "No collection is chosen. Choose one first."
        return
    question = str(state["question"]).strip()
    if not question:
        state["ask_error"] = "There is no question yet. Type one, or pick one under Questions."
        return
    method = pickers.chosen_method()
    reader = pickers.chosen_reader(method, answers=method_settings.answers())
    try:
        model = language_models.reader_model(reader)
        request = RunRequest(
            question,
            collection.name,
            method,
            triples=state["set-triples"],
            settings=method_settings.changes(method),
            k=method_settings.k(),
            reader=reader,
            owner=session.owner(),
            model=model,
            budget=language_models.budget(),
            options=Options(answer=method_settings.answers()),
            expected=suggestions.expected(collection.name, question),
            rights=visitors.rights(),
        )
        run_id = _unfinished(workspace, request) or workspace.runs.enqueue(request)
    except GearError as error:
        state["ask_error"] = in_words(str(error), method)
        return
    state["seeded"] = run_id
    fold.turn("explore", on=False)
    address.open_run(run_id, fresh=True)


def _unfinished(workspace: Workspace, request: RunRequest) -> str | None:
    """This visitor's unfinished run of exactly this: Enter and a click on Run are one request."""
    same = workspace.runs.same(request)
    if same and same.going and same.owner == request.owner:
        return same.id
    return None


def _follow_collection(workspace: Workspace, names: Sequence[str]) -> None:
    """Open the collection of an address that names one and no run, else the one that another page
    showed meanwhile.
    """
    name = st.query_params.get("collection", "")
    if not name and not st.query_params.get("run"):
        name = session.collection_elsewhere("explore", names)
    if not name or st.query_params.get("run") or name == session.empty_collection():
        return
    if name not in names:
        elements.message(f"The address names the collection “{name}”, which is not here.", "bad")
        return
    st.session_state["collection"] = name
    _open_collection(workspace, name)


def page() -> None:
    """The bar, and under it the run of the address, of this session, or of whoever is new here."""
    workspace = session.workspace()
    collections = workspace.collections.all()
    if not collections:
        elements.message(st.session_state.pop("ask_error", ""), "bad")
        session.tell_empty()
        if address.current_run() and (old := _shown(workspace)):  # of a collection that was deleted
            run.show(workspace, old.id)
        return
    _follow_collection(workspace, [collection.name for collection in collections])
    shown = _shown(workspace)
    bar(workspace, collections, shown)
    session.use_collection("explore", st.session_state["collection"])
    if shown is None:
        empty = session.empty_collection()
        known = [collection.name for collection in collections]
        suggestions.invite(workspace, empty if empty in known else st.session_state["collection"])
        return
    run.show(workspace, shown.id)


def _not_here(why: str) -> None:
    """That the address leads to no run, and a way to those there are."""
    elements.message_with_button(
        f"{why} {INSTEAD}", "bad", "Show runs", "show-runs", panels.open_runs, RUNS
    )


def _shown(workspace: Workspace) -> RunInfo | None:
    """The run of the address or session, else what the start screen shows; None where a collection
    has none.
    """
    wanted = address.current_run()
    if wanted:
        try:
            named = workspace.runs.get(workspace.runs.find_id(wanted))
        except Unknown:
            _not_here(f"The run “{cut(wanted, LONGEST_ID)}” is not in this workspace.")
        except GearError as error:
            _not_here(as_sentence(str(error)))
        else:
            address.remember(named.id)
            return named
    if session.empty_collection():
        return None
    first = session.first_run(workspace, workspace.collections.all())
    if first:
        address.remember(first.id)
    return first


page()
