"""What a change makes of a run, as sentence, chart, beams and pins."""

from __future__ import annotations

import pytest

from gear_app.analysis.difference import RunDifference, run_difference
from gear_app.analysis.rankings import final
from gear_app.reader.edits import ReadingEdit
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.views import dials, what_if
from gear_app.workspace import Workspace
from tests.small import QUESTION

GOLD = ("harbour", "quill")


def varied(
    films: Workspace, method: str, change: RunChange
) -> tuple[str, RunVariant, RunDifference]:
    run = films.ask(QUESTION, "films", method).run
    variant = films.what_if.variant(run, change)
    return run, variant, run_difference(films.runs.events(run), variant.events, GOLD, 5)


def test_the_sentence_begins_with_the_change(films: Workspace) -> None:
    _, _, difference = varied(films, "sync_ge", RunChange({"width": "1"}))
    told = what_if.told("Width b 1", difference)
    assert "<b>With Width b 1: </b>" in told
    assert "Recall@5" in told


def test_a_dropped_fact_is_told_without_with(films: Workspace) -> None:
    dropped = ReadingEdit("sync", ("Ada Quill", "studied", "law"))
    reworded = ReadingEdit("gist", ("a", "b", "c"), ("d", "e", "f"))
    run, _, difference = varied(films, "gear", RunChange({"beam.width": "1"}))
    stored = films.runs.get(run)
    alone = dials.change_words(stored, RunChange(edits=(dropped,)))
    both = dials.change_words(stored, RunChange(edits=(dropped, reworded)))
    assert "<b>Without the proximal triple “Ada Quill studied law”: </b>" in what_if.told(
        alone, difference
    )
    assert (
        "<b>With “d e f” for the gist entry “a b c”, without the proximal triple “Ada Quill"
        " studied law”: </b>" in what_if.told(both, difference)
    )


def test_words_of_a_document_are_text(films: Workspace) -> None:
    _, _, difference = varied(films, "sync_ge", RunChange({"width": "1"}))
    assert "<script>" not in what_if.told("<script>", difference)


def test_beams_that_leave_are_listed_with_their_triples_and_scores(films: Workspace) -> None:
    _, _, difference = varied(films, "sync_ge", RunChange({"width": "1"}))
    drawn = what_if.beams(difference)
    assert drawn.count("<li") == min(len(difference.left), what_if.BEAMS_SHOWN)
    assert "was directed by" in drawn and 'aria-label="leaves"' in drawn
    assert what_if.beams_title(difference) == f"0 enter, {len(difference.left)} leave"


def test_the_terms_of_the_chart_add_up_to_the_variants_scores(films: Workspace) -> None:
    run, variant, difference = varied(films, "chain", RunChange({"base_weight": 3.0}))
    stored = films.runs.get(run)
    weights = [(one, 3.0 if one.term == "base" else one.value) for one in dials.weights(stored)]
    before = final(films.runs.events(run))
    data = what_if.chart(difference, before, variant.events, GOLD, "What if", weights, live=True)
    scores = {line.key: line.score for line in variant.ranking}
    assert data["terms"]
    for line in data["terms"]:
        found = sum(
            round(value * now, 6) for value, (_, now) in zip(line["values"], weights, strict=True)
        )
        assert found == pytest.approx(scores[line["key"]], abs=3e-6)  # halves are rounded otherwise
    assert {line["gold"] for line in data["terms"]} >= set(GOLD)
    base = data["weights"][0]
    assert (base["own"], base["now"], base["most"]) == (0.75, 3.0, 3.0)


def test_without_terms_there_is_nothing_to_weigh_anew(films: Workspace) -> None:
    _, variant, difference = varied(films, "sync_ge", RunChange({"width": "1"}))
    data = what_if.chart(difference, (), variant.events, GOLD, "What if")
    assert (data["terms"], data["weights"]) == ([], [])
    assert [line["before"] for line in data["lines"]][:2] == [1, 2]


def test_pinned_variants_stand_below_the_run_with_the_ranks_of_gold(films: Workspace) -> None:
    run, variant, _ = varied(films, "sync_ge", RunChange({"width": "1"}))
    own = final(films.runs.events(run))
    pins = [what_if.PinnedVariant("Width b 1", variant.ranking), what_if.PinnedVariant("x", None)]
    drawn = what_if.pins(own, pins, dict.fromkeys(GOLD, "A title"), 5)
    assert drawn.count("<tr>") == 4
    assert "As run" in drawn and "being made" in drawn
    broken = what_if.PinnedVariant("x", None, "The index is gone.")
    told = what_if.pins(own, [broken], {}, 5)
    assert "It failed: The index is gone." in told and "being made" not in told


def test_what_it_took_is_told() -> None:
    assert what_if.cost_words(70.4, 0) == "70 ms, nothing encoded, no language model asked"
    assert what_if.cost_words(1200, 1) == "1,200 ms, 1 text encoded, no language model asked"
