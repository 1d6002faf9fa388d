"""Which relations become triples."""

from __future__ import annotations

import pytest

from gear_app.core.types import Span
from gear_app.models.extractor.triple_filter import Relation, TripleFilter

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
        ("Ann", "", "Bob"),
        ("he", "met", "Bob"),
        ("first of these", "met", "Bob"),
        ("critics", "praised", "performances"),
        ("Ann", "met", "¥Ò;¿»Q3"),
        ("Ann", "met", " ".join(["word"] * 30)),
    ],
)
def test_what_cannot_link_is_dropped(relation: tuple[str, str, str]) -> None:
    assert kept(relation) == []
