"""The bar on top of Compare: collection, question, methods, and the button that starts runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from gear_app.errors import GearError
from gear_app.retrievers import METHODS
from gear_app.runs.request import RunRequest
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.text import count, cut
from gear_app.ui.compare import entry_form
from gear_app.ui.shared import (
    elements,
    fold,
    language_models,
    panels,
    pickers,
    session,
    visitors,
)
from gear_app.views.collections import needs_triples
from gear_app.views.compare.entries import (
    MOST,
    Entry,
    changes,
    entry_words,
    of_run,
    readable,
    usual,
)
from gear_app.views.labels import LLM
from gear_app.workspace import Workspace

RUNS_LISTED = 200
LONGEST_QUESTION = 90  # characters of it on a button


def bar(workspace: Workspace, chosen: CollectionInfo | None, runs: Sequence[RunInfo]) -> None:
    """Draw the bar, filled in from the runs that are shown."""
    _seed(workspace, chosen, runs)
    state = st.session_state
    with fold.bar("compare", in_use=bool(runs)):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if chosen:
                panels.pick_question(
                    workspace, chosen.name, key="compare-picked", into="compare-question"
                )
            st.text_input(
                "Question",
                key="compare-question",
                label_visibility="collapsed",
                placeholder="Ask a question of this collection",
            )
            if chosen:
                _pick_run(workspace, chosen.name, runs)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            plain = [Entry(method) for method in METHODS]
            options = [
                *plain,
                *(readable(plain, LLM) if language_models.chosen() else ()),
                *state["compare-entries"],
            ]
            # With the model as it is now: what the browser sends back are these words.
            limit = chosen.max_iterations if chosen else None
            words = partial(entry_words, model=_model(), limit=limit)
            st.multiselect(
                "Methods",
                list(dict.fromkeys(options)),
                key="compare-entries",
                format_func=words,
                max_selections=MOST,
                label_visibility="collapsed",
                placeholder=f"Choose up to {MOST} methods",
            )
            if chosen:
                entry_form.add(chosen)
            st.button(
                "Compare",
                type="primary",
                key="compare-button",
                on_click=_compare,
                args=(workspace, chosen),
                disabled=chosen is None,
            )
            pickers.way_to_settings()
    elements.message(needs_triples(chosen) if chosen else "")
    elements.message(state.pop("compare-error", ""), "bad")
    elements.message(state.pop("compare-kept-words", ""), "good")


def _pick_run(workspace: Workspace, collection: str, compared: Sequence[RunInfo]) -> None:
    """Runs to put beside those compared, of the same question; any, where none is compared yet."""
    ids = {run.id for run in compared}
    empty = "There is no other run of this question yet." if compared else "Nothing has been asked."

    def listed() -> list[RunInfo]:
        there = workspace.runs.recent(collection, limit=panels.RUNS_LISTED)
        questions = {run.question for run in compared[:1]}
        return [
            run
            for run in there
            if run.id not in ids and (not questions or run.question in questions)
        ]

    panels.pick_run(
        key="compare-earlier",
        about="Put a run there is already beside the others",
        empty=empty,
        listed=listed,
        chosen=_add_run,
    )


def _add_run(run_id: str) -> None:
    compared = session.compared() or []
    if len(compared) >= MOST:
        st.session_state["compare-error"] = (
            f"{MOST} runs stand side by side already. Take one out first."
        )
        return
    session.compare([*compared, run_id])


def first_comparison(workspace: Workspace, collection: CollectionInfo) -> list[str]:
    """The newest runs of the question that most methods were asked, those first that a visitor
    begins with, those over bases of their own last; none where no question was put to two methods
    as they are.
    """
    methods: dict[str, set[str]] = {}
    for run in workspace.runs.recent(collection.name, limit=RUNS_LISTED):
        if run.state == "done" and not run.stale:
            methods.setdefault(run.question, set()).add(run.method)
    usual_ = _usual(collection)
    names = {entry.method for entry in usual_}
    asked = sorted(methods, key=lambda one: (-len(methods[one] & names), -len(methods[one])))
    for question in asked:
        over = (one for one in sorted(methods[question]) if one.partition(":")[0] in METHODS)
        entries = dict.fromkeys([*usual_, *map(Entry, METHODS), *map(Entry, over)])
        stored = [
            workspace.runs.same(_request(question, collection.name, entry))
            for entry in entries
            if entry.method in methods[question]
        ]
        runs = [run.id for run in stored if run and run.state == "done"]
        if len(runs) > 1:
            return runs[:MOST]
    return []


def invitation(workspace: Workspace, chosen: CollectionInfo | None) -> None:
    """Where nothing is compared: a button that compares what is filled in."""
    state = st.session_state
    question = " ".join(str(state.get("compare-question") or "").split())
    entries = state.get("compare-entries") or ()
    if not (chosen and question and entries):
        elements.message(
            "Nothing is compared yet. Type a question or pick one under Questions, choose methods,"
            " then press Compare."
        )
        return
    elements.message("Nothing is compared yet. Choose a question and methods, or begin with these:")
    st.button(
        f"Compare {count(len(entries), 'method')} on “{cut(question, LONGEST_QUESTION)}”",
        key="compare-first",
        on_click=_compare,
        args=(workspace, chosen),
    )


def _seed(workspace: Workspace, info: CollectionInfo | None, runs: Sequence[RunInfo]) -> None:
    """Fill the bar in once for each set of runs shown; afterwards it is the visitor's."""
    state = st.session_state
    wanted = ",".join(run.id for run in runs) or (info.name if info else "")
    if state.get("compare-seeded") == wanted and "compare-entries" in state:
        return
    state["compare-seeded"] = wanted
    if runs:
        state["compare-question"] = runs[0].question
        limit = info.max_iterations if info else None
        entries = [of_run(run, limit) for run in runs if run.method.partition(":")[0] in METHODS]
        state["compare-entries"] = list(dict.fromkeys(_plain(entry, info) for entry in entries))
    elif info:
        state["compare-question"] = _usual_question(workspace, info.name)
        state["compare-entries"] = _usual(info)


