from __future__ import annotations

import json
import re

import pytest

from gear_app.errors import GearError
from gear_app.views import neighbourhood
from gear_app.views.neighbourhood import EntityNode, TripleEdge
from gear_app.views.palette import DARK, LIGHT

EVIL = "<script>alert(1)</script> href <img src=x onerror=alert(2)>"
NODES = [EntityNode("Clifton", 2, 0), EntityNode(EVIL, 1, 1), EntityNode("Bristol", 1, 1)]
EDGES = [TripleEdge(0, 1, EVIL, EVIL), TripleEdge(0, 2, "is a part of", "Clifton")]


def nodes_of(page: str) -> list[dict[str, object]]:
    found = re.search(r"nodes = new vis\.DataSet\((\[.*?\])\);", page)
    assert found
    data: list[dict[str, object]] = json.loads(found[1])
    return data


def test_nothing_is_loaded_from_anywhere() -> None:
    page = neighbourhood.html(NODES, EDGES, LIGHT)
    assert not re.search(r"<link\b", page)
    assert not re.search(r"<script\b[^>]*\bsrc", page)
    assert "new vis.Network" in page


def test_a_tag_that_loads_something_and_cannot_be_removed_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stubborn:
        def sub(self, new: str, page: str) -> str:
            return page

        def search(self, page: str) -> bool:
            return True

    monkeypatch.setattr(neighbourhood, "_LOADING", Stubborn())
    with pytest.raises(GearError, match="another host"):
        neighbourhood.html(NODES, EDGES, LIGHT)


def test_hostile_names_stay_data() -> None:
    page = neighbourhood.html(NODES, EDGES, LIGHT)
    assert "<script>alert" not in page
    assert "<img" not in page
    node = nodes_of(page)[1]
    assert "href" not in str(node["title"])  # pyvis would take the title for HTML
    assert node["id"] == 1


def test_colours_follow_the_theme() -> None:
    page = neighbourhood.html(NODES, EDGES, DARK)
    assert f"background-color: {DARK.background}" in page
    assert nodes_of(page)[1]["color"] == DARK.kept


def test_physics_is_off_and_positions_come_with_the_nodes() -> None:
    page = neighbourhood.html(NODES, EDGES, LIGHT)
    assert re.search(r'"physics": \{\s*"enabled": false', page)
    assert all({"x", "y"} <= node.keys() for node in nodes_of(page))


def test_positions_are_the_same_every_time_with_the_searched_entity_in_the_middle() -> None:
    first, second = (neighbourhood.positions(NODES, EDGES) for _ in range(2))
    assert first == second
    assert first[0] == (0, 0)
    assert len(set(first)) == 3


def test_none_and_one_entity_can_be_drawn() -> None:
    assert neighbourhood.positions([], []) == []
    assert neighbourhood.positions([EntityNode("alone", 0, 0)], []) == [(0, 0)]


def test_the_table_says_the_same() -> None:
    assert neighbourhood.rows(NODES, EDGES)[1] == {
        "subject": "Clifton",
        "predicate": "is a part of",
        "object": "Bristol",
        "passage": "Clifton",
    }


def test_a_cut_is_said_and_completeness_is_not() -> None:
    assert neighbourhood.cut_note(3, 3) == ""
    assert neighbourhood.cut_note(50, 120).startswith("Cut off: 50 of 120 entities")


def test_many_edges_lose_their_labels_but_keep_their_titles() -> None:
    many = [TripleEdge(0, 2, f"p{i}") for i in range(neighbourhood.EDGE_LABELS_UP_TO + 1)]
    page = neighbourhood.html(NODES, many, LIGHT)
    assert '"label": "p0"' not in page
    assert '"title": "p0"' in page
