"""The order of a comparison's columns."""

from __future__ import annotations

from gear_app.runs.comparison import ComparedRun, by_recall
from tests.views.compared import column, ranked_run, run

OTHERS = ["rouen", "gwr", "tunnel", "menai", "avon", "telford", "engineers"]


def test_columns_by_recall_stand_lowest_first_and_unfinished_last() -> None:
    columns = [
        ComparedRun(run("waits"), "waits"),
        column("both", ranked_run(["isambard", "marc"])),
        column("later", ranked_run(["isambard", *OTHERS, "marc"])),
        column("one", ranked_run(["isambard"])),
    ]
    ordered = by_recall(columns, ["isambard", "marc"], 5)
    assert [one.run.id for one in ordered] == ["one", "later", "both", "waits"]
    assert by_recall(columns, [], 5) == columns
