"""Where the names of a run's entities stand in its texts."""

from __future__ import annotations

from gear_app.trace.entities import entity_names, names_of
from tests import factories


def found(text: str, *names: str) -> list[tuple[str, str]]:
    """What is marked in a text, and as which entity."""
    return [
        (text[place.span.start : place.span.end], place.entity)
        for place in entity_names(names).places(text)
    ]


def test_a_name_is_found_in_other_capitals_and_before_a_possessive() -> None:
    assert found("VIRGIN records' first; Virgin-Records", "Virgin Records") == [
        ("VIRGIN records", "virgin records"),
        ("Virgin-Records", "virgin records"),
    ]


def test_of_names_in_each_other_the_longest_is_taken_and_none_overlap() -> None:
    text = "Tubular Bells II followed Tubular Bells."
    assert found(text, "Tubular Bells", "Tubular Bells II", "Bells", "II followed") == [
        ("Tubular Bells II", "tubular bells ii"),
        ("Tubular Bells", "tubular bells"),
    ]


def test_names_come_from_triples_titles_and_the_memory_of_a_run() -> None:
    names = names_of(factories.gear_run())
    question = "Who taught the father of Isambard Kingdom Brunel of Clifton Suspension Bridge?"
    assert [place.entity for place in names.places(question)] == [
        "isambard kingdom brunel",
        "clifton suspension bridge",
    ]
