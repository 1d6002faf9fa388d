"""The cards of the page Compare, drawn from runs as columns and the gold passages they share."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.analysis import gold as golds
from gear_app.analysis.trace import RunTrace
from gear_app.errors import GearError
from gear_app.runs import comparison as compare
from gear_app.runs.comparison import first_selected
from gear_app.store.rows import RunInfo
from gear_app.types import Question
from gear_app.ui.shared import components, elements, session
from gear_app.views import header, markup
from gear_app.views import why_not as lost
from gear_app.views.compare import aligned_rankings
from gear_app.views.compare import tables as grids
from gear_app.views.compare.comparison import Comparison, GridCard, comparison
from gear_app.workspace import Workspace


def comparison_of(workspace: Workspace, runs: Sequence[RunInfo]) -> Comparison:
    """The runs with what is known of them; cut-off, baseline and highlight are settled later."""
    limit, question = _of_collection(workspace, runs[0])
    return comparison(
        runs,
        lambda run, gold: _digest(workspace, run, gold),
        lambda keys: elements.passage_titles(workspace, runs[0].collection, list(keys)),
        question,
        limit,
    )


def _of_collection(workspace: Workspace, run: RunInfo) -> tuple[int | None, Question | None]:
    """The collection's iteration limit and its question; None for what was deleted."""
    if run.collection_id is None:
        return None, None
    try:
        limit = workspace.collections.get(run.collection).max_iterations
        return limit, workspace.collections.question(run.collection, run.question)
    except GearError:
        return None, None


def _digest(workspace: Workspace, run: RunInfo, gold: tuple[str, ...]) -> compare.Digest:
    events = session.events(workspace, run)
    return _cached_digest(
        str(workspace.path), run.id, len(events), gold, run.answers, _events=events
    )


@st.cache_resource(max_entries=256, show_spinner=False)
def _cached_digest(
    path: str,
    run_id: str,
    count: int,
    gold: tuple[str, ...],
    known: tuple[str, ...],
    *,
    _events: RunTrace,
) -> compare.Digest:
    return compare.digest(_events, gold, known)


BESIDE = 3  # columns that leave room for the selected passage beside them


def head(comparison: Comparison) -> None:
    """The question and the facts all runs share."""
    st.html(header.head(comparison.columns[0].run.question, comparison.facts, []))


def remarks(comparison: Comparison, worker: str) -> None:
    """Sentences about runs that wait, data that was deleted or changed, and gold that differs."""
    runs = [column.run for column in comparison.columns]
    if any(one.state == "queued" for one in runs) and worker in ("starting", "not running"):
        elements.message(header.state_sentence("queued", worker=worker), "busy")
    elif header.going_on(runs):
        waiting = sum(one.going for one in runs)
        elements.message(
            f"{len(runs) - waiting} of {len(runs)} are done. The rest appear here as they finish.",
            "busy",
        )
    if runs[0].collection_id is None:
        elements.message(
            "The collection of these runs was deleted: what you see is what the runs recorded."
        )
    elif any(one.stale for one in runs):
        old = ", ".join(c.label for c in comparison.columns if c.run.stale)
        elements.message(
            f"The collection changed after these runs: {old}. ↻ above a column makes its run again."
        )
    if comparison.disagree:
        elements.message(
            "The runs know different gold passages; all are measured by those that were marked"
            " last."
        )


def found(comparison: Comparison) -> None:
    """What each method found."""
    if comparison.found:
        with st.container(border=True, key="found"):
            st.html(markup.title("What was found") + comparison.found)


