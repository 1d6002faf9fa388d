from __future__ import annotations

from gear_app.store.rows import Spent
from gear_app.views import header
from gear_app.views.compare import tables
from gear_app.views.compare.tables import Cell
from tests import factories
from tests.views import chained
from tests.views.compared import GOLD, column, failed, gear, hybrid, ranked_run


def words(cell: Cell) -> str:
    return " ".join(piece["text"] for piece in cell["pieces"])


def tones(cell: Cell) -> list[str]:
    return [piece["tone"] for piece in cell["pieces"]]


def test_a_gold_passage_is_a_row_and_a_cell_tells_when_and_where_it_ended() -> None:
    grid = tables.hop_grid([hybrid(), failed(), gear()], GOLD, 5)
    assert [words(cell) for cell in grid["head"]] == ["Gold passage", "Hybrid", "GEAR"]
    clifton, isambard, marc = grid["rows"]
    assert [words(cell) for cell in clifton] == ["★1 Clifton Suspension Bridge", "1", "2 it. 1 → 5"]
    assert [words(cell) for cell in isambard[1:]] == ["6", "1 it. 1"]
    assert [words(cell) for cell in marc[1:]] == ["–", "4 it. 1 → 2"]
    assert tones(isambard[1]) == ["near"]
    assert tones(marc[1]) == ["absent"]


def test_every_cell_leads_into_its_run_at_the_step_that_shows_it() -> None:
    rows = tables.hop_grid([hybrid(), gear()], GOLD, 5)["rows"]
    assert [[cell["go"] for cell in row[1:]] for row in rows] == [
        [{"run": "base", "step": 0}, {"run": "gear", "step": 0}],
        [{"run": "base", "step": 0}, {"run": "gear", "step": 3}],
        [{"run": "base", "step": 1}, {"run": "gear", "step": 5}],  # never found: the final ranking
    ]


def test_a_cell_says_in_words_what_brought_the_passage_in() -> None:
    cell = tables.hop_grid([gear()], GOLD, 5)["rows"][1][1]
    assert cell["title"].startswith(
        "iteration 1, rank 1; in the top 5 so far since iteration 1, beam: Clifton Suspension Bridge was designed"
    )


def test_a_passage_that_was_there_and_left_again_shows_both() -> None:
    clifton, *_ = tables.hop_grid([gear()], GOLD, 2)["rows"]
    assert (words(clifton[1]), tones(clifton[1])) == (
        "2 it. 1 → 5",
        ["top", "quiet", "quiet", "near"],
    )


def test_the_strip_as_a_table_says_the_same() -> None:
    rows = tables.hop_rows([hybrid(), failed(), gear()], GOLD, 5)
    assert rows[2] == {
        "gold passage": "★3 Marc Isambard Brunel",
        "Hybrid": "never in the first 5, not in the final ranking",
        "GEAR": "iteration 1, rank 4, final rank 2",
    }
    assert rows[1]["Hybrid"] == "never in the first 5, final rank 6"


def test_against_the_baseline_gold_comes_first_and_moves_are_ranks() -> None:
    grid = tables.difference_grid([hybrid(), failed(), gear()], GOLD, hybrid(), 5)
    assert [words(cell) for cell in grid["head"]] == [
        "Method",
        "Gold",
        "Came into the first 5",
        "Left the first 5",
        "Gold moved",
    ]
    base, row = grid["rows"]
    assert [words(cell) for cell in row] == [
        "GEAR",
        "+2 gold",
        "★2 Isambard Kingdom Brunel ★3 Marc Isambard Brunel Rouen Great Western Railway",
        "Father of civil engineering Menai Suspension Bridge Avon Gorge Clifton",
        "★1 1 → 5 ★2 6 → 1 ★3 – → 2",
    ]
    assert words(base[0]) == "Hybrid"


def test_the_baseline_itself_is_no_row() -> None:
    base = hybrid()
    grid = tables.difference_grid([base, gear()], [], base, 5)
    assert [words(cell) for cell in grid["head"]] == [
        "Method",
        "Came into the first 5",
        "Left the first 5",
    ]
    assert [words(row[0]) for row in grid["rows"]] == ["GEAR"]


