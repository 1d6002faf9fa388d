"""What a workspace shows of its passages, entities and their neighbourhoods."""

from __future__ import annotations

from gear_app.workspace.corpus.neighbourhood import neighbourhood
from gear_app.workspace.workspace import Workspace


def test_a_neighbourhood_counts_what_it_left_out(films: Workspace) -> None:
    set_ = films.collections["films"].curation().triple_set
    found = neighbourhood(films.store, set_, "ada quill", 10)
    assert [node.name for node in found.nodes] == [
        "Ada Quill",
        "Port Mira",  # it has the most neighbours
        "Harbour Lights",
        "law",  # no name
    ]
    ids = {node.id: node.name for node in found.nodes}
    stated = [(ids[a], t.predicate, ids[b]) for (a, b), (t,) in found.triples.items()]
    assert stated == [
        ("Harbour Lights", "was directed by", "Ada Quill"),
        ("Ada Quill", "was born in", "Port Mira"),
        ("Ada Quill", "studied", "law"),
    ]
    cut = neighbourhood(films.store, set_, "Ada Quill", 2)
    assert [node.name for node in cut.nodes] == ["Ada Quill", "Port Mira", "Harbour Lights"]
    assert (cut.left_out, len(cut.triples)) == (1, 2)
    assert {node.name: node.hidden for node in cut.nodes}["Ada Quill"] == 1  # law
