"""Records for tests: short ways to say who judged what how."""

from __future__ import annotations

from gear_app.annotation.record import Case, Key, Label, Record, latest


def case(question: str = "Who?", method: str = "gear") -> Case:
    return Case(question, method)


def label(category: str = "reader", verdict: str = "fail", **more: str) -> Label:
    return Label(category=category, verdict=verdict, complete=True, **more)  # type: ignore[arg-type]


def record(
    question: str,
    annotator: str,
    category: str = "reader",
    at: str = "2026-01-01T00:00:00Z",
    *,
    verdict: str = "fail",
    method: str = "gear",
    adjudicates: bool = False,
    **more: str,
) -> Record:
    said = label(category, verdict, **more)
    return Record(case(question, method), annotator, at, said, adjudicates)


def labels(*records: Record) -> dict[Key, Record]:
    return latest(records)
