from __future__ import annotations

import json
from collections import Counter
from typing import Any

from gear_app.ui.collections import neighbourhood
from gear_app.ui.collections.neighbourhood import EntityNode, StatingPassage, TripleEdge
from gear_app.views.palette import DARK, LIGHT

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


def test_entities_can_be_walked_to_and_say_how_many_neighbours_are_not_drawn() -> None:
    graph = drawn()
    assert [(stop["name"], stop["column"] == 0) for stop in graph["stops"]] == [
        ("Blade Runner", True),
        ("Do Androids Dream of Electric Sheep?", False),
        (EVIL, False),
    ]
    assert graph["stops"][1]["note"] == (
        "2 triples drawn, 3 more neighbours not drawn. Click to walk on"
    )
    assert [badge["words"] for badge in graph["badges"]] == ["+3"]


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


def test_the_largest_communities_are_numbered_and_all_are_named() -> None:
    hubs = {"Sheep": 3, "Film": 2, "Lake": 2, "Hill": 2, "Moor": 2, EVIL: 1}
    nodes = [
        EntityNode(hub, 1, 0, community=hub) for n in range(3) for hub in hubs if n < hubs[hub]
    ]
    nodes[0] = nodes[0]._replace(distance=0, parent=None)
    graph = neighbourhood.graph(nodes, EDGES, PASSAGES, LIGHT)
    rims = [node(graph, f"e{n}")["color"]["border"] for n in range(6)]
    hues = [LIGHT.kept, LIGHT.words, LIGHT.proximal, LIGHT.passage]
    assert rims == [*hues, LIGHT.muted_text, LIGHT.muted_text]
    assert Counter(badge["words"] for badge in graph["badges"]) == {"1": 3, "2": 2, "3": 2, "4": 2}
    legend = [words for _, words in neighbourhood.legend(nodes, [])]
    assert legend[1:3] == ["1: community of Sheep, 3 here", "2: community of Film, 2 here"]
    assert legend[5] == "grey: a smaller community, named on pointing"
    assert "In the community of Moor." in graph["stops"][4]["note"]
    assert neighbourhood.rows(nodes, EDGES)[0]["object’s community"] == "Film"
    assert (
        len(neighbourhood.legend(nodes[:4], [])) == 1 + 1 + 1
    )  # one entity each: none is numbered


def test_more_passages_than_are_drawn_are_told() -> None:
    many = [StatingPassage(number, f"No. {number}") for number in range(10)]
    assert sum(one["id"].startswith("p") for one in drawn(passages=many)["nodes"]) == 8
    assert neighbourhood.left_out_note(3, 3, 10) == "2 more passages not drawn."


def test_colours_follow_the_theme() -> None:
    graph = neighbourhood.graph(NODES, EDGES, [], DARK)
    assert node(graph, "e1")["color"]["border"] == DARK.kept
    assert graph["colours"]["under"] == DARK.background


def test_physics_is_off_and_the_picture_is_the_same_every_time() -> None:
    assert drawn()["options"]["physics"]["enabled"] is False
    assert json.dumps(drawn()) == json.dumps(drawn())


def test_hostile_names_stay_data() -> None:
    graph = drawn()
    assert graph["stops"][2]["name"] == EVIL
    assert all("title" not in one for one in [*graph["nodes"], *graph["edges"]])  # vis makes HTML


def test_vis_network_lies_in_the_installed_package() -> None:
    assert (neighbourhood.library() / "vis-network.min.js").stat().st_size > 100_000


def test_a_triple_of_an_entity_with_itself_is_in_the_table_alone() -> None:
    edges = [*EDGES, TripleEdge(0, 0, "is called", "Blade Runner", 15, 1)]
    assert len(drawn(edges)["edges"]) == 3
    assert neighbourhood.rows(NODES, edges)[3] == {
        "subject": "Blade Runner",
        "predicate": "is called",
        "object": "Blade Runner",
        "passage": "Blade Runner",
    }


def test_what_is_not_drawn_is_said_and_completeness_is_not() -> None:
    assert neighbourhood.left_out_note(3, 3) == ""
    assert neighbourhood.left_out_note(50, 120).startswith("70 more not drawn")
