"""A comparison of runs: its gold, its lines and its tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.core.types import Hop, Question
from gear_app.display.compare import lines, tables
from gear_app.store.rows import Spent
from gear_app.trace.events import Ranked, RankedPassage, Thought
from gear_app.workspace.runs.comparison import ComparedRun, comparable, compare
from tests import factories
from tests.display.compared import column, compared, failed, gear, hybrid, ranked_run, run

KEYS = list(factories.GOLD)


def drawn(*columns: ComparedRun, k: int = 5) -> dict[str, dict[str, object]]:
    data = lines.component_data(compared(*columns, k=k))
    return {passage["key"]: passage for passage in data["passages"]}


def test_only_first_ranks_and_gold_are_drawn() -> None:
    keys = [key for key in factories.TEXTS if key not in KEYS]
    found = drawn(column("a", ranked_run([*keys, "marc", "clifton"])))
    assert (found["marc"]["ranks"], found["clifton"]["ranks"]) == ([10], [11])
    title = factories.TEXTS["isambard"][0]
    absent = {"key": "isambard", "id": 0, "title": title, "gold": 2, "ranks": [None]}
    assert found["isambard"] == absent


def test_gold_comes_first_by_number_and_others_by_their_best_rank() -> None:
    found = drawn(
        column("a", ranked_run(["rouen", "clifton"])), column("b", ranked_run(["gwr", "rouen"]))
    )
    order = [(key, passage["gold"]) for key, passage in found.items()]
    assert order == [("clifton", 1), ("isambard", 2), ("marc", 3), ("rouen", 0), ("gwr", 0)]


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


def test_heads_show_recall_the_change_from_the_baseline_and_failures() -> None:
    heads = lines.component_data(compared(hybrid(), failed(), gear()))["columns"]
    assert [head["state"] for head in heads] == ["done", "bad", "done"]
    assert heads[1]["words"] == "It failed: The disk is full."
    assert [head["recall"] for head in heads] == ["0.33", "", "1.00"]
    assert heads[2]["facts"] == "2 iterations · 900 ms"
    assert heads[2]["change"] == {"words": "+2 gold", "tone": "yes"}
    assert [head["best"] for head in heads] == [False, False, True]
    assert tables.verdict(compared(hybrid(), gear())) == (
        "Best recall@5: GEAR with 3 of 3 gold passages"
    )
    assert tables.verdict(compared(gear(), gear())) == ""


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
    assert head["length"] == len(gear().ranking)
    words = "Not measured, the ranking is from before a failure: The model server is gone."
    assert head["warning"] == words
    row = tables.method_rows(comparison, ["", ""])[1]
    assert (row["R@5"], row["Ended"]) == (None, words)
    costs = tables.cost_rows(comparison, tables.TIME)
    assert [one["Method"] for one in costs] == ["Hybrid"]


def test_without_gold_a_head_counts_new_passages() -> None:
    plain = [replace(one, run=replace(one.run, gold=())) for one in (hybrid(), gear())]
    comparison = compare(plain, None, lambda keys: {}).with_baseline(None)
    head = lines.component_data(comparison)["columns"][1]
    assert head["change"] == {"words": "4 new in 5", "tone": ""}
    assert comparison.selected is None


def test_a_cell_opens_the_step_that_first_had_the_passage_so_high() -> None:
    found = gear()
    assert found.first_within("clifton", 5) == (1, 2, 0)  # the first search
    assert found.first_within("isambard", 5) == (1, 1, 3)  # the beams
    assert found.first_within("marc", 5) == (1, 4, 5)  # the gist memory links to it
    assert found.first_within("marc", 2) == (2, 2, 8)
    assert found.first_within("marc", 1) is None
    assert found.first_within("nowhere", 15) is None
    assert hybrid().first_within("isambard", 10) == (1, 6, 0)
    assert tables.gold_step(hybrid(), "marc", 5) == 1  # never: the final ranking


def test_gold_rows_have_first_ranks_and_final_ranks() -> None:
    rows = tables.gold_rows(compared(hybrid(), failed(), gear()))
    assert [list(row.values())[1:] for row in rows] == [
        ["1", "2 · it. 1 → 5"],
        ["6", "1 · it. 1"],
        ["–", "4 · it. 1 → 2"],
    ]
    assert [row[tables.GOLD][:2] for row in rows] == ["★1", "★2", "★3"]


def test_method_rows_have_costs_where_a_model_was_asked() -> None:
    spent = Spent(7, kept=2, unusable=1, input_tokens=1200, output_tokens=80, cost=None)
    asked = column("llm", factories.gear_run(), "GEAR, tiny", spent=spent)
    rows = tables.method_rows(compared(hybrid(), failed(), asked), ["", "", "Width b 5"])
    assert [row["Tokens"] for row in rows] == [None, None, 1280]
    assert [row["Cost"] for row in rows] == ["", "", "price not known"]
    assert [row["R@5"] for row in rows] == [pytest.approx(1 / 3), None, 1.0]
    assert rows[1]["Ended"] == "failed: The disk is full"
    plain = tables.method_rows(compared(hybrid()), [""])
    assert {"Tokens", "Cost", "Answer", "Settings"}.isdisjoint(plain[0])


def test_costs_leave_out_runs_of_unknown_price() -> None:
    paid, unknown = (
        column(name, factories.gear_run(), name, spent=Spent(7, input_tokens=9, cost=cost))
        for name, cost in (("paid", 0.5), ("unknown", None))
    )
    comparison = compared(hybrid(), paid, unknown, failed())
    assert tables.axes(comparison) == [tables.TIME, tables.TOKENS, tables.CALLS, tables.COST]
    assert tables.axes(compared(hybrid(), failed())) == [tables.TIME]
    costs = {one["Method"]: one["Cost ($)"] for one in tables.cost_rows(comparison, tables.COST)}
    assert costs == {"Hybrid": 0.0, "paid": 0.5}
    assert len(tables.cost_rows(comparison, tables.TOKENS)) == 3


def test_notes_are_facts_or_thoughts_by_iteration() -> None:
    """GEAR Table 13: a memory of triples next to IRCoT's thoughts; hybrid notes nothing."""
    thought = Thought("ircot", "The bridge is in Clifton.", "The bridge is in Clifton.")
    events = [*factories.gear_run()[:2], thought, *factories.gear_run()[-1:]]
    rows = tables.note_rows(compared(hybrid(), gear(), column("i", events, "IRCoT")))
    assert [row["Method"] for row in rows] == ["GEAR", "IRCoT"]
    assert rows[0]["R@5"] == 1.0
    assert rows[0]["Iteration 2"] == (
        "Marc Isambard Brunel was taught drawing by François Carpentier"
    )
    assert rows[1]["Iteration 1"] == thought.text
    assert tables.note_rows(compared(hybrid())) == []


