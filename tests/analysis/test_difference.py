"""What two runs differ in, on runs of the small collection and on rankings made by hand."""

from __future__ import annotations

from gear_app.analysis.difference import run_difference, verdict
from gear_app.events import Event, Ranked, RankedPassage, Retrieved
from gear_app.runs.what_if import RunChange
from gear_app.workspace import Workspace
from tests.small import QUESTION


def ranked(*keys: str, question: str = "Where?") -> list[Event]:
    """A run of base retrieval that ranks these passages."""
    lines = tuple(
        RankedPassage(n, key, key.capitalize(), 1 / n) for n, key in enumerate(keys, start=1)
    )
    return [Retrieved(question, "bm25", lines), Ranked(lines, iteration=0)]


def test_nothing_differs_between_a_run_and_itself() -> None:
    same = run_difference(ranked("a", "b"), ranked("a", "b"), ["b"], 1)
    assert (same.entered, same.left, same.first, same.recall) == ((), (), None, (0.0, 0.0))
    assert same.comes_in == same.falls_out == ()
    assert verdict(same) == "Nothing changes: every step hands on the same."


def test_a_gold_passage_that_crosses_the_line_is_told_with_what_it_costs() -> None:
    found = run_difference(ranked("a", "b", "c"), ranked("c", "a", "b"), ["b"], 2)
    assert [(move.key, move.before, move.after) for move in found.moves] == [
        ("a", 1, 2),
        ("b", 2, 3),
        ("c", 3, 1),
    ]
    assert [move.key for move in found.falls_out] == ["b"]
    assert [move.key for move in found.comes_in] == ["c"]
    assert verdict(found) == (
        "The gold passage B falls out of the first 2, from 2 to 3. Recall@2 falls from 1.00 to"
        " 0.00."
    )


def test_without_gold_it_is_told_who_comes_in_and_who_falls_out() -> None:
    found = run_difference(ranked("a", "b"), ranked("c", "a"), (), 1)
    assert found.recall is None
    assert verdict(found) == (
        "C comes into the first 1, at 1 from outside the ranking, and A falls out of the first 1,"
        " from 1 to 2."
    )


def test_what_only_the_variant_ranks_stands_below_what_the_run_ranked() -> None:
    found = run_difference(ranked("a", "b"), ranked("c", "b", "a"), (), 1)
    assert [(move.key, move.before) for move in found.moves] == [("a", 1), ("b", 2), ("c", None)]


def test_a_change_below_the_line_is_no_crossing() -> None:
    found = run_difference(ranked("a", "b", "c"), ranked("b", "a", "c"), ["a"], 2)
    assert verdict(found).startswith("The first 2 are the same passages; some change places.")


def test_the_first_step_that_differs_is_the_one_that_hands_on_something_else() -> None:
    found = run_difference(ranked("a", "b", "c"), ranked("a", "c", "b"), (), 1)
    assert found.first is not None
    assert (found.first.before, found.first.after, found.first.verb) == (0, 0, "retrieve")
    assert found.first.told == "C is at rank 2, up from 3."


def test_a_run_that_ends_before_the_other_differs_at_the_step_that_it_lacks() -> None:
    whole, begun = ranked("a"), ranked("a")[:1]
    shorter, longer = run_difference(whole, begun).first, run_difference(begun, whole).first
    assert shorter is not None and longer is not None
    assert (shorter.before, shorter.after, shorter.verb) == (1, None, "rank")
    assert shorter.told == "The run goes on with rank, the variant has ended."
    assert (longer.before, longer.after, longer.verb) == (None, 1, "rank")
    assert longer.told == "The run has ended, the variant goes on with rank."


def test_a_document_in_parts_is_gold_by_any_of_them() -> None:
    found = run_difference(ranked("a", "long#2"), ranked("long#2", "a"), ["long"], 1)
    assert found.recall == (0.0, 1.0)
    assert [move.key for move in found.comes_in] == ["long#2"]


def test_a_narrower_beam_loses_beams_at_the_step_where_it_is_cut(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "sync_ge").run
    then = films.runs.events(run)
    now = films.what_if.variant(run, RunChange({"width": "1"})).events
    found = run_difference(then, now, ["harbour", "quill"], 5)
    assert len(found.left) > len(found.entered) == 0
    assert all(beam.triples and beam.search == 0 for beam in found.left)
    assert found.first is not None and found.first.verb == "expand"
    assert found.first.told.startswith("In step 2 of the beam search 2 beams fewer stay")
    wider = run_difference(now, then, ["harbour", "quill"], 5)
    assert (wider.entered, wider.left) == (found.left, found.entered)
    assert wider.first is not None
    assert wider.first.told.startswith("In step 2 of the beam search 2 more beams stay, the first")


def test_a_shorter_beam_search_differs_by_its_steps_alone(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "sync_ge").run
    then = films.runs.events(run)
    now = films.what_if.variant(run, RunChange({"length": "1"})).events
    found = run_difference(then, now).first
    assert found is not None and found.verb == "expand"
    assert found.told == "The beam search has 1 step instead of 2."


def test_scores_that_change_no_order_are_no_difference(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "chain").run
    then = films.runs.events(run)
    doubled = {
        name: float(value) * 2
        for name, value in films.runs.get(run).config.items()
        if name.endswith("_weight")
    }
    now = films.what_if.variant(run, RunChange(doubled)).events
    found = run_difference(then, now)
    assert found.first is None
    assert verdict(found) == "Nothing changes: every step hands on the same."
