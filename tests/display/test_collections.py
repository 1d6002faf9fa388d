from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gear_app.display import collections
from gear_app.documents.items import FileReport


def job(**changes: Any) -> Any:
    fields = {
        "kind": "extraction",
        "state": "running",
        "done": 40,
        "total": 160,
        "failed": 0,
        "rate": 32.4,
    }
    return SimpleNamespace(
        **{**fields, "seconds_left": 4.0, "message": "", "model": "", "key_from": "", **changes}
    )


def test_progress_of_an_empty_or_overfull_job_stays_between_0_and_1() -> None:
    assert collections.progress(job(done=0, total=0, rate=0.0, seconds_left=None)) == (0.0, "")
    assert collections.progress(job(done=9, total=3))[0] == 1.0


def test_a_report_that_added_nothing_is_not_good_news() -> None:
    skipped, accepted = FileReport("b", "skipped", "", 0, 0), FileReport("a", "accepted", "", 1, 3)
    assert collections.report_sentence([skipped]) == "1 file: 1 skipped. Nothing was added."
    assert collections.report_tone([skipped]) == "busy"
    assert collections.report_tone([skipped, accepted]) == "good"
    assert collections.report_tone([accepted, FileReport("c", "failed", "", 0, 0)]) == "bad"
