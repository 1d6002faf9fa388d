"""Explore: ask, and watch the run step by step."""

from __future__ import annotations

import streamlit as st

from gear_app.app.explore import run
from gear_app.app.shared import (
    address,
    collection,
    elements,
    method_form,
    panels,
    session,
    suggestions,
)
from gear_app.core.errors import BadInput, GearError
from gear_app.core.text import cut
from gear_app.display.collections import better_method, needs_triples
from gear_app.display.labels import as_sentence
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.workspace.collections.service import first_method
from gear_app.workspace.workspace import Workspace

RUNS = "earlier"  # the button that opens the list of runs
INSTEAD = "What the collection opens with is shown instead."
LONGEST = 80  # characters of an error, which quotes the address


def question_bar(workspace: Workspace, chosen: CollectionInfo | None, run: RunInfo | None) -> None:
    """Draw the bar, filled in from the run that is shown; no collection: it was deleted."""
    _seed(chosen, run)
    with elements.bar("explore", run.id if run else "", "Ask a question"):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key="ask-with"
        ):
            # Outside of the form: another method has other bases and settings.
            method_form.row(chosen, answer=True)
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
        method = method_form.method()
        reader = method_form.reader(answer=method_form.answers())
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
            disabled=chosen is None or bool(chosen.recorded),
        )


def _seed(info: CollectionInfo | None, run: RunInfo | None) -> None:
    """Fill the bar in from the run shown or the collection, once."""
    state = st.session_state
    seed = run.id if run else info.name if info else ""
    if state.get("seeded") == seed:
        return
    state["seeded"], state["question"] = seed, run.question if run else ""
    if run:
        method_form.seed(run.method, run.config, info)
    else:
        method_form.seed(first_method(info), {}, info)


def _enqueue(workspace: Workspace, info: CollectionInfo) -> None:
    state = st.session_state
    question, answer = str(state["question"]).strip(), method_form.answers()
    with elements.refusals("ask_error"):
        if not question:
            raise BadInput("There is no question yet. Type one, or pick one under Questions.")
        request = method_form.request(
            question,
            info.name,
            method_form.entry(info, answer=answer),
            answer=answer,
            expected=suggestions.expected(info.name, question),
        )
        existing = workspace.runs.same(request)  # Enter and a click on Run are one request
        unfinished = existing and existing.going and existing.owner == request.owner
        run_id = existing.id if existing and unfinished else workspace.runs.enqueue(request)
        state["seeded"] = run_id
        address.open_run(run_id, fresh=True)


def page() -> None:
    """The bar, and under it the run of the address, of this session, or of the collection."""
    workspace = session.workspace()
    infos = {info.name: info for info in workspace.collections.all()}
    info = infos.get(collection.chosen() or "")
    if not infos:
        elements.message(st.session_state.pop("ask_error", ""), "bad")
        session.tell_empty()
    current = _current_run(workspace, info)
    if infos:
        question_bar(workspace, info, current)
    if current:
        st.session_state["run"] = current.id
        run.show(workspace, current.id)
    elif info:
        suggestions.invite(workspace, info.name)


def _current_run(workspace: Workspace, info: CollectionInfo | None) -> RunInfo | None:
    """The run of the address or session, else what the collection opens with; None where it has
    none.
    """
    run_id = address.current_run()
    if run_id:
        try:
            return workspace.runs.get(run_id)
        except GearError as error:
            reason = as_sentence(cut(str(error), LONGEST))
        elements.message_with_button(
            f"{reason} {INSTEAD}", "bad", "Show runs", "show-runs", panels.open_runs, RUNS
        )
    return None if info is None or run_id == "" else workspace.store.runs.featured(info.id)


page()
