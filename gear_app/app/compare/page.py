"""Compare: one question, up to eight methods, side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import plotly.express as px
import streamlit as st

from gear_app.app.compare import question_bar
from gear_app.app.shared import address, collection, components, elements, session, share
from gear_app.core.errors import GearError
from gear_app.display import comparison_lines as lines
from gear_app.display import comparison_tables as tables
from gear_app.display import draw, header, markup
from gear_app.display import why_not as lost
from gear_app.display.comparison import ComparedRun, Comparison, comparable, compare
from gear_app.display.comparison_tables import MOST, run_labels, run_settings
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import CUTS
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

REFRESH_S = 0.7
LONGEST = 20  # characters of an id in an address
CHART_HEIGHT = 280
BASELINE, CUT = "compare-baseline", "compare-k"  # keys of the controls, and in the address
AXIS = "compare-axis"
NO_GOLD = (
    "No gold passage is known for this question, so no ranking can be called better. Open a run by"
    " its name above and mark gold passages in its ranking."
)
NO_RUNS = "No run is compared yet. Choose a question and methods, then press Compare."
DISAGREE = "The runs know different gold passages; all are measured by those marked last."
DELETED = "The collection of these runs was deleted. Shown is what the runs recorded."


def page() -> None:
    """Draw the bar, and the runs of the address, those compared last, or stored ones."""
    workspace = session.workspace()
    collections = {info.name: info for info in workspace.collections.all()}
    if not collections:
        session.tell_empty()
    info = collections.get(collection.chosen() or "")
    if session.compared() is None and info:
        session.compare(question_bar.first_comparison(workspace, info))
    runs = _runs(workspace)
    if info:
        question_bar.bar(workspace, info, runs)
    if runs:
        _draw(workspace, runs)
    elif info:
        elements.message(NO_RUNS)


def _runs(workspace: Workspace) -> list[RunInfo]:
    """The runs of the address that can be compared; sentences name the others."""
    runs = []
    for id_ in session.compared() or ():
        with elements.refusals():
            run = workspace.runs.get(id_[:LONGEST])
            session.events(workspace, run)
            runs.append(run)
    alike, incomparable = comparable(runs)
    if omitted := ", ".join(run.id for run in [*incomparable, *alike[MOST:]]):
        words = f"Left out, with another question or collection, or after {MOST} runs: {omitted}."
        elements.message(words, "bad")
    session.compare([run.id for run in alike[:MOST]])
    return alike[:MOST]


def _draw(workspace: Workspace, runs: Sequence[RunInfo]) -> None:
    """Draw the controls, and the comparison again and again while a run is going on."""
    comparison, _ = _comparison(workspace, runs)
    labels = {column.run.id: column.label for column in comparison.columns}
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    left.html(header.head(runs[0].question, tables.facts(comparison), []))
    with right.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Baseline",
            list(labels),
            index=list(labels).index(comparison.baseline.run.id),
            format_func=lambda run_id: labels.get(run_id, ""),
            key=BASELINE,
            bind="query-params",
        )
        st.segmented_control(
            "Cut-off k", CUTS, default=CUTS[0], required=True, key=CUT, bind="query-params"
        )
        share.of_runs(workspace, list(runs))
        session.annotate_link("Annotate this", runs=",".join(labels))
    live = any(run.going for run in runs)
    body = st.fragment(_body, run_every=REFRESH_S if live else None)
    body(workspace, [run.id for run in runs], live)


def _comparison(workspace: Workspace, runs: Sequence[RunInfo]) -> tuple[Comparison, list[str]]:
    """The comparison of runs, and the settings of each in words."""
    first, limit, question = runs[0], None, None
    if first.collection_id is not None:
        with contextlib.suppress(GearError):  # deleted meanwhile
            limit = workspace.collections.get(first.collection).max_iterations
            question = workspace.store.questions.find(first.collection_id, first.question)
    columns = [
        ComparedRun(
            run, label, session.events(workspace, run) if run.state == "done" else RunTrace()
        )
        for run, label in zip(runs, run_labels(runs, limit), strict=True)
    ]
    titles = partial(elements.passage_titles, workspace, first.collection)
    return compare(columns, question, titles), [run_settings(run, limit) for run in runs]


def _body(workspace: Workspace, run_ids: list[str], live: bool) -> None:
    runs = [workspace.runs.get(id_) for id_ in run_ids]
    if live and not any(run.going for run in runs):
        st.rerun()
    comparison, settings = _comparison(workspace, runs)
    state = st.session_state
    comparison = replace(comparison, k=state[CUT], chosen=state[BASELINE])
    _remarks(comparison)
    if evidence := tables.evidence_rows(comparison):
        with st.container(border=True, key="found"):
            st.html(markup.title("What was found") + draw.table(evidence))
    _rankings(workspace, comparison)
    if not comparison.gold:
        elements.message(NO_GOLD)
    elif comparison.done:
        left, right = st.columns([3, 2], gap="small")
        with left.container(border=True, height="stretch"):
            _gold(comparison)
            elements.folded_table(
                "Why not? The cause for each gold passage that a method misses",
                partial(_causes, workspace, comparison),
                "compare-why",
            )
        with right.container(border=True, height="stretch"):
            _costs(comparison)
    _methods(comparison, settings)


def _remarks(comparison: Comparison) -> None:
    """Draw sentences about unfinished runs, changed data and gold that differs."""
    runs = [column.run for column in comparison.columns]
    if any(run.going for run in runs):
        done = sum(not run.going for run in runs)
        elements.message(f"{done} of {len(runs)} runs complete.", "busy")
    stale = ", ".join(column.label for column in comparison.columns if column.run.stale)
    if runs[0].collection_id is None:
        elements.message(DELETED)
    elif stale:
        elements.message(f"The collection changed after these runs: {stale}. ↻ runs one again.")
    elements.message(DISAGREE if comparison.disagree else "")


def _rankings(workspace: Workspace, comparison: Comparison) -> None:
    """Draw the rankings with a line for each passage, and the selected passage."""
    data = lines.component_data(comparison, st.session_state.get(question_bar.CACHED, ()))
    with st.container(border=True, key="rankings"):
        st.html(markup.title("Rankings", tables.verdict(comparison)))
        click = components.aligned(data, comparison.selected, "compare-lines")
        star = [("star", "gold passage, numbered by hop")] if comparison.gold else []
        dotted = ("", f"dotted: enters or leaves the first {data['rows']}")
        st.html(markup.legend([*star, dotted, ("", f"dashed: the first {comparison.k}")]))
    if click.event:
        _act(workspace, comparison, click.event["what"], click.event["run"])
    passage = next((row for row in data["passages"] if row["key"] == click.selected), None)
    if passage and comparison.done:
        with st.container(border=True):
            gold = f"★{passage['gold']} gold passage" if passage["gold"] else ""
            st.html(markup.title("Selected passage", gold))
            if passage["id"]:
                elements.passage_of_line(workspace, passage["id"])
            else:
                elements.message(f"{passage['title']}: none of these methods ranks it.")


def _act(workspace: Workspace, comparison: Comparison, action: str, run: str) -> None:
    """Open, cancel, drop or repeat a run, then draw the page anew."""
    ids = [column.run.id for column in comparison.columns]
    with elements.refusals(question_bar.ERROR):
        match action:
            case "open":
                address.explore(run)
            case "stop":
                workspace.runs.cancel(run, session.owner())
            case "drop":
                session.compare([id_ for id_ in ids if id_ != run])
            case "again":
                run_id = session.run_again(workspace, run)
                session.compare([run_id if id_ == run else id_ for id_ in ids])
    st.rerun()


def _gold(comparison: Comparison) -> None:
    """Draw when each method first had each gold passage; a cell opens the run."""
    columns, k = {column.label: column for column in comparison.done}, comparison.k
    frame = pd.DataFrame(tables.gold_rows(comparison))
    colours = pd.DataFrame("", frame.index, frame.columns)
    for label, column in columns.items():
        ranked = [bool(golds.missed(column.trace, [key], k)) for key in comparison.gold]
        green = f"color: {session.colours().yes_text}; font-weight: 600"
        colours[label] = ["" if missed else green for missed in ranked]
    st.html(markup.title("Gold passages", "select a cell to open its run at that step"))
    table: Any = st.dataframe(
        frame.style.apply(lambda _: colours, axis=None),
        hide_index=True,
        key="compare-gold",
        on_select="rerun",
        selection_mode="single-cell",
    )
    st.caption(tables.GOLD_ABOUT.format(k))
    for row, label in table.selection.cells:
        if label in columns:
            column = columns[label]
            step = origin_of(column.trace, [*comparison.gold][row]).step
            address.explore(column.run.id, step)


def _costs(comparison: Comparison) -> None:
    """Draw recall against the chosen cost."""
    axes = tables.axes(comparison)
    st.html(markup.title("Recall and cost"))
    axis = st.segmented_control(
        "Cost", axes, default=axes[0], required=True, key=AXIS, label_visibility="collapsed"
    )
    x, y = tables.AXES[axis], tables.RECALLS[comparison.k]
    rows = tables.cost_rows(comparison, axis)
    figure = px.scatter(
        rows,
        x=x,
        y=y,
        color="Method",
        symbol="Method",
        log_x=axis == tables.TIME,
        range_y=(-0.06, 1.1),
    )
    figure.update_traces(marker={"size": 12})
    if axis == tables.TIME:
        ticks = [digit * 10**power for power in range(8) for digit in (1, 2, 5)]
        figure.update_xaxes(tickvals=ticks, tickformat=",")
    figure.update_layout(height=CHART_HEIGHT, margin={"l": 0, "r": 0, "t": 0, "b": 0})
    table = partial(elements.folded_table, "As a table", lambda: rows, "compare-costs")
    elements.figure(figure, "compare-cost", f"{y} against {x}", table=table)


def _causes(workspace: Workspace, comparison: Comparison) -> list[dict[str, Any]]:
    """Rows for every gold passage that a run misses; runs of a deleted collection have none."""
    rows = []
    for column in comparison.done:
        run = column.run
        for key in golds.missed(column.trace, run.gold, comparison.k):
            with contextlib.suppress(GearError):
                answer = workspace.reruns.explain(run.id, key, comparison.k)
                rows.append(lost.row(answer, column.label))
    return rows


def _methods(comparison: Comparison, settings: Sequence[str]) -> None:
    """Tables of all methods with figures and settings, and of the notes of their iterations."""
    methods = partial(tables.method_rows, comparison, settings)
    elements.folded_table("Methods: figures, settings, how they ended", methods, "compare-methods")
    if notes := tables.note_rows(comparison):
        title = "Gist memory and thoughts by iteration"
        elements.folded_table(title, lambda: notes, "compare-notes")


page()
