from __future__ import annotations

from dataclasses import replace

from gear_app.runs import comparison
from gear_app.types import Hop, Question
from gear_app.views.compare import aligned_rankings, figures, tables
from tests import factories
from tests.views.compared import GOLD, column, failed, gear, hybrid, ranked_run, run

KEYS = list(factories.GOLD)


def lines(*columns: comparison.ComparedRun, k: int = 5) -> dict[str, dict[str, object]]:
    data = aligned_rankings.component_data(columns, GOLD, columns[0].run.id, k)
    return {passage["key"]: passage for passage in data["passages"]}


def test_what_no_column_draws_is_left_out_unless_it_is_gold() -> None:
    keys = [key for key in factories.TEXTS if key not in KEYS]
    found = lines(column("a", ranked_run([*keys, "marc"])), k=5)
    assert len(keys) == 9
    assert found["marc"]["ranks"] == [10]
    assert found["clifton"] == {
        "key": "clifton",
        "id": 0,
        "title": "Clifton Suspension Bridge",
        "gold": 1,
        "ranks": [None],
    }


def test_gold_comes_last_and_numbered_the_others_by_their_best_rank() -> None:
    found = lines(
        column("a", ranked_run(["rouen", "clifton"])), column("b", ranked_run(["gwr", "rouen"]))
    )
    assert [(key, passage["gold"]) for key, passage in found.items()] == [
        ("rouen", 0),
        ("gwr", 0),
        ("clifton", 1),
        ("isambard", 2),
        ("marc", 3),
    ]


def test_a_run_without_a_ranking_says_why_and_holds_no_other_up() -> None:
    data = aligned_rankings.component_data([hybrid(), failed(), gear()], GOLD, "base", 5)
    heads = data["columns"]
    assert [head["state"] for head in heads] == ["done", "bad", "done"]
    assert heads[1]["words"] == "It failed: The disk is full."
    assert (heads[1]["recall"], heads[1]["facts"]) == ("", "")
    assert (heads[2]["recall"], heads[2]["counted"], heads[2]["facts"]) == (
        "1.00",
        "3 of 3 gold",
        "2 iterations · 900 ms",
    )
    assert heads[2]["change"] == {"words": "+2 gold", "tone": "yes"}
    assert next(p for p in data["passages"] if p["key"] == "marc")["ranks"] == [None, None, 2]


def test_a_run_that_lost_its_model_shows_its_ranking_and_no_number() -> None:
    lost = replace(gear(), run=replace(gear().run, message="The model server is gone."))
    columns = [hybrid(), lost]
    head = aligned_rankings.component_data(columns, GOLD, "base", 5)["columns"][1]
    assert (head["state"], head["recall"], head["counted"], head["change"]) == (
        "done",
        "",
        "",
        None,
    )
    assert head["length"] == len(gear().ranking)
    assert list(figures.recalls(columns, factories.GOLD, 5)) == ["Hybrid"]
    assert [point.label for point in figures.points("time", columns, factories.GOLD, 5)] == [
        "Hybrid"
    ]
    assert comparison.best(columns, factories.GOLD) == "Hybrid"
    row = tables.method_grid(columns, GOLD, ["", ""])["rows"][1]
    assert [cell["pieces"][0]["text"] for cell in row[1:5]] == ["–"] * 4


def test_a_difference_tells_what_came_what_left_and_how_gold_moved() -> None:
    found = comparison.difference(hybrid().ranking, gear().ranking, KEYS, 5)
    assert found.gold == 2
    assert [passage.key for passage in found.gained] == ["isambard", "marc", "rouen", "gwr"]
    assert [passage.key for passage in found.lost] == ["engineers", "menai", "avon", "clifton_town"]
    assert found.moves == (("clifton", 1, 5), ("isambard", 6, 1), ("marc", None, 2))


def test_a_passage_is_first_reached_where_the_ranking_of_an_iteration_had_it() -> None:
    found = comparison.digest(factories.gear_run(), KEYS)
    assert found.first_within("clifton", 5) == (1, 2, 0)  # the base retrieval has it
    assert found.first_within("isambard", 5) == (1, 1, 3)  # the beams bring it
    assert found.first_within("marc", 5) == (
        1,
        4,
        5,
    )  # no list of a step does: the gist memory links to it
    assert found.first_within("marc", 2) == (2, 2, 8)
    assert found.first_within("marc", 1) is None
    assert found.first_within("nowhere", 15) is None


def test_one_step_is_one_iteration() -> None:
    found = hybrid().digest
    assert found is not None
    assert found.first_within("isambard", 10) == (1, 6, 0)
    assert found.first_within("isambard", 5) is None
    assert not found.iterates
    assert found.last_step == 1


def test_the_gold_is_what_was_known_or_marked_last() -> None:
    old = run("a", gold=("clifton",), created="2026-11-22T01:00:00Z")
    new = run("b", gold=("clifton", "marc"), created="2026-11-22T02:00:00Z")
    marked = run(
        "c", gold=("marc",), created="2026-11-22T01:00:00Z", gold_marked="2026-11-22T03:00:00Z"
    )
    assert comparison.known_gold([new, old]) == (("clifton", "marc"), True)
    assert comparison.known_gold([new, marked]) == (("marc",), True)
    assert comparison.known_gold([old, run("d", gold=("clifton",))]) == (("clifton",), False)
    assert comparison.known_gold([]) == ((), False)


def test_gold_passages_come_in_the_order_of_the_hops() -> None:
    question = Question(
        "q",
        factories.QUESTION,
        decomposition=(
            Hop("Who taught him?", "Carpentier", "marc"),
            Hop("?", "", "gone"),
            Hop("Whose?", "", "clifton"),
        ),
    )
    rows = comparison.number_gold(KEYS, question, {"marc": "Marc Isambard Brunel"})
    assert rows == [
        (1, "marc", "Marc Isambard Brunel", "Who taught him?", "Carpentier"),
        (2, "clifton", "clifton", "Whose?", ""),
        (3, "isambard", "isambard", "", ""),
    ]
    assert [row.key for row in comparison.number_gold(KEYS, None, {})] == KEYS


def test_the_baseline_is_the_one_asked_for_else_the_first_that_is_done() -> None:
    columns = [failed(), hybrid(), gear()]
    assert comparison.baseline(columns, "gear") == "gear"
    assert comparison.baseline(columns, "unknown") == "base"
    assert comparison.baseline([failed()], None) == "lost"
    assert comparison.baseline([], None) is None


def test_runs_of_another_question_or_collection_are_not_compared() -> None:
    first, again = run("a"), run("b", method="gear")
    asked, elsewhere = run("c", question="Another?"), run("d", collection="films", collection_id=2)
    namesake = run("e", collection_id=None)
    alike, others = comparison.comparable([first, asked, again, elsewhere, namesake])
    assert [one.id for one in alike] == ["a", "b"]
    assert [one.id for one in others] == ["c", "d", "e"]
    assert comparison.comparable([]) == ([], [])


def test_the_page_opens_at_gold_the_baseline_missed() -> None:
    assert comparison.first_selected([hybrid(), gear()], KEYS, "base", 5) == "isambard"
    assert comparison.first_selected([gear(), hybrid()], KEYS, "gear", 5) == "clifton"
    assert comparison.first_selected([gear()], [], "gear", 5) is None
