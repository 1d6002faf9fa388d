from __future__ import annotations

from gear_app.core.types import Span
from gear_app.trace.events import RankedPassage, ShownTriple
from gear_app.trace.evidence import labelled, named_passages

LINES = [
    RankedPassage(7, "a#1", "Report", 0.9),
    RankedPassage(8, "a#2", "Report", 0.8),
    RankedPassage(9, "b", "Minutes", 0.7),
]


def test_lines_of_one_document_are_told_apart_and_others_keep_their_title() -> None:
    found = labelled(LINES, {7: "Report · 1 of 2", 8: "Report · 2 of 2"})
    assert [line.title for line in found] == ["Report · 1 of 2", "Report · 2 of 2", "Minutes"]
    assert [line.key for line in found] == ["a#1", "a#2", "b"]
    assert found[2] is LINES[2]


def test_a_triples_passage_is_told_apart_wherever_the_triple_stands() -> None:
    triple = ShownTriple(1, "a", "is", "b", 8, "a#2", "Report", "", Span(0, 1))
    assert named_passages([triple, *LINES]) == {7, 8, 9}
    (found,) = labelled([triple], {8: "Report · 2 of 2"})
    assert (found.passage_title, found.subject, found.span) == ("Report · 2 of 2", "a", Span(0, 1))
