"""What a change makes of a run, as sentence, chart, beams and pins."""

from __future__ import annotations

import pytest

from gear_app.analysis.difference import RunDifference, run_difference
from gear_app.analysis.rankings import final
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
