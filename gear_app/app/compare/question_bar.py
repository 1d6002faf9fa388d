"""The bar of Compare: question, methods, stored runs, and the button that starts runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from gear_app.app.shared import elements, language_models, method_form, panels, session
from gear_app.core.errors import BadInput, GearError
from gear_app.display.collections import needs_triples
from gear_app.display.comparison_tables import MOST, Entry, entry_words, of_run, reads, usual
from gear_app.display.labels import LLM
from gear_app.methods import METHODS
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.workspace.workspace import Workspace

RUNS_LISTED = 200
QUESTION, ENTRIES = "compare-question", "compare-entries"
SEEDED = "compare-seeded"  # the runs or the collection that the bar was filled in from
CACHED = "compare-cached"  # ids of shown runs that were stored before
ERROR, NOTE = "compare-error", "compare-note"
FULL = f"{MOST} runs are shown already. Take one out first."


def bar(workspace: Workspace, info: CollectionInfo, runs: Sequence[RunInfo]) -> None:
    """Draw the bar, filled in from the runs that are shown."""
    _seed(workspace, info, runs)
    with elements.bar("compare", ",".join(run.id for run in runs)):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            panels.pick_question(workspace, info.name, key="compare-picked", into=QUESTION)
            st.text_input("Question", key=QUESTION)
            _pick_run(workspace, info.name, runs)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            plain = [Entry(method) for method in METHODS]
            readers = [replace(entry, reader=LLM) for entry in plain if reads(entry.method)]
            model = readers if language_models.chosen() else []
            st.multiselect(
                "Methods",
                list(dict.fromkeys([*plain, *model, *st.session_state[ENTRIES]])),
                key=ENTRIES,
                format_func=partial(entry_words, model=_model(), limit=info.max_iterations),
                max_selections=MOST,
            )
            st.button(
                "Compare",
                type="primary",
                key="compare-button",
                on_click=_compare,
                args=(workspace, info),
            )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            method_form.row(info, answer=False)
            st.button(
                "Add with these settings", key="compare-add", on_click=_add_entry, args=(info,)
            )
    elements.message(needs_triples(info))
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    elements.message(st.session_state.pop(NOTE, ""), "good")


def _add_entry(info: CollectionInfo) -> None:
    """Put the method, as its fields stand, among the chosen ones."""
    entries: list[Entry] = st.session_state[ENTRIES]
    with elements.refusals(ERROR):
        entry = method_form.entry(info)
        if len(entries) >= MOST:
            raise BadInput(f"{MOST} methods are chosen already. Take one out first.")
        st.session_state[ENTRIES] = list(dict.fromkeys([*entries, entry]))


def _pick_run(workspace: Workspace, name: str, runs: Sequence[RunInfo]) -> None:
    """A button for stored runs of the same question; of any, where no run is shown."""
    ids, questions = {run.id for run in runs}, {run.question for run in runs[:1]}

    def listed() -> list[RunInfo]:
        stored = workspace.runs.recent(name, limit=panels.RUNS_LISTED)
        alike = [run for run in stored if not questions or run.question in questions]
        return [run for run in alike if run.id not in ids]

    panels.pick_run(
        key="compare-earlier",
        about="Add a stored run",
        empty="No other run of this question is stored." if runs else "No run is stored.",
        listed=listed,
        chosen=_add_run,
    )


def _add_run(run_id: str) -> None:
    compared = session.compared() or []
    if len(compared) < MOST:
        session.compare([*compared, run_id])
    else:
        st.session_state[ERROR] = FULL


def first_comparison(workspace: Workspace, info: CollectionInfo) -> list[str]:
    """The newest runs of the question that most of the usual methods were asked; none where no
    question was put to two methods.
    """
    runs: dict[str, dict[str, str]] = {}  # ids by method, by question
    for run in workspace.runs.recent(info.name, limit=RUNS_LISTED):
        if run.state == "done" and not run.stale:
            runs.setdefault(run.question, {}).setdefault(run.method, run.id)
    names = dict.fromkeys([*(entry.method for entry in _usual(info)), *METHODS])
    shared = {question: [name for name in names if name in by] for question, by in runs.items()}
    question = max(shared, key=lambda text: len(shared[text]), default="")
    selected = [runs[question][name] for name in shared.get(question, ())]
    return selected[:MOST] if len(selected) > 1 else []


def _seed(workspace: Workspace, info: CollectionInfo, runs: Sequence[RunInfo]) -> None:
    """Fill the bar in once for each set of runs and each collection."""
    state, source = st.session_state, ",".join(run.id for run in runs) or info.name
    if state.get(SEEDED) == source and ENTRIES in state:
        return
    state[SEEDED] = source
    if runs:
        drawable = [run for run in runs if run.method.partition(":")[0] in METHODS]
        entries = [of_run(run, info.max_iterations) for run in drawable]
        active = info.active.name if info.active else None
        plain = [
            replace(entry, triples=None) if entry.triples == active else entry for entry in entries
        ]
        state[QUESTION], state[ENTRIES] = runs[0].question, list(dict.fromkeys(plain))
    else:
        recent = workspace.runs.recent(info.name, limit=1)
        questions = recent or workspace.collections[info.name].questions()
        state[QUESTION] = questions[0].question if questions else ""
        state[ENTRIES] = _usual(info)


def _usual(info: CollectionInfo) -> list[Entry]:
    return usual(triples=bool(info.active and info.active.triples))


def _compare(workspace: Workspace, info: CollectionInfo) -> None:
    """Show every entry's run: a stored one, or a new one in the queue. A refused entry stops no
    other.
    """
    state = st.session_state
    question = " ".join(str(state[QUESTION]).split())
    runs, stored, refused = list[str](), dict[str, str](), list[str]()
    for entry in state[ENTRIES] if question else ():
        words = entry_words(entry, _model(), info.max_iterations)
        try:
            request = method_form.request(question, info.name, entry)
            existing = workspace.runs.same(request)
            runs.append(existing.id if existing else workspace.runs.enqueue(request))
        except GearError as error:
            refused.append(f"{words} was not run: {error}")
        else:
            stored |= {existing.id: words} if existing else {}
    if not (question and state[ENTRIES]):
        refused = ["Type a question and choose a method first."]
    state[ERROR] = " ".join(refused)
    if runs:
        session.compare(runs)
        state[SEEDED], state[CACHED] = ",".join(runs), list(stored)
        note = f"From stored runs: {', '.join(stored.values())}. ↻ above a column runs it again."
        state[NOTE] = note if stored else ""


def _model() -> str:
    spec = language_models.chosen()
    return spec.model if spec else ""
