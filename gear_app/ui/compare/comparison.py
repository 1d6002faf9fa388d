"""What the page Compare is drawn from: the runs as columns, and the gold passages they share."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gear_app.analysis import comparison as analysis
from gear_app.analysis.comparison import ComparedRun, NumberedGold
from gear_app.errors import GearError
from gear_app.types import Question
from gear_app.ui.shared import passages, run_record
from gear_app.views.compare import entries
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
        """With the choices of the controls."""
        return dataclasses.replace(self, base=base, k=k, highlight=highlight)

    @property
    def keys(self) -> list[str]:
        """The gold passages' keys."""
        return [row.key for row in self.gold]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking to compare."""
        return [column for column in self.columns if column.digest]


def compared(workspace: Workspace, runs: Sequence[RunInfo]) -> Comparison:
    """The runs with what is known of them; cut-off, baseline and highlight are settled later."""
    gold, disagree = analysis.known_gold(runs)
    limit, question = _of_collection(workspace, runs[0])
    names = entries.run_labels(runs, limit)
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
    """The collection's iteration limit and its question; None for what was deleted."""
    if run.collection_id is None:
        return None, None
    try:
        limit = workspace.collections.get(run.collection).max_iterations
        return limit, workspace.collections.question(run.collection, run.question)
    except GearError:
        return None, None


def _digest(workspace: Workspace, run: RunInfo, gold: tuple[str, ...]) -> analysis.Digest:
    events = run_record.events(workspace, run)
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
