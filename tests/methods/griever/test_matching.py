"""Which triples match a query, what a score is made of, and what names something."""

from __future__ import annotations

from gear_app.trace.events import Matched, Rewrote
from tests.methods.griever.asked import Row, index_of, run
from tests.small import of_kind


def test_a_triple_is_read_from_its_object_too() -> None:
    """ "wrote" leads from the book to its author, which is what "author" wants: 0.3 for the words
    and 0.2 for that.
    """
    rows: list[Row] = [
        (
            "Letters",
            "Letters was written by Ada Quill.",
            [("Ada Quill", "wrote", "Letters from Lorn")],
        ),
        ("Ada Quill", "A woman.", [("Ada Quill", "is", "woman")]),
    ]
    _, events = run(index_of(rows), "Which prize did the author of Letters from Lorn win?")
    match = of_kind(events, Matched)[0].matches[0]
    assert (match.known, match.new, match.agreement) == ("Letters from Lorn", "Ada Quill", 0.5)
    assert of_kind(events, Rewrote)[0].query == "Which prize did Ada Quill win?"


def test_what_was_found_is_not_found_again() -> None:
    """From Lorn Castle to Tom Vane and on to Lorn; back to the castle no triple leads, nor to Tom
    Vane.
    """
    rows: list[Row] = [
        ("Lorn Castle", "Castle.", [("Lorn Castle", "was built by", "Tom Vane")]),
        (
            "Tom Vane",
            "Builder.",
            [("Tom Vane", "was born in", "Lorn"), ("Tom Vane", "built", "Lorn Castle")],
        ),
        ("Lorn", "Town.", [("Lorn", "is home of", "Tom Vane"), ("Lorn", "lies on", "Sel")]),
        ("Sel", "River.", [("Sel", "is", "river")]),
    ]
    question = (
        "Which poet mentions the river beside the birthplace of the builder of the Lorn Castle?"
    )
    _, events = run(index_of(rows), question, sure=0.5)
    found = [
        change.inserted for event in of_kind(events, Rewrote) for change in event.substitutions
    ]
    assert found[:2] == ["Tom Vane", "Lorn"]
    assert len(set(found)) == len(found) and "Lorn Castle" not in found
