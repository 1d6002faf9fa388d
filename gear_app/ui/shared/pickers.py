"""Fields and panels to choose from: method and base, reader, extractor, question, earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from gear_app.errors import GearError
from gear_app.llm.server import Spec
from gear_app.retrievers import METHODS, bases, parse
from gear_app.ui.shared import components, language_models, session
from gear_app.ui.shared.language_models import READER
from gear_app.views import extraction, picker_rows
from gear_app.views.compare.entries import reads
from gear_app.views.labels import LLM, base_name, method_name, reader_name
from gear_app.workspace import EVALUATION, RunInfo, Workspace

FIRST_METHOD, DEFAULT_BASE = "gear", "hybrid"
DEEPEST = 3  # an iterative method over SyncGE over a base retriever


def seed_method(name: str | None) -> None:
    """Put a method's name into the pickers; an unknown one becomes the first choice."""
    try:
        method = parse(name)[0] if name else FIRST_METHOD
    except GearError:
        name, method = None, FIRST_METHOD
    beneath = (name or "").split(":")[1:]
    st.session_state["method"] = method
    for depth in range(1, DEEPEST):
        st.session_state[_base_key(depth)] = (
            beneath[depth - 1] if depth <= len(beneath) else DEFAULT_BASE
        )


def pick_method() -> str:
    """Draw the pickers; the name of what is chosen, `ircot:hipporag`."""
    st.selectbox(
        "Method",
        list(METHODS),
        key="method",
        format_func=_method_words,
        # A name that is typed means that method: a summary may name others, and a name be part of
        # another's.
        filter_mode="prefix",
        label_visibility="collapsed",
        width=330,
        persist_state="session",
    )
    for depth, (options, _) in enumerate(_bases(), start=1):
        st.selectbox(
            "Retriever beneath " + ("the method" if depth == 1 else "that one"),
            options,
            key=_base_key(depth),
            format_func=_base_words,
            label_visibility="collapsed",
            width=140,
            persist_state="session",
        )
    return chosen_method()


def chosen_method() -> str:
    """The name of what is chosen; hybrid at the end goes without saying."""
    names = [st.session_state["method"], *(base for _, base in _bases())]
    return ":".join(names[:-1] if len(names) > 1 and names[-1] == DEFAULT_BASE else names)


def _bases() -> list[tuple[tuple[str, ...], str]]:
    """The options and the choice of each picker beneath the method.

    A choice that no longer fits becomes hybrid.
    """
    pickers: list[tuple[tuple[str, ...], str]] = []
    method = st.session_state["method"]
    while options := bases(method):
        key = _base_key(len(pickers) + 1)
        if st.session_state.get(key) not in options:
            st.session_state[key] = DEFAULT_BASE
        method = st.session_state[key]
        pickers.append((options, method))
    return pickers


def _base_key(depth: int) -> str:
    return "base" if depth == 1 else f"base-{depth}"


def _method_words(method: str) -> str:
    return f"{method_name(method)} — {METHODS[method].summary}"


def _base_words(base: str) -> str:
    return f"over {base_name(base)}"


LOCAL = "local"


def pick_reader(method: str, *, answers: bool = False) -> None:
    """Who reads, where the method or an answer needs a reader; without a model the way to one."""
    if not (answers or reads(method)):
        return
    if language_models.chosen():
        reader_field(READER, width=150)
    else:
        way_to_settings()


