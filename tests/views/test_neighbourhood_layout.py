"""Where the nodes, lines and labels of a neighbourhood stand."""

from __future__ import annotations

from itertools import combinations

import pytest

from gear_app.ui.collections.neighbourhood_layout import Box, LabelledEdge, Layout, NodeSize, layout


def star(neighbours: int, behind: int) -> tuple[list[NodeSize], list[LabelledEdge]]:
    """A focus with neighbours, each with others behind it, tied by a triple in either direction."""
    nodes = [NodeSize(("Focus",))]
    edges = []
    for first in range(neighbours):
        nodes.append(NodeSize((f"Neighbour {first}",), 0))
        place = len(nodes) - 1
        edges += [LabelledEdge(0, place, "was built by"), LabelledEdge(place, 0, "made")]
        for second in range(behind):
            nodes.append(NodeSize((f"Behind {first}", f"number {second}"), place))
            edges.append(LabelledEdge(len(nodes) - 1, place, "stands beside"))
    return nodes, edges


def overlapping(boxes: list[Box]) -> list[tuple[Box, Box]]:
    return [(one, other) for one, other in combinations(boxes, 2) if one.overlaps(other)]


def labels_of(found: Layout) -> list[Box]:
    return [line.label for line in found.lines if line.label]


@pytest.mark.parametrize(("neighbours", "behind"), [(1, 0), (3, 2), (20, 0), (8, 4), (12, 6)])
def test_no_label_covers_a_node_or_another_label(neighbours: int, behind: int) -> None:
    nodes, edges = star(neighbours, behind)
    found = layout(nodes, edges, [120.0, 160.0])
    assert not overlapping([*found.nodes, *found.passages, *labels_of(found)])
    assert len(labels_of(found)) == len(edges)


def test_the_focus_is_in_the_middle_and_distance_is_a_column() -> None:
    nodes, edges = star(4, 2)
    found = layout(nodes, edges)
    assert found.nodes[0][:2] == (0, 0)
    assert sorted(set(found.columns)) == [-2, -1, 0, 1, 2]
    by_column = {
        column: {box.x for box, of in zip(found.nodes, found.columns, strict=True) if of == column}
        for column in found.columns
    }
    assert all(len(places) == 1 for places in by_column.values())
    ordered = [by_column[column].pop() for column in sorted(by_column)]
    assert ordered == sorted(ordered)


def test_triples_between_neighbours_are_arcs_that_leave_and_meet_the_outer_side() -> None:
    nodes = [NodeSize(("Focus",)), *(NodeSize((f"N{n}",), 0) for n in range(4))]
    edges = [
        *(LabelledEdge(0, n, "knows") for n in range(1, 5)),
        LabelledEdge(1, 2, "wrote"),
        LabelledEdge(2, 1, "was written by"),
    ]
    found = layout(nodes, edges)
    assert found.columns[1] == found.columns[2]  # tied to each other: on one side
    side = found.columns[1]
    for line in found.lines[4:]:
        assert line.roundness is not None
        assert (line.at(0.5).x - line.start.x) * side > 5
        assert line.label is not None
    assert not overlapping([*found.nodes, *labels_of(found)])


def test_everything_is_inside_the_frame() -> None:
    nodes, edges = star(6, 3)
    found = layout(nodes, edges, [200.0] * 5)
    left, right = found.frame.x - found.frame.width / 2, found.frame.x + found.frame.width / 2
    top, bottom = found.frame.y - found.frame.height / 2, found.frame.y + found.frame.height / 2
    for box in [*found.nodes, *found.passages, *labels_of(found)]:
        assert left <= box.x - box.width / 2
        assert box.x + box.width / 2 <= right
        assert top <= box.y - box.height / 2
        assert box.y + box.height / 2 <= bottom


def test_a_line_begins_at_its_subject_and_ends_at_its_object() -> None:
    nodes, edges = star(2, 0)
    for edge, line in zip(edges, layout(nodes, edges).lines, strict=True):
        boxes = layout(nodes, edges).nodes
        for point, box in ((line.start, boxes[edge.source]), (line.end, boxes[edge.target])):
            assert abs(point.x - box.x) == pytest.approx(box.width / 2)
            assert abs(point.y - box.y) <= box.height / 2
        assert line.at(0) == pytest.approx(line.start)
        assert line.at(1) == pytest.approx(line.end)


def test_none_and_one_entity_can_be_placed() -> None:
    assert layout([], []).nodes == []
    assert layout([NodeSize(("alone",))], []).nodes[0][:2] == (0, 0)
