"""The bar on top of Compare: which collection, which question, which methods; Compare puts them in
the queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from gear_app.errors import GearError
from gear_app.retrievers import METHODS
from gear_app.ui.compare import entry_form, run_picker
from gear_app.ui.shared import question_picker, reader_picker, session
from gear_app.views.collections import needs_triples
from gear_app.views.compare.entries import MOST, Entry, changes, described, of_run, readable, usual
from gear_app.views.names import LLM
from gear_app.workspace import CollectionInfo, RunInfo, Workspace


def bar(
    workspace: Workspace, collections: Sequence[CollectionInfo], runs: Sequence[RunInfo]
) -> None:
    """Draw the bar, filled in from the runs that are shown."""
    by_name = {collection.name: collection for collection in collections}
    _seed(workspace, by_name, runs)
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        name: str | None = st.selectbox(
            "Collection",
            list(by_name),
            key="compare-collection",
            label_visibility="collapsed",
            width=170,
            placeholder="Choose a collection",
            on_change=_chosen,
            args=(workspace, by_name),
        )
        chosen = by_name.get(name or "")
        if chosen:
            question_picker.pick(
                workspace, chosen.name, key="compare-picked", into="compare-question"
            )
        st.text_input(
            "Question",
            key="compare-question",
            label_visibility="collapsed",
            placeholder="Ask a question of this collection",
        )
        if chosen:
            run_picker.runs(workspace, chosen.name, runs)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        plain = [Entry(method) for method in METHODS]
        options = [
            *plain,
            *(readable(plain, LLM) if session.language() else ()),
            *state["compare-entries"],
        ]
        words = partial(
            described, model=_model()
        )  # as it is now: what the browser sends back are these words
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
        reader_picker.way_to_settings()
    session.say(needs_triples(chosen) if chosen else "")
    session.say(state.pop("compare-error", ""), "bad")
    session.say(state.pop("compare-kept-words", ""), "good")


def kept(workspace: Workspace, collections: Sequence[CollectionInfo]) -> list[str]:
    """The runs there are already of what a visitor begins with; none where that would be no
    comparison.
    """
    by_name = {collection.name: collection for collection in collections}
    name = _usual_collection(workspace, list(by_name))
    question = _usual_question(workspace, name)
    if not question:
        return []
    found = [workspace.same_run(*_asked(question, name, entry)) for entry in _usual(by_name[name])]
    runs = [run.id for run in found if run]
    return runs if len(runs) > 1 else []


def _seed(
    workspace: Workspace, collections: dict[str, CollectionInfo], runs: Sequence[RunInfo]
) -> None:
    """Fill the bar in from the runs shown, once for each set of runs; afterwards it is the
    visitor's.
    """
    state = st.session_state
    wanted = ",".join(run.id for run in runs)
    if runs and (state.get("compare-seeded") != wanted or "compare-entries" not in state):
        first = runs[0]
        there = collections.get(first.collection) if first.collection_id is not None else None
        state["compare-collection"] = there.name if there else None
        state["compare-question"] = first.question
        limit = there.max_iterations if there else None
        found = [of_run(run, limit) for run in runs if run.method.partition(":")[0] in METHODS]
        state["compare-entries"] = list(dict.fromkeys(_plain(entry, there) for entry in found))
    elif "compare-entries" not in state or state.get("compare-collection") not in [
        *collections,
        None,
    ]:
        name = _usual_collection(workspace, list(collections))
        state["compare-collection"] = name
        state["compare-question"] = _usual_question(workspace, name)
        state["compare-entries"] = _usual(collections[name])
    state["compare-seeded"] = wanted


def _plain(entry: Entry, collection: CollectionInfo | None) -> Entry:
    """The entry without a triple set where it is the active one: an entry means that anyway."""
    active = (
        next((found.name for found in collection.triple_sets if found.active), None)
        if collection
        else None
    )
    return Entry(
        entry.method,
        entry.settings,
        None if entry.triples == active else entry.triples,
        entry.k,
        entry.reader,
    )


def _usual(collection: CollectionInfo) -> list[Entry]:
    return usual(triples=any(found.active and found.triples for found in collection.triple_sets))


def _usual_collection(workspace: Workspace, names: Sequence[str]) -> str:
    """The collection asked last, else the first."""
    asked = next(
        (run.collection for run in workspace.runs(limit=20) if run.collection in names), None
    )
    return asked or names[0]


def _usual_question(workspace: Workspace, collection: str) -> str:
    """What was asked of the collection last, else its first question."""
    asked = workspace.runs(collection, limit=1)
    own = [] if asked else workspace.questions(collection)
    return asked[0].question if asked else own[0].question if own else ""


def _chosen(workspace: Workspace, collections: dict[str, CollectionInfo]) -> None:
    """Another collection was chosen: its question and methods, nothing compared yet."""
    state = st.session_state
    name = state["compare-collection"]
    if name is None:
        return
    session.compare([])
    try:
        state["compare-question"] = _usual_question(workspace, name)
    except GearError as error:
        state["compare-error"] = str(error)
    state["compare-entries"] = _usual(collections[name])


def _compare(workspace: Workspace, collection: CollectionInfo | None) -> None:
    """Show every entry's run: the one there is already, or a new one in the queue. A refused one
    stops no other.
    """
    state = st.session_state
    question = " ".join(str(state["compare-question"]).split())
    entries: list[Entry] = state["compare-entries"]
    if collection is None or not question or not entries:
        missing = (
            "collection is chosen"
            if collection is None
            else "method is chosen"
            if question
            else "question yet"
        )
        state["compare-error"] = (
            f"No {missing}." if question or collection is None else "There is no question yet."
        )
        return
    runs, kept, refused = [], [], []
    for entry in entries:
        try:
            run_id, made = _run(workspace, question, collection.name, entry)
        except GearError as error:
            refused.append(f"{_words(entry)} was not run: {error}")
        else:
            runs.append(run_id)
            kept += [] if made else [(run_id, _words(entry))]
    state["compare-error"] = " ".join(refused)
    if runs:
        session.compare(runs)
        state["compare-kept"] = [run_id for run_id, _ in kept]
        state["compare-kept-words"] = _kept_words([words for _, words in kept])
        state["compare-seeded"] = ",".join(runs)


def _run(workspace: Workspace, question: str, collection: str, entry: Entry) -> tuple[str, bool]:
    """The id of the entry's run, and whether it had to be made."""
    asked, model = _asked(question, collection, entry), reader_picker.model(entry.reader)
    found = workspace.same_run(*asked, model=model)
    if found:
        return found.id, False
    return (
        workspace.enqueue_run(*asked, owner=session.owner(), model=model, budget=session.budget()),
        True,
    )


def _words(entry: Entry) -> str:
    return described(entry, _model())


def _model() -> str:
    spec = session.language()
    return spec.model if spec else ""


def _asked(
    question: str, collection: str, entry: Entry
) -> tuple[str, str, str, str | None, Mapping[str, str], int, str]:
    return question, collection, entry.method, entry.triples, changes(entry), entry.k, entry.reader


def _kept_words(kept: Sequence[str]) -> str:
    if not kept:
        return ""
    were = "was" if len(kept) == 1 else "were"
    return (
        f"{', '.join(kept)} {were} there already, with the same settings on the same data, and"
        f" {were} kept. ↻ above a column makes its run again."
    )
