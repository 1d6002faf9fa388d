"""What the page Compare is drawn from, the runs as columns and the gold passages they share; and
its cards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gear_app.errors import GearError
from gear_app.runs import comparison as compare
from gear_app.runs.comparison import ComparedRun, NumberedGold, first_selected
from gear_app.text import count
from gear_app.types import Question
from gear_app.ui.shared import components, elements, session
from gear_app.views import header, markup
from gear_app.views.compare import aligned_rankings, entries
from gear_app.views.compare import tables as grids
from gear_app.workspace import RunInfo, Workspace


@dataclass(frozen=True)
class Comparison:
    """Columns in order, gold passages, and the choices of the controls.

    `settings` are one line a column.
    """

    columns: list[ComparedRun]
    gold: list[NumberedGold]
    disagree: bool
    settings: list[str]
    base: str = ""
    k: int = 5
    highlight: str = ""

    def settled(self, base: str, k: int, highlight: str) -> Comparison:
        """The same comparison with the choices of the controls."""
        return dataclasses.replace(self, base=base, k=k, highlight=highlight)

    @property
    def keys(self) -> list[str]:
        """The gold passages' keys."""
        return [row.key for row in self.gold]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking to compare."""
        return [column for column in self.columns if column.digest]


def comparison_of(workspace: Workspace, runs: Sequence[RunInfo]) -> Comparison:
    """The runs with what is known of them; cut-off, baseline and highlight are settled later."""
    gold, disagree = compare.known_gold(runs)
    limit, question = _of_collection(workspace, runs[0])
    names = entries.run_labels(runs, limit)
    columns = [
        compare.ComparedRun(
            run, label, _digest(workspace, run, gold) if run.state == "done" else None
        )
        for run, label in zip(runs, names, strict=True)
    ]
    known = compare.titles(columns)
    missing = [key for key in gold if key not in known]
    known |= elements.passage_titles(workspace, runs[0].collection, missing) if missing else {}
    settings = [entries.settings_words(run, limit) for run in runs]
    return Comparison(columns, compare.number_gold(gold, question, known), disagree, settings)


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
    _events: list[Any],
) -> compare.Digest:
    return compare.digest(_events, gold, known)


BESIDE = 3  # columns that leave room for the selected passage beside them


def head(comparison: Comparison) -> None:
    """The question and the facts all runs share."""
    run = comparison.columns[0].run
    sets = list(dict.fromkeys(c.run.triple_set for c in comparison.columns if c.run.triple_set))
    facts = [
        count(len(comparison.columns), "method"),
        run.collection,
        f"triples: {', '.join(sets)}" if sets else "",
        count(len(comparison.gold), "gold passage") if comparison.gold else "",
    ]
    st.html(header.head(run.question, " · ".join(filter(None, facts)), []))


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


def rankings(workspace: Workspace, comparison: Comparison) -> None:
    """The rankings side by side and the selected passage."""
    beside = len(comparison.columns) <= BESIDE and bool(comparison.done)
    left, right = st.columns([2.1, 1], gap="small") if beside else (st.container(), st.container())
    with left, st.container(border=True):
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
    with st.container(border=True):
        k = comparison.k
        st.html(markup.title("Gold passages", f"when each method first had them in its first {k}"))
        grid = grids.hop_grid(comparison.columns, comparison.gold, k)
        components.grid(grid, "compare-hops")
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
    base = next((column for column in comparison.done if column.run.id == comparison.base), None)
    if base and len(comparison.done) > 1:
        with st.container(border=True):
            st.html(markup.title(f"Against {base.label}", f"the first {comparison.k} passages"))
            grid = grids.difference_grid(comparison.columns, comparison.gold, base, comparison.k)
            components.grid(grid, "compare-differences")
    with st.container(border=True):
        st.html(markup.title("Methods", "a name opens its run in Explore"))
        grid = grids.method_grid(comparison.columns, comparison.gold, comparison.settings)
        components.grid(grid, "compare-methods")
