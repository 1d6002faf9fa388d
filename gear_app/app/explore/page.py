"""Explore: ask, and watch the run step by step."""

from __future__ import annotations

import streamlit as st

from gear_app.app.explore import run
from gear_app.app.shared import (
    address,
    collection,
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
from gear_app.core.errors import GearError, Unknown
from gear_app.core.text import cut
from gear_app.display.collections import better_method, needs_triples
from gear_app.display.labels import as_sentence
from gear_app.display.settings import in_words
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.workspace.collections.first_method import first_method
from gear_app.workspace.runs.request import Options, RunRequest
from gear_app.workspace.workspace import Workspace

RUNS = "earlier"  # the button that opens the list of runs
INSTEAD = "What the collection opens with is shown instead."
LONGEST_ID = 20  # of what an address calls a run, on the screen


def bar(workspace: Workspace, chosen: CollectionInfo | None, run: RunInfo | None) -> None:
    """Draw the bar, filled in from the run that is shown; no collection: it was deleted."""
    _seed(chosen, run)
    with fold.bar("explore", in_use=run is not None):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key="ask-with"
        ):
            # Outside of the form: another method has other bases and settings.
            method = pickers.pick_method()
            pickers.pick_reader(method, answers=method_settings.answers())
            reader = pickers.chosen_reader(method, answers=method_settings.answers())
            method_settings.popover(method, chosen)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if chosen:
                panels.pick_question(workspace, chosen.name, key="picked", into="question")
            panels.pick_run(
                key=RUNS,
                about="Open an earlier run",
                empty="Nothing has been asked yet. Type or pick a question and press Run.",
                listed=lambda: workspace.runs.recent(
                    chosen.name if chosen else None, limit=panels.RUNS_LISTED
                ),
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


def _seed(info: CollectionInfo | None, run: RunInfo | None) -> None:
    """Fill the bar in from the run shown or the collection, once."""
    state = st.session_state
    state.setdefault("question", "")
    seed = run.id if run else info.name if info else ""
    if "method" not in state:
        pickers.seed_method(first_method(info))
    elif state.get("seeded") == seed:
        return
    state["seeded"] = seed
    if run:
        state["question"] = run.question
        pickers.seed_method(run.method)
        method_settings.seed(pickers.chosen_method(), dict(run.config), info)
    else:
        state["question"] = ""
        pickers.seed_method(first_method(info))


def _enqueue(workspace: Workspace, info: CollectionInfo | None) -> None:
    state = st.session_state
    if info is None:
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
            info.name,
            method,
            triples=state["set-triples"],
            settings=method_settings.changes(method),
            k=method_settings.k(),
            reader=reader,
            owner=session.owner(),
            model=model,
            budget=language_models.budget(),
            options=Options(answer=method_settings.answers()),
            expected=suggestions.expected(info.name, question),
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
    existing = workspace.runs.same(request)
    if existing and existing.going and existing.owner == request.owner:
        return existing.id
    return None


def page() -> None:
    """The bar, and under it the run of the address, of this session, or of the collection."""
    workspace = session.workspace()
    infos = {info.name: info for info in workspace.collections.all()}
    if not infos:
        elements.message(st.session_state.pop("ask_error", ""), "bad")
        session.tell_empty()
        if address.current_run() and (old := _shown(workspace, None)):
            run.show(workspace, old.id)  # of a collection that was deleted
        return
    info = infos.get(collection.chosen() or "")
    current = _shown(workspace, info)
    bar(workspace, info, current)
    if current:
        run.show(workspace, current.id)
    elif info:
        for name in ("run", "step"):
            st.query_params.pop(name, None)
        suggestions.invite(workspace, info.name)


def _not_here(reason: str) -> None:
    """That the address leads to no run, and a way to those there are."""
    elements.message_with_button(
        f"{reason} {INSTEAD}", "bad", "Show runs", "show-runs", panels.open_runs, RUNS
    )


def _shown(workspace: Workspace, info: CollectionInfo | None) -> RunInfo | None:
    """The run of the address or session, else what the collection opens with; None where it has
    none.
    """
    run_id = address.current_run()
    if run_id:
        try:
            named = workspace.runs.get(workspace.runs.find_id(run_id))
        except Unknown:
            _not_here(f"The run “{cut(run_id, LONGEST_ID)}” is not in this workspace.")
        except GearError as error:
            _not_here(as_sentence(str(error)))
        else:
            address.remember(named.id)
            return named
    if info is None or session.empty_collection():
        return None
    first = workspace.runs.featured(info.name)
    if first:
        address.remember(first.id)
    return first


page()
