from __future__ import annotations

from gear_app.events import Thought
from gear_app.store.rows import Spent
from gear_app.views.compare import tables
from gear_app.views.compare.tables import Cell
from tests import factories
from tests.views.compared import GOLD, column, failed, gear, hybrid, ranked_run


def words(cell: Cell) -> str:
    return " ".join(piece["text"] for piece in cell["pieces"])


def tones(cell: Cell) -> list[str]:
    return [piece["tone"] for piece in cell["pieces"]]


def test_every_cell_leads_into_its_run_at_the_step_that_shows_it() -> None:
    rows = tables.hop_grid([hybrid(), gear()], GOLD, 5)["rows"]
    assert [[cell["go"] for cell in row[1:]] for row in rows] == [
        [{"run": "base", "step": 0}, {"run": "gear", "step": 0}],
        [{"run": "base", "step": 0}, {"run": "gear", "step": 3}],
        [{"run": "base", "step": 1}, {"run": "gear", "step": 5}],  # never found: the final ranking
    ]


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


def test_hostile_titles_stay_words() -> None:
    hostile = column("x", ranked_run(["hostile", "clifton"]), "X")
    grid = tables.difference_grid([hostile], GOLD, hybrid(), 5)
    assert words(grid["rows"][0][2]) == factories.TEXTS["hostile"][0]  # the screen sets it as text


def test_facts_and_thoughts_stand_beside_each_other_by_iteration_with_the_recall_they_came_to() -> (
    None
):
    """GEAR Table 13: a memory of triples and IRCoT's thoughts; hybrid notes nothing."""
    thought = Thought("ircot", "The bridge is in Clifton.", "The bridge is in Clifton.")
    asked = column(
        "ircot", [*factories.gear_run()[:2], thought, *factories.gear_run()[-1:]], "IRCoT"
    )
    grid = tables.note_grid([hybrid(), gear(), asked], GOLD, 2)
    assert grid and tables.note_grid([hybrid()], GOLD, 2) is None
    assert [words(cell) for cell in grid["head"]] == ["Method", "R@2", "Iteration 1", "Iteration 2"]
    memory, thoughts = grid["rows"]
    assert [[piece["text"] for piece in cell["pieces"]] for cell in memory] == [
        ["GEAR"],
        ["0.67"],
        [
            "Clifton Suspension Bridge was designed by Isambard Kingdom Brunel",
            "Isambard Kingdom Brunel was the only son of Marc Isambard Brunel",
        ],
        ["Marc Isambard Brunel was taught drawing by François Carpentier"],
    ]
    assert tones(memory[1]) == ["near"] and words(thoughts[2]) == thought.text
    whole, none = (tables.note_grid([gear()], gold, 5) for gold in (GOLD, []))
    assert whole and tones(whole["rows"][0][1]) == ["yes"]
    assert none and [words(cell) for cell in none["head"]][1] == "Iteration 1"
