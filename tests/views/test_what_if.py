"""What a change makes of a run, as sentence, chart and beams."""

from __future__ import annotations

from gear_app.analysis.difference import RunDifference, run_difference
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.views import what_if
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