def rankings(workspace: Workspace, comparison: Comparison) -> None:
    """The rankings side by side and the selected passage."""
    beside = len(comparison.columns) <= BESIDE and bool(comparison.done)
    left, right = st.columns([2.1, 1], gap="small") if beside else (st.container(), st.container())
    with left, st.container(border=True, key="rankings"):
        st.html(
            markup.title(
                "Rankings",
                "one passage is one line; point at it to follow it, select it to read it",
            )
        )
        kept = st.session_state.get("compare-kept", ())
        lines = aligned_rankings.component_data(
            comparison.columns, comparison.gold, comparison.base, comparison.k, kept
        )
        first = first_selected(comparison.columns, comparison.keys, comparison.base, comparison.k)
        selected = components.aligned(lines, first, "compare-lines")
        st.html(markup.legend(_legend(comparison, lines["rows"])))
        if comparison.done:
            elements.folded_table(
                "As a table",
                lambda: aligned_rankings.rows(comparison.columns, comparison.gold, comparison.k),
                "compare-lines",
            )
    chosen = next((one for one in lines["passages"] if one["key"] == selected), None)
    if chosen and comparison.done:
        with right, st.container(border=True):
            _selected(workspace, comparison, chosen, beside=beside)


def _legend(comparison: Comparison, rows: int) -> list[tuple[str, str]]:
    gold = [
        ("star", "gold passage, numbered by hop; drawn below the line where it is further down")
    ]
    return [
        *(gold if comparison.gold else []),
        ("", f"short dotted line: leaves or enters the first {rows}"),
        *([("", f"dashed line: the first {comparison.k}")] if comparison.k < rows else []),
    ]


def _selected(
    workspace: Workspace, comparison: Comparison, chosen: Mapping[str, object], *, beside: bool
) -> None:
    """The selected passage and where each method ranks it."""
    text, table = (st.container(), st.container()) if beside else st.columns([1, 1], gap="medium")
    with text:
        star = f"★{chosen['gold']} gold passage" if chosen["gold"] else ""
        st.html(markup.title("Selected passage", star))
        if chosen["id"]:
            elements.passage_of_line(workspace, int(str(chosen["id"])))
        else:
            elements.message(f"{chosen['title']}: none of these methods ranks it.")
    with table:
        grid = grids.place_grid(
            comparison.columns, str(chosen["key"]), comparison.base, comparison.k
        )
        components.grid(grid, "compare-places")


def gold(comparison: Comparison) -> None:
    """When each method had each gold passage; without gold, how to mark it."""
    if not comparison.gold:
        elements.message(
            "No gold passage is known for this question, so nothing here says which ranking is"
            " better. Open a run by its name above and mark gold passages in its ranking; they"
            " count here too."
        )
        return
    if not comparison.done:
        return
    k = comparison.k
    with st.container(border=True):
        _card(comparison.gold_card())
        st.caption(
            f"The rank when a passage first stood in the first {k}, the iteration (it.) of methods"
            " that have several, and → its final rank where that is another. A cell opens the run"
            " at that step."
        )
        elements.folded_table(
            "As a table",
            lambda: grids.hop_rows(comparison.columns, comparison.gold, k),
            "compare-hops",
        )


def tables(comparison: Comparison) -> None:
    """What each method has that the baseline has not; all methods with figures and settings."""
    for card in comparison.method_cards():
        with st.container(border=True):
            _card(card)


def _card(card: GridCard) -> None:
    st.html(markup.title(card.title, card.aside))
    components.grid(card.grid, f"compare-{card.key}")


def misses(workspace: Workspace, comparison: Comparison) -> None:
    """A folded table, made when it is opened; nothing without gold."""
    if not comparison.gold or not comparison.done:
        return
    elements.folded_table(
        "Why not? What lost each gold passage that a method misses",
        lambda: _lost_rows(workspace, comparison),
        "compare-why",
    )


def _lost_rows(workspace: Workspace, comparison: Comparison) -> list[dict[str, Any]]:
    """Runs of a deleted collection have no line."""
    found = []
    for column in comparison.columns:
        if not column.digest:
            continue
        run = column.run
        for key in golds.missed(session.events(workspace, run), run.gold, comparison.k):
            with contextlib.suppress(GearError):
                answer = workspace.why_not.explain(run.id, key, comparison.k)
                found.append(lost.row(answer, column.label))
    return found
