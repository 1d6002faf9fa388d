"""Comparisons of finished and unfinished runs of the factories' question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gear_app.core.types import Question
from gear_app.display.comparison import ComparedRun, Comparison, compare
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Ranked, Retrieved, Started
from gear_app.trace.trace import RunTrace
from tests import factories


def run(id_: str, method: str = "hybrid", **changes: Any) -> RunInfo:
    """A run as the store hands it out."""
    facts: dict[str, Any] = {
        "id": id_,
        "question": factories.QUESTION,
        "method": method,
        "config": {"depth": 100, "constant": 60},
        "reader": "local",
        "k": 15,
        "collection": "demo",
        "revision": 1,
        "triple_set": None,
        "gold": factories.GOLD,
        "state": "done",
        "created": "2026-11-22T01:00:00Z",
        "ms": 20.0,
        "message": "",
        "versions": {},
        "corpus_hash": "",
        "owner": "me",
        "iterations": 1,
        "collection_id": 1,
    }
    return RunInfo(**facts | changes)


def ranked_run(keys: Sequence[str], method: str = "hybrid") -> list[Event]:
    """The events of a method of one step with this ranking."""
    ranking = factories.ranked(keys)
    started = Started(factories.QUESTION, method)
    return [started, Retrieved(factories.QUESTION, method, ranking), Ranked(ranking, iteration=0)]


def column(
    id_: str, events: Sequence[Event] | None, label: str = "", **changes: Any
) -> ComparedRun:
    """A column with its events; without events a run that is not done."""
    trace = RunTrace(events or ())
    return ComparedRun(run(id_, **changes), label or id_, trace)


def compared(*columns: ComparedRun, k: int = 5, baseline: str = "") -> Comparison:
    """The columns measured by the factories' gold."""
    question = Question("q", factories.QUESTION, supporting_keys=factories.GOLD)
    titles = {key: factories.TEXTS[key][0] for key in factories.GOLD}
    found = compare(columns, question, lambda keys: {key: titles[key] for key in keys})
    return replace(found, k=k, chosen=baseline)


def hybrid() -> ComparedRun:
    """The factories' first retrieval, ten deep."""
    return column("base", ranked_run(factories.FIRST_TEN), "Hybrid")


def gear() -> ComparedRun:
    """The factories' run of GEAR: two iterations, all gold in its first five."""
    return column(
        "gear",
        factories.gear_run(),
        "GEAR",
        method="gear",
        iterations=2,
        ms=900.0,
        triple_set="curated",
    )


def failed() -> ComparedRun:
    """A run that has no ranking."""
    return column(
        "lost", None, "Dense", method="dense", state="failed", message="The disk is full", ms=3.0
    )
