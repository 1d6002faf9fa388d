"""What became of failures since they were judged."""

from __future__ import annotations

from dataclasses import replace

from gear_app.annotation.counts import Remade, remade
from gear_app.annotation.queue import QueueItem
from tests.annotation.make import record


def test_a_failure_was_made_again_where_its_newest_run_is_not_the_judged_one() -> None:
    same, found, missed, away = (replace(record(f"q{at}", "ann"), run=f"r{at}") for at in range(4))
    failed = {one.case.id: one for one in (same, found, missed, away)}
    items = {
        same.case.id: QueueItem(same.case.id, "r0", "q0", "gear", gold=2, found=2),
        found.case.id: QueueItem(found.case.id, "new", "q1", "gear", gold=2, found=2),
        missed.case.id: QueueItem(missed.case.id, "new", "q2", "gear", gold=2, found=1),
    }
    assert remade(failed, items) == Remade(present=3, again=2, all_gold=1)
