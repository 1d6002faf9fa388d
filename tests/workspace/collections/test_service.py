"""What a workspace shows of its passages, entities and their neighbourhoods."""

from __future__ import annotations

import pytest

from gear_app.core.errors import Unknown
from gear_app.workspace.workspace import Workspace


def test_names_that_do_not_exist_are_refused_with_those_that_do(films: Workspace) -> None:
    with pytest.raises(Unknown, match="Available: films"):
        films.collections.passages("film")
    with pytest.raises(Unknown, match="Available: curated"):
        films.collections.triples("films", "gpt")
    with pytest.raises(Unknown):
        films.collections.passage(999)
    with pytest.raises(Unknown):
        films.collections.passage_by_key("films", "nowhere")
    with pytest.raises(Unknown):
        films.collections.neighbourhood("films", "curated", "Nobody")


def test_entities_are_counted_by_passages(films: Workspace) -> None:
    found = {
        entity.name: entity.passages for entity in films.collections.entities("films", "curated")
    }
    assert (found["Lorn"], found["Ada Quill"], found["law"]) == (3, 2, 1)


def test_a_neighbourhood_goes_breadth_first_and_says_what_it_left_out(films: Workspace) -> None:
    found = films.collections.neighbourhood("films", "curated", "ada quill", depth=1)
    assert [(node.name, node.distance) for node in found.nodes] == [
        ("Ada Quill", 0),
        ("Port Mira", 1),  # it has the most neighbours
        ("Harbour Lights", 1),
        ("law", 1),  # no name
    ]
    ids = {node.id: node.name for node in found.nodes}
    assert [(ids[e.source], e.triple.predicate, ids[e.target]) for e in found.edges] == [
        ("Harbour Lights", "was directed by", "Ada Quill"),
        ("Ada Quill", "was born in", "Port Mira"),
        ("Ada Quill", "studied", "law"),
    ]
    cut = films.collections.neighbourhood("films", "curated", "Ada Quill", depth=2, cap=3)
    assert [node.name for node in cut.nodes] == ["Ada Quill", "Port Mira", "Harbour Lights"]
    assert (cut.total, cut.left_out, len(cut.edges)) == (7, 4, 2)
    assert {node.name: node.hidden for node in cut.nodes}["Ada Quill"] == 1  # law


LONG = " ".join(
    f"The lamp number {n} of Bluefin was lit by Priya Raman in the year {n}." for n in range(24)
)


def test_passages_of_one_document_are_told_apart_by_their_place_in_it(films: Workspace) -> None:
    films.imports.text("Lamps", LONG, "films")
    films.imports.text("One lamp", "Bluefin has a lamp.", "films")
    parts = films.collections.passages("films", search="Priya")
    assert [films.collections.label(part) for part in parts] == [
        f"Lamps · {number} of {len(parts)}" for number in range(1, len(parts) + 1)
    ]
    assert len(parts) > 2
    (alone,) = films.collections.passages("films", search="has a lamp")
    assert films.collections.label(alone) == "One lamp"
    assert films.collections.labels([alone.id]) == {}
