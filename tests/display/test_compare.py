"""A comparison of runs: its gold, its lines and its tables."""

from __future__ import annotations

from dataclasses import replace

from gear_app.display import comparison_lines as lines
from gear_app.display import comparison_tables as tables
from gear_app.display.comparison import comparable, compare
from gear_app.store.rows import Spent
from gear_app.trace.events import Ranked, RankedPassage
from tests import factories
from tests.display.compared import column, compared, failed, gear, hybrid, run


def test_parts_of_a_gold_document_are_one_line_at_the_first_rank() -> None:
    info = replace(run("a"), gold=("big",))
    ranking = tuple(
        RankedPassage(number, key, key, 1 / number)
        for number, key in enumerate(["rouen", "big#2", "big#1"], start=1)
    )
    events = [Ranked(ranking, iteration=0)]
    data = lines.component_data(
        compare([replace(column("a", events), run=info)], None, lambda keys: {})
    )
    ranks = {one["key"]: (one["gold"], one["ranks"]) for one in data["passages"]}
    assert ranks == {"big": (1, [2]), "rouen": (0, [1])}


def test_a_run_that_lost_its_model_has_a_ranking_and_no_number() -> None:
    lost = replace(gear(), run=replace(gear().run, message="The model server is gone."))
    comparison = compared(hybrid(), lost)
    head = lines.component_data(comparison)["columns"][1]
    assert (head["state"], head["recall"], head["change"], head["best"]) == (
        "done",
        "",
        None,
        False,
    )
    assert head["length"] == len(gear().trace.final)
    words = "Not measured, the ranking is from before a failure: The model server is gone."
    assert head["warning"] == words
    row = tables.method_rows(comparison, ["", ""])[1]
    assert (row["R@5"], row["Ended"]) == (None, words)
    costs = tables.cost_rows(comparison, tables.TIME)
    assert [one["Method"] for one in costs] == ["Hybrid"]


def test_a_passage_is_first_so_high_in_one_iteration() -> None:
    found = gear()
    assert found.first_within("clifton", 5) == (1, 2)
    assert found.first_within("isambard", 5) == (1, 1)
    assert found.first_within("marc", 5) == (1, 4)
    assert found.first_within("marc", 2) == (2, 2)
    assert found.first_within("marc", 1) is None
    assert found.first_within("nowhere", 15) is None
    assert hybrid().first_within("isambard", 10) == (1, 6)


def test_costs_leave_out_runs_of_unknown_price() -> None:
    paid, unknown = (
        column(name, factories.gear_run(), name, spent=Spent(7, input_tokens=9, cost=cost))
        for name, cost in (("paid", 0.5), ("unknown", None))
    )
    comparison = compared(hybrid(), paid, unknown, failed())
    assert tables.axes(comparison) == [
        tables.TIME,
        tables.TOKENS,
        tables.CALLS,
        tables.COST,
    ]
    assert tables.axes(compared(hybrid(), failed())) == [tables.TIME]
    costs = {one["Method"]: one["Cost ($)"] for one in tables.cost_rows(comparison, tables.COST)}
    assert costs == {"Hybrid": 0.0, "paid": 0.5}
    assert len(tables.cost_rows(comparison, tables.TOKENS)) == 3


def test_runs_of_another_question_or_collection_are_not_compared() -> None:
    first, again = run("a"), run("b", method="gear")
    other, elsewhere = run("c", question="Another?"), run("d", collection="films", collection_id=2)
    namesake = run("e", collection_id=None)
    alike, others = comparable([first, other, again, elsewhere, namesake])
    assert [one.id for one in alike] == ["a", "b"]
    assert [one.id for one in others] == ["c", "d", "e"]
    assert comparable([]) == ([], [])
