from __future__ import annotations

from typing import Any

from gear_app.ui.collections import neighbourhood
from gear_app.ui.collections.neighbourhood import EntityNode, StatingPassage, TripleEdge
from gear_app.views.palette import LIGHT

EVIL = "<script>alert(1)</script> href <img src=x onerror=alert(2)>"
NODES = [
    EntityNode("Blade Runner", 0),
    EntityNode("Do Androids Dream of Electric Sheep?", 1, 0, 3),
    EntityNode(EVIL, 1, 0),
]
EDGES = [
    TripleEdge(0, 1, "is based on", "Blade Runner", 11, 1),
    TripleEdge(1, 0, "lacks the words", "Do Androids Dream", 12, 2),
    TripleEdge(0, 2, "was directed by", "Blade Runner", 13, 1),
]
PASSAGES = [StatingPassage(1, "Blade Runner", ("Who directed it?",)), StatingPassage(2, "Sheep")]


def drawn(
    edges: list[TripleEdge] = EDGES, passages: list[StatingPassage] | None = None
) -> dict[str, Any]:
    return neighbourhood.graph(NODES, edges, passages or [], LIGHT)


def node(graph: dict[str, Any], id_: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in graph["nodes"] if one["id"] == id_)
    return found


def test_parallel_and_opposite_triples_are_lines_of_their_own_each_with_its_label() -> None:
    edges = [*EDGES, TripleEdge(0, 1, "shares its hero with", "Blade Runner", 14, 1)]
    graph = drawn(edges)
    assert [edge["id"] for edge in graph["edges"]] == ["t0", "t1", "t2", "t3"]
    ends = {
        (node(graph, edge[end])["x"], node(graph, edge[end])["y"])
        for edge in graph["edges"]
        for end in ("from", "to")
    }
    assert len(ends) == 8
    assert [label["words"] for label in graph["labels"]] == [
        "is based on",
        "lacks the words",
        "was directed by",
        "shares its hero with",
    ]
    assert all(label["x"] is not None for label in graph["labels"])


def test_an_arrow_leads_from_subject_to_object() -> None:
    graph = drawn()
    focus, other = node(graph, "e0"), node(graph, "e1")
    out, back = graph["edges"][:2]
    assert out["arrows"] == back["arrows"] == "to"
    near_focus = abs(node(graph, out["from"])["x"] - focus["x"])
    assert near_focus < abs(node(graph, out["to"])["x"] - focus["x"])
    assert abs(node(graph, back["from"])["x"] - other["x"]) < abs(
        node(graph, back["to"])["x"] - other["x"]
    )


def test_focus_entity_passage_and_gold_look_different() -> None:
    graph = drawn(passages=PASSAGES)
    focus, entity, gold, plain = (node(graph, id_) for id_ in ("e0", "e1", "p1", "p2"))
    assert focus["color"]["background"] == LIGHT.query
    assert entity["color"]["border"] == LIGHT.kept
    assert (gold["color"]["border"], gold["label"][0]) == (LIGHT.gold, "★")
    assert (plain["color"]["border"], plain["label"][0]) == (LIGHT.passage, "¶")
    assert plain["shapeProperties"]["borderDashes"] != gold["shapeProperties"]["borderDashes"]
    assert "gold for “Who directed it?”" in graph["stops"][3]["note"]
    assert "states 2 triples" in graph["stops"][3]["note"]


def test_hostile_names_stay_data() -> None:
    graph = drawn()
    assert graph["stops"][2]["name"] == EVIL
    assert all("title" not in one for one in [*graph["nodes"], *graph["edges"]])  # vis makes HTML


def test_a_triple_of_an_entity_with_itself_is_in_the_table_alone() -> None:
    edges = [*EDGES, TripleEdge(0, 0, "is called", "Blade Runner", 15, 1)]
    assert len(drawn(edges)["edges"]) == 3
    assert neighbourhood.rows(NODES, edges)[3] == {
        "subject": "Blade Runner",
        "predicate": "is called",
        "object": "Blade Runner",
        "passage": "Blade Runner",
    }
