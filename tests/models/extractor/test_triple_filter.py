"""Which relations become triples."""

from __future__ import annotations

import pytest

from gear_app.core.types import ExtractedTriple, Span
from gear_app.models.extractor.triple_filter import Relation, TripleFilter, linkable

SPAN = Span(0, 5)


def kept(*found: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    collection = TripleFilter()
    for relation in found:
        collection.add(Relation(*relation, 0), SPAN)
    assert all(triple.span == SPAN for triple in collection.triples)
    return [(triple.subject, triple.predicate, triple.object) for triple in collection.triples]


def test_a_fact_is_kept_once_however_it_is_spelled() -> None:
    assert kept(("Ann", "met", "Bob"), ("ANN", "met", "Bob!"), ("Ann", "saw", "Bob")) == [
        ("Ann", "met", "Bob"),
        ("Ann", "saw", "Bob"),
    ]


def test_of_nested_variants_the_one_with_the_bare_name_is_kept() -> None:
    assert kept(("Ann", "wants", "logs of May"), ("Ann", "wants logs of", "May")) == [
        ("Ann", "wants logs of", "May")
    ]
    assert kept(("Ann", "is", "chief of staff"), ("Ann", "is chief of", "staff")) == [
        ("Ann", "is", "chief of staff")
    ]


@pytest.mark.parametrize(
    "relation",
    [
        ("Ann", "is", "ann"),
        ("Ann", "met", "-"),
        ("Ann", "met", "B"),
        ("Ann", "", "Bob"),
        ("he", "met", "Bob"),
        ("first of these", "met", "Bob"),
        ("critics", "praised", "performances"),
        ("Ann", "met for", "first time"),
        ("Ann", "met", "¥Ò;¿»Q3"),
        ("Ann", "met", " ".join(["word"] * 30)),
    ],
)
def test_what_cannot_link_is_dropped(relation: tuple[str, str, str]) -> None:
    assert kept(relation) == []


def test_common_things_link_to_names_and_numbers() -> None:
    assert len(kept(("snowfall", "is", "6.8 inches"), ("plankton", "eats", "Ann"))) == 2


def test_a_predicate_has_ten_words_at_most() -> None:
    assert kept(("Ann", " ".join(["very"] * 30), "Bob")) == [
        ("Ann", " ".join(["very"] * 10), "Bob")
    ]


def test_entities_are_all_sides_and_other_names_in_their_first_form() -> None:
    collection = TripleFilter()
    collection.add(Relation("Ann", "met", "Bob", 0), SPAN)
    assert collection.entities(["BOB", "Carl", "it", "-"]) == ("Ann", "Bob", "Carl")
    assert collection.triples == [ExtractedTriple("Ann", "met", "Bob", SPAN)]


def test_names_of_one_letter_are_no_entities() -> None:
    assert not linkable("X")
    assert linkable("X1")
    assert not linkable("")
