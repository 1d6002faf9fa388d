"""The bar on top of Explore: which collection, which question, by which method; Run puts it in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gear_app.config import settings
from gear_app.errors import GearError
from gear_app.retrievers import METHODS, config_for
from gear_app.types import Question
from gear_app.ui import session
from gear_app.views import header
from gear_app.views.collections import count
from gear_app.workspace import CollectionInfo, RunInfo, Workspace

BASES = ("hybrid", "dense", "bm25")
PAPER = {"width": 10, "length": 2, "neighbours": 100}  # GEAR App. B.2, the defaults of BeamConfig
RUNS_LISTED = 40


def bar(workspace: Workspace, collections: Sequence[CollectionInfo], run: RunInfo | None) -> None:
    """Draw the bar, filled in from the run that is shown."""
    _seed(collections, run)
    by_name = {collection.name: collection for collection in collections}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        name: str = st.selectbox(
            "Collection", list(by_name), key="collection", label_visibility="collapsed", width=170,
            placeholder="Choose a collection", on_change=_chosen, args=(workspace,),
        )  # fmt: skip
        chosen = by_name.get(name)  # none while the run of a deleted collection is shown
        if chosen:
            _questions(workspace, chosen.name)
        _runs(workspace)
        with (
            st.form("ask", border=False, width="stretch"),
            st.container(horizontal=True, vertical_alignment="center", gap="small"),
        ):
            st.text_input(
                "Question",
                key="question",
                placeholder="Ask a question of this collection",
                label_visibility="collapsed",
            )
            st.selectbox(
                "Method",
                list(METHODS),
                key="method",
                format_func=header.method_name,
                label_visibility="collapsed",
                width=130,
            )
            if chosen:
                _settings(chosen)
            st.form_submit_button(
                "Run", type="primary", on_click=_enqueue, args=(workspace, chosen), key="run-button",
                disabled=chosen is None,
            )  # fmt: skip
    session.say(st.session_state.pop("ask_error", ""), "bad")


def _seed(collections: Sequence[CollectionInfo], run: RunInfo | None) -> None:
    """Fill the bar in from the run shown, once; afterwards it is the visitor's."""
    state = st.session_state
    names = [collection.name for collection in collections]
    if state.get("collection") not in names and not (run and gone(run, collections)):
        state["collection"] = names[0]
    for key, value in {"question": "", "method": "gear", "base": "hybrid"}.items():
        state.setdefault(key, value)
    if run and state.get("seeded") != run.id:
        method, _, base = run.method.partition(":")
        state["seeded"] = run.id
        state["question"], state["base"] = run.question, base or "hybrid"
        state["method"] = method if method in METHODS else "gear"
        state["collection"] = None if gone(run, collections) else run.collection


def gone(run: RunInfo, collections: Sequence[CollectionInfo]) -> bool:
    """Whether the run's collection was deleted, even if another has its name now."""
    return run.collection_id is None or run.collection not in {collection.name for collection in collections}


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


def _questions(workspace: Workspace, collection: str) -> None:
    with st.popover("Questions", help="Pick one of the collection's own questions"):
        questions = workspace.questions(collection)
        if not questions:
            st.caption("This collection came without questions. Type one of your own in the field beside.")
            return
        st.selectbox(
            count(len(questions), "question"), questions, index=None, format_func=_described, key="picked",
            placeholder="Search them", on_change=_pick, width=640,
        )  # fmt: skip


def _described(question: Question) -> str:
    kind = ", ".join(filter(None, [question.type or "", f"{question.hops} hops" if question.hops else ""]))
    return question.question + (f"  ({kind})" if kind else "")


def _pick() -> None:
    picked: Question | None = st.session_state.get("picked")
    if picked:
        st.session_state["question"] = picked.question


def _runs(workspace: Workspace) -> None:
    with st.popover("Runs", help="Open an earlier run"):
        found = workspace.runs(limit=RUNS_LISTED)
        if not found:
            st.caption("Nothing has been asked yet. Type or pick a question and press Run.")
            return
        st.selectbox(
            "The latest runs", found, index=None, format_func=_run_words, key="earlier", placeholder="Search them",
            on_change=_open_earlier, width=640,
        )  # fmt: skip


def _run_words(run: RunInfo) -> str:
    return f"{run.question}  ({header.method_name(run.method)}, {run.collection}, {run.state}, {run.id[:8]})"


def _open_earlier() -> None:
    earlier: RunInfo | None = st.session_state.get("earlier")
    if earlier:
        session.open_run(earlier.id)


def _settings(collection: CollectionInfo) -> None:
    """Settings of every method; a run takes those its method has."""
    state = st.session_state
    for key, value in {"set-k": 15, "set-gamma": "auto", "set-scoring": "screened", "set-triples": None}.items():
        state.setdefault(key, value)
    for key, value in PAPER.items():
        state.setdefault(f"set-{key}", value)
    sets = [found.name for found in collection.triple_sets]
    active = next((found.name for found in collection.triple_sets if found.active), None)
    if state["set-triples"] not in sets:
        state["set-triples"] = active or (sets[0] if sets else None)
    with st.popover("Settings", help="Base, triples, beam search, iterations"):
        left, right = st.columns(2)
        left.selectbox("Base retriever", BASES, key="base", help="Of NaiveGE, SyncGE and GEAR")
        right.selectbox("Triples", sets, key="set-triples", placeholder="none extracted yet")
        left.number_input("Width b", 1, 50, key="set-width", help="Beams that go on after each step")
        right.number_input("Length l", 1, 5, key="set-length", help="Triples in a beam")
        left.text_input("Diversity γ", key="set-gamma", help="A whole number, auto (2 × width) or none")
        right.number_input("Neighbours", 1, 1000, key="set-neighbours", help="Looked at for each beam")
        left.selectbox(
            "Scoring", ["screened", "exact"], key="set-scoring", help="exact encodes every candidate, as the paper"
        )
        limit = collection.max_iterations or 4
        right.number_input("Iterations at most", 1, 10, value=None, key="set-max_iterations", placeholder=str(limit))
        left.number_input(
            "k of the first retrieval", 1, 100, key="set-k", help="For methods of one step; GEAR takes 10 a round"
        )


def _enqueue(workspace: Workspace, collection: CollectionInfo | None) -> None:
    state = st.session_state
    if collection is None:
        state["ask_error"] = "No collection is chosen. Choose one first."
        return
    question = str(state["question"]).strip()
    if not question:
        state["ask_error"] = "There is no question yet. Type one, or pick one under Questions."
        return
    method = state["method"] + (
        f":{state['base']}" if METHODS[state["method"]].takes_base and state["base"] != "hybrid" else ""
    )
    try:
        run_id = workspace.enqueue_run(
            question, collection.name, method, triples=state["set-triples"], settings=_changes(method),
            k=int(state["set-k"]), owner=session.owner(),
        )  # fmt: skip
    except GearError as error:
        state["ask_error"] = str(error)
        return
    state["seeded"] = run_id
    session.open_run(run_id, fresh=True)


def _changes(method: str) -> dict[str, Any]:
    """The method's settings as they stand in the bar, by their full names; an empty field leaves the default."""
    stands = {name: st.session_state.get(f"set-{name.split('.')[-1]}") for name in settings(config_for(method))}
    return {name: value for name, value in stands.items() if value is not None}
