"""What a workspace shows of its passages, entities and their neighbourhoods."""

from __future__ import annotations

from gear_app.workspace.workspace import Workspace


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
