"""Runs side by side: rankings, gold passages, recall and cost, all from their events; again while
any is going on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gear_app.analysis import comparison as analysis
from gear_app.analysis.rankings import CUTS
from gear_app.errors import GearError
from gear_app.types import Question
from gear_app.ui.compare import cards, charts, drawings
from gear_app.ui.compare.comparison import Comparison
from gear_app.ui.explore import passages
from gear_app.ui.shared import reader_picker, run_events, session
from gear_app.views import header
from gear_app.views.compare import entries
from gear_app.workspace import RunInfo, Workspace

REFRESH_S = 0.7


def show(workspace: Workspace, run_ids: Sequence[str]) -> None:
    """Draw the runs, again and again while one of them is going on."""
    live = header.going_on([workspace.run(id_) for id_ in run_ids])
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, list(run_ids), live)


def _body(workspace: Workspace, run_ids: list[str], live: bool) -> None:
    act = drawings.asked()
    if act and act.run in run_ids:
        _act(workspace, run_ids, act)
    runs = [workspace.run(id_) for id_ in run_ids]
    if live and not header.going_on(runs):
        st.rerun()
    comparison = _comparison(workspace, runs)
    left, right = st.columns([11, 9], vertical_alignment="bottom")
    with left:
        cards.head(comparison)
    with (
        right,
        st.container(
            horizontal=True, vertical_alignment="bottom", horizontal_alignment="right", gap="small"
        ),
    ):
        _controls(comparison)
    comparison = _settled(comparison)
    cards.remarks(comparison, workspace.worker_status())
    cards.rankings(workspace, comparison)
    cards.gold(comparison)
    charts.figures(comparison)
    cards.tables(comparison)


def _comparison(workspace: Workspace, runs: Sequence[RunInfo]) -> Comparison:
    """The runs with what is known of them; cut-off, baseline and highlight are settled later."""
    gold, disagree = analysis.known_gold(runs)
    limit, question = _of_collection(workspace, runs[0])
    names = entries.labels(runs, limit)
    columns = [
        analysis.ComparedRun(
            run, label, _digest(workspace, run, gold) if run.state == "done" else None
        )
        for run, label in zip(runs, names, strict=True)
    ]
    known = analysis.titles(columns)
    missing = [key for key in gold if key not in known]
    known |= passages.titles(workspace, runs[0].collection, missing) if missing else {}
    settings = [entries.settings_words(run, limit) for run in runs]
    return Comparison(columns, analysis.number_gold(gold, question, known), disagree, settings)


def _of_collection(workspace: Workspace, run: RunInfo) -> tuple[int | None, Question | None]:
    """The collection's iteration limit and the question as it stands there; nothing where it was
    deleted.
    """
    if run.collection_id is None:
        return None, None
    try:
        limit = workspace.collection(run.collection).max_iterations
        return limit, workspace.question(run.collection, run.question)
    except GearError:
        return None, None


def _digest(workspace: Workspace, run: RunInfo, gold: tuple[str, ...]) -> analysis.Digest:
    events = run_events.events(workspace, run)
    return _boiled(str(workspace.path), run.id, len(events), gold, run.answers, _events=events)


@st.cache_resource(max_entries=256, show_spinner=False)
def _boiled(
    path: str,
    run_id: str,
    count: int,
    gold: tuple[str, ...],
    known: tuple[str, ...],
    *,
    _events: list[Any],
) -> analysis.Digest:
    return analysis.digest(_events, gold, known)


def _controls(comparison: Comparison) -> None:
    """Baseline, highlighted method and cut-off, which hold for everything below; the first and last
    for the address.
    """
    state = st.session_state
    ids = {column.run.id: column.label for column in comparison.columns}
    state["compare-baseline"] = analysis.baseline(
        comparison.columns, st.query_params.get("baseline")
    )
    asked = st.query_params.get("k", "")
    state["compare-k"] = int(asked) if asked in map(str, CUTS) else CUTS[0]
    done = [column.label for column in comparison.columns if column.digest]
    best = analysis.best(comparison.columns, comparison.keys) or None
    state["compare-highlight"] = (
        state["compare-picked-out"] if state.get("compare-picked-out") in done else best
    )
    st.selectbox(
        "Baseline",
        list(ids),
        key="compare-baseline",
        format_func=lambda id_: ids.get(id_, ""),
        width=170,
        on_change=_write,
        args=("baseline", "compare-baseline"),
    )
    if comparison.gold:  # without gold there are no figures
        st.selectbox(
            "Highlighted in figures",
            done,
            key="compare-highlight",
            width=170,
            placeholder="none is done yet",
            on_change=_picked_out,
        )
    st.segmented_control(
        "Look at the first",
        CUTS,
        key="compare-k",
        on_change=_write,
        args=("k", "compare-k"),
        required=True,
    )


def _write(name: str, key: str) -> None:
    session.control(name, str(st.session_state[key]))


def _picked_out() -> None:
    """From now on the visitor's choice, not the best so far."""
    st.session_state["compare-picked-out"] = st.session_state["compare-highlight"]


def _settled(comparison: Comparison) -> Comparison:
    state = st.session_state
    return comparison.settled(
        state["compare-baseline"], state["compare-k"], state["compare-highlight"] or ""
    )


def _act(workspace: Workspace, run_ids: list[str], act: drawings.Act) -> None:
    """Do what was asked of a run, then draw the page anew."""
    if act.what == "open":
        session.explore(act.run, act.step)
    if act.what == "stop":
        workspace.cancel(act.run)
    if act.what == "drop":
        session.compare([id_ for id_ in run_ids if id_ != act.run])
    if act.what == "again":
        try:
            made = reader_picker.again(workspace, act.run)
        except GearError as error:
            st.session_state["compare-error"] = str(error)
        else:
            if st.query_params.get("baseline") == act.run:
                session.control("baseline", made)
            session.compare([made if id_ == act.run else id_ for id_ in run_ids])
    st.rerun()