def test_the_methods_have_recall_cost_and_why_they_stopped() -> None:
    grid = tables.method_grid([hybrid(), failed(), gear()], GOLD, ["", "", "beam.width=5"])
    one, lost, many = ([words(cell) for cell in row] for row in grid["rows"])
    made = "22 Nov 2026, 01:00 UTC"
    assert one == [
        "Hybrid",
        "0.33",
        "0.67",
        "0.67",
        "no",
        "one step",
        "20 ms",
        "one step",
        "defaults",
        made,
    ]
    assert many == [
        "GEAR",
        "1.00",
        "1.00",
        "1.00",
        "yes",
        "2",
        "900 ms",
        "answerable",
        "beam.width=5",
        made,
    ]
    assert lost == ["Dense", "–", "–", "–", "–", "–", "–", "failed", "defaults", made]
    assert grid["rows"][1][7]["title"] == "The disk is full"
    assert len(grid["head"]) == len(one)


def test_chain_is_of_one_step_like_every_method_without_iterations() -> None:
    chain = column("chain", chained.run(), method="chain", iterations=1)
    grid = tables.method_grid([chain, hybrid(), gear(), failed()], [], [""] * 4)
    assert words(grid["head"][1]) == "Iterations"
    assert [words(row[1]) for row in grid["rows"]] == ["one step", "one step", "2", "–"]


def test_chain_stopped_after_its_rounds_of_links_as_the_head_of_its_run_says() -> None:
    why, sentence = tables.why_stopped(column("chain", chained.run(), method="chain"))
    assert why == "2 rounds of links"
    assert why in sentence
    assert why in header.facts(header.HeadFacts("chain", "films", None, "abc", 1.0), chained.run())


def test_calls_tokens_and_cost_are_told_of_all_where_one_asked_a_model() -> None:
    spent = Spent(7, kept=2, unusable=1, input_tokens=1200, output_tokens=80, cost=None)
    asked = column("llm", factories.gear_run(), "GEAR, tiny", spent=spent)
    grid = tables.method_grid([hybrid(), failed(), asked], GOLD, ["", "", ""])
    place = [words(cell) for cell in grid["head"]].index("Calls")
    assert [words(cell) for cell in grid["head"]][place : place + 3] == ["Calls", "Tokens", "Cost"]
    assert [[words(cell) for cell in row[place : place + 3]] for row in grid["rows"]] == [
        ["0", "0", "$0.00"],
        ["–", "–", "–"],
        ["7 (2 kept) 1 not fully usable", "1,280", "price not known"],
    ]
    assert grid["rows"][2][place + 1]["title"] == "1,200 in, 80 out"
    assert {len(row) for row in grid["rows"]} == {len(grid["head"])}


def test_waiting_for_a_cluster_is_told_of_all_where_one_did() -> None:
    there = column("there", ranked_run(["clifton"]), "There", trips=4, waited_ms=31.6)
    grid = tables.method_grid([there, hybrid()], (), ["", ""])
    place = [words(cell) for cell in grid["head"]].index("Waiting for the cluster")
    assert [words(row[place]) for row in grid["rows"]] == ["32 ms in 4 round trips", "–"]


def test_without_gold_the_methods_have_no_recall() -> None:
    grid = tables.method_grid([hybrid()], [], [""])
    assert [words(cell) for cell in grid["head"]][:2] == ["Method", "Iterations"]
    assert len(grid["head"]) == len(grid["rows"][0])


def test_where_a_passage_stands_leads_to_the_final_rankings() -> None:
    grid = tables.place_grid([hybrid(), failed(), gear()], "isambard", "base", 5)
    assert [[words(cell) for cell in row] for row in grid["rows"]] == [
        ["Hybrid", "6", "baseline"],
        ["GEAR", "1", "5 higher"],
    ]
    assert [row[0]["go"] for row in grid["rows"]] == [
        {"run": "base", "step": 1},
        {"run": "gear", "step": 15},
    ]


def test_a_passage_that_is_not_in_a_ranking_says_how_long_the_ranking_is() -> None:
    short = column("short", ranked_run(["clifton", "rouen"]), "Short")
    grid = tables.place_grid([short], "isambard", None, 5)
    assert words(grid["rows"][0][1]) == "not in its 2 passages"


def test_hostile_titles_stay_words() -> None:
    hostile = column("x", ranked_run(["hostile", "clifton"]), "X")
    grid = tables.difference_grid([hostile], GOLD, hybrid(), 5)
    assert words(grid["rows"][0][2]) == factories.TEXTS["hostile"][0]  # the screen sets it as text