def _plain(entry: Entry, collection: CollectionInfo | None) -> Entry:
    """The entry without a triple set where it is the active one: an entry means that anyway."""
    active = collection.active if collection else None
    return replace(entry, triples=None) if active and entry.triples == active.name else entry


def _usual(collection: CollectionInfo) -> list[Entry]:
    return usual(triples=bool(collection.active and collection.active.triples))


def _usual_question(workspace: Workspace, collection: str) -> str:
    """What was asked of the collection last, else its first question."""
    listed = workspace.runs.recent(collection, limit=1) or workspace.collections.questions(
        collection
    )
    return listed[0].question if listed else ""


def _compare(workspace: Workspace, collection: CollectionInfo | None) -> None:
    """Show every entry's run: a stored one, or a new one in the queue.

    An entry that is refused stops no other.
    """
    state = st.session_state
    question = " ".join(str(state["compare-question"]).split())
    entries: list[Entry] = state["compare-entries"]
    if collection is None:
        state["compare-error"] = "No collection is chosen."
        return
    if not question or not entries:
        state["compare-error"] = "No method is chosen." if question else "There is no question yet."
        return
    runs, stored, refused = [], [], []
    for entry in entries:
        try:
            run_id, made = _run(workspace, question, collection.name, entry)
        except GearError as error:
            refused.append(f"{_words(entry, collection)} was not run: {error}")
        else:
            runs.append(run_id)
            if not made:
                stored.append((run_id, _words(entry, collection)))
    state["compare-error"] = " ".join(refused)
    if runs:
        fold.turn("compare", on=False)
        session.compare(runs)
        state["compare-kept"] = [run_id for run_id, _ in stored]
        state["compare-kept-words"] = _stored_words([words for _, words in stored])
        state["compare-seeded"] = ",".join(runs)


def _run(workspace: Workspace, question: str, collection: str, entry: Entry) -> tuple[str, bool]:
    """The id of the entry's run, and whether it had to be made."""
    request = replace(
        _request(question, collection, entry),
        owner=session.owner(),
        model=language_models.reader_model(entry.reader),
        budget=language_models.budget(),
    )
    same = workspace.runs.same(request)
    return (same.id, False) if same else (workspace.runs.enqueue(request), True)


def _words(entry: Entry, collection: CollectionInfo) -> str:
    return entry_words(entry, _model(), collection.max_iterations)


def _model() -> str:
    spec = language_models.chosen()
    return spec.model if spec else ""


def _request(question: str, collection: str, entry: Entry) -> RunRequest:
    return RunRequest(
        question,
        collection,
        entry.method,
        triples=entry.triples,
        settings=changes(entry),
        k=entry.k,
        reader=entry.reader,
        rights=visitors.rights(),
    )


def _stored_words(stored: Sequence[str]) -> str:
    if not stored:
        return ""
    were = "was" if len(stored) == 1 else "were"
    return (
        f"{', '.join(stored)} {were} there already, with the same settings on the same data, and"
        f" {were} kept. ↻ above a column makes its run again."
    )