def reader_field(
    key: str,
    *,
    label: Literal["visible", "collapsed"] = "collapsed",
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A choice between the local reader and the session's language model, where there is one."""
    spec = language_models.chosen()
    options = [LOCAL, LLM] if spec else [LOCAL]
    if st.session_state.get(key) not in options:
        st.session_state[key] = LOCAL
    st.selectbox(
        "Reader",
        options,
        key=key,
        format_func=lambda reader: reader_name(reader, spec.model if spec else ""),
        label_visibility=label,
        width=width,
        persist_state="session",
    )


def way_to_settings() -> None:
    """A short way to choose a language model, where none is chosen."""
    if language_models.chosen() is None:
        st.page_link(
            session.SETTINGS,
            label="Local reader: change…",
            icon=":material/settings:",
            help="The local reader reads. On Settings a language model can be chosen instead",
        )


def chosen_reader(method: str, *, answers: bool = False) -> str:
    """The name of the reader for a run of this method, or of one that `answers`."""
    asked = (answers or reads(method)) and language_models.chosen()
    return str(st.session_state.get(READER, LOCAL)) if asked else LOCAL


RUNS_LISTED = 5_000
NO_QUESTIONS = "This collection has no questions yet. Type one of your own in the field beside."


def pick_question(workspace: Workspace, collection: str, *, key: str, into: str) -> None:
    """A button that opens a panel with the collection's questions; the picked one goes to the field
    `into`, which is to be drawn after this.
    """
    picked = st.session_state.pop(f"{key}-question", None)
    if picked:
        st.session_state[into] = picked
    if st.button("Questions", key=key, help="Pick one of the collection's own questions"):
        _question_panel(workspace, collection, key)


@st.dialog("Questions", width="large")
def _question_panel(workspace: Workspace, collection: str, key: str) -> None:
    questions = workspace.collections.questions(collection)
    if not questions:
        st.caption(NO_QUESTIONS)
        return
    runs = [run for run in workspace.runs.recent(collection, limit=RUNS_LISTED) if run.gold]
    latest = picker_rows.latest_recalls(runs, _recalls(workspace, runs))
    picked = components.picker(picker_rows.question_table(questions, latest), f"{key}-panel")
    words = {question.id: question.question for question in questions}
    if picked in words:
        st.session_state[f"{key}-question"] = words[picked]
        st.rerun()


def pick_run(
    workspace: Workspace,
    *,
    key: str,
    about: str,
    empty: str,
    collection: str | None,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    """A button that opens a panel with runs, as `open_runs` does when the page is drawn next;
    `chosen` is given the id of the one that is picked.

    `listed` gives the runs when the panel opens; `empty` stands there where there are none. Runs of
    other collections than `collection` are filtered out at first.
    """
    asked = st.session_state.pop(f"{key}-open", False)
    if st.button("Runs", key=key, help=about) or asked:
        _run_panel(workspace, key, empty, collection, listed, chosen)


def open_runs(key: str) -> None:
    """Open the panel of the button with this key."""
    st.session_state[f"{key}-open"] = True


@st.dialog("Runs", width="large")
def _run_panel(
    workspace: Workspace,
    key: str,
    empty: str,
    collection: str | None,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    runs = listed()
    if not runs:
        st.caption(empty)
        return
    table = picker_rows.run_table(runs, _recalls(workspace, runs), EVALUATION, collection)
    picked = components.picker(table, f"{key}-panel")
    if picked is not None:
        chosen(picked)
        st.rerun()


def _recalls(workspace: Workspace, runs: Sequence[RunInfo]) -> dict[str, float | None]:
    """Recall of runs by id; what a run with this gold once had is not computed again."""
    known = _known_recalls(str(workspace.path))
    for run in runs:
        if (run.id, run.gold, run.state) not in known:
            known[run.id, run.gold, run.state] = workspace.runs.recall(run)
    return {run.id: known[run.id, run.gold, run.state] for run in runs}


@st.cache_resource(show_spinner=False)
def _known_recalls(path: str) -> dict[tuple[str, tuple[str, ...], str], float | None]:
    return {}


def pick_extractor(key: str, spec: Spec | None, by_model: Sequence[str]) -> str:
    """Draw the choice of an extractor; the local one or one of those `by_model`. Where no language
    model is chosen (`spec`), the local one with the way to another.
    """
    options = [extraction.LOCAL, *by_model] if spec else [extraction.LOCAL]
    if st.session_state.get(key) not in options:
        st.session_state[key] = extraction.LOCAL
    name = spec.model if spec else ""
    by = st.selectbox(
        "Extractor",
        options,
        key=key,
        format_func=lambda one: extraction.extractor_name(one, name),
        width=240,
        persist_state="session",
    )
    if spec is None:
        st.page_link(
            session.SETTINGS, label="Use a language model …", help="Choose one on the page Settings"
        )
    return by
