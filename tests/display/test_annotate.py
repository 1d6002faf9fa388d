"""Counts of the page Annotate in words."""

from __future__ import annotations

from gear_app.annotation.counts import Remade, counts
from gear_app.annotation.queue import QueueItem, QueuePlace
from gear_app.app.annotate import charts, desk
from tests.annotation.make import labels, record

FOUND = counts(
    labels(record("q1", "ann"), record("q2", "ann"), record("q3", "ann", verdict="pass"))
)


def place(question: str, state: str = "open") -> QueuePlace:
    return QueuePlace(QueueItem(question, f"run {question}", question, "gear"), state)  # type: ignore[arg-type]


def test_headings_count_judged_and_failed_runs() -> None:
    places = (place("q1"), place("q2", "done"), place("q3", "deferred"))
    assert desk.heading(places) == "2 of 3 runs judged, 1 remaining"
    assert desk.heading(places[1:2]) == "1 of 1 run judged, 0 remaining"
    assert charts.counts_heading(FOUND) == "2 of 3 judged runs failed"


def test_the_note_counts_hidden_labels_and_later_runs() -> None:
    note = charts.counts_note(FOUND, Remade(18, 18, 7), 5)
    assert "18 failed runs were repeated later; 7 then found all gold." in note
    assert "5 runs that you have not judged" in note
    plain = charts.counts_note(FOUND, Remade(2, 0, 0), 0)
    assert "repeated" not in plain and "blind" not in plain
