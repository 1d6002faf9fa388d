from __future__ import annotations

from gear_app.analysis.timeline import gist_iterations
from gear_app.events import Reasoned
from gear_app.types import ProximalTriple
from gear_app.views import gear
from tests import factories

EVENTS = factories.gear_run()


def test_a_chapter_holds_what_an_iteration_added_repeated_and_decided() -> None:
    one, two = gist_iterations(EVENTS)
    assert [triple.object for triple in one.added] == [
        "Isambard Kingdom Brunel",
        "Marc Isambard Brunel",
    ]
    assert [triple.object for triple in two.repeated] == ["Marc Isambard Brunel"]
    assert one.verdict and not one.verdict.answerable
    assert one.rewrote and one.rewrote.query == factories.NEXT_QUERY
    assert two.rewrote is None


def test_a_bar_begins_in_its_iteration_and_runs_to_the_end() -> None:
    drawn = gear.memory(EVENTS)
    assert drawn.count("grid-column:1 / -1") == 2
    assert drawn.count("grid-column:2 / -1") == 2
    assert "known already, not added again" in drawn


def test_verdicts_differ_by_sign_and_words_not_only_by_colour() -> None:
    drawn = gear.memory(EVENTS, current=2)
    assert "○ Not answerable yet" in drawn
    assert "● Answerable: François Carpentier" in drawn
    assert drawn.count("gear-here") == 1


def test_no_memory_draws_nothing_and_an_empty_one_says_so() -> None:
    assert gear.memory(factories.hybrid_run()) == ""
    assert "Nothing was added" in gear.memory([Reasoned(False, "nothing found")])


def test_words_of_documents_are_escaped() -> None:
    from gear_app.events import Remembered

    evil = ProximalTriple("<img src=x onerror=alert(1)>", "<script>", "</div>")
    drawn = gear.memory([Remembered((evil,), (), 1), Reasoned(True, "<b>", "<i>")])
    assert "<img" not in drawn
    assert "<script" not in drawn
    assert "<i>" not in drawn


def test_rows_say_the_same() -> None:
    rows = gear.memory_rows(EVENTS)
    assert [(row["iteration"], row["what"]) for row in rows] == [
        (1, "added"),
        (1, "added"),
        (2, "added"),
        (2, "repeated, not added"),
    ]