def test_the_gold_is_what_was_known_or_marked_last() -> None:
    old = run("a", gold=("clifton",), created="2026-11-22T01:00:00Z")
    new = run("b", gold=("clifton", "marc"), created="2026-11-22T02:00:00Z")
    marked = run(
        "c", gold=("marc",), created="2026-11-22T01:00:00Z", gold_marked="2026-11-22T03:00:00Z"
    )
    for runs, keys, disagree in (
        ([new, old], ["clifton", "marc"], True),
        ([new, marked], ["marc"], True),
        ([old, run("d", gold=("clifton",))], ["clifton"], False),
    ):
        columns = [ComparedRun(one, one.id) for one in runs]
        found = compare(columns, None, lambda keys: {})
        assert (found.keys, found.disagree) == (keys, disagree)


def test_gold_passages_come_in_the_order_of_the_hops() -> None:
    hops = (
        Hop("Who taught him?", "Carpentier", "marc"),
        Hop("?", "", "gone"),
        Hop("Whose?", "", "clifton"),
    )
    question = Question("q", factories.QUESTION, decomposition=hops)
    found = compare([hybrid()], question, lambda keys: {"marc": "Marc Isambard Brunel"})
    clifton, isambard = (factories.TEXTS[key][0] for key in ("clifton", "isambard"))
    assert found.gold == [
        (1, "marc", "Marc Isambard Brunel", "Who taught him?", "Carpentier"),
        (2, "clifton", clifton, "Whose?", ""),
        (3, "isambard", isambard, "", ""),
    ]


def test_the_baseline_is_the_chosen_run_else_the_first_measured_one() -> None:
    assert compared(failed(), hybrid(), gear(), baseline="gear").baseline == "gear"
    assert compared(failed(), hybrid(), gear(), baseline="unknown").baseline == "base"
    assert compared(failed()).baseline == "lost"


def test_runs_of_another_question_or_collection_are_not_compared() -> None:
    first, again = run("a"), run("b", method="gear")
    other, elsewhere = run("c", question="Another?"), run("d", collection="films", collection_id=2)
    namesake = run("e", collection_id=None)
    alike, others = comparable([first, other, again, elsewhere, namesake])
    assert [one.id for one in alike] == ["a", "b"]
    assert [one.id for one in others] == ["c", "d", "e"]
    assert comparable([]) == ([], [])


def test_the_page_opens_at_gold_that_the_baseline_misses() -> None:
    assert compared(hybrid(), gear(), baseline="base").selected == "isambard"
    assert compared(gear(), hybrid(), baseline="gear").selected == "clifton"
