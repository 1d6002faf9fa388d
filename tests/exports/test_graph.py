"""The graph of entities in files, and read back by networkx and csv."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx

from gear_app.cli import main
from gear_app.exports.collection import edge_lines, graph_of, graphml, node_lines
from gear_app.types import Passage, Span, Triple
from gear_app.workspace import Workspace
from tests.small import TRIPLES

PASSAGE = Passage(1, "quill", "Ada Quill", "Ada Quill was born in Lorn. She <b>sang</b>.")
TWICE = [
    Triple(1, 1, "Ada Quill", "was born in", "Lorn", Span(0, 27)),
    Triple(2, 1, "ada quill", "lives in", "Lorn"),
]


def test_two_facts_about_the_same_two_entities_are_two_edges_between_two_nodes() -> None:
    read = networkx.parse_graphml(graphml(graph_of([(PASSAGE, TWICE)])), force_multigraph=True)
    assert dict(read.nodes(data="label")) == {"ada quill": "Ada Quill", "lorn": "Lorn"}
    assert [label for *_, label in read.edges(data="label")] == ["was born in", "lives in"]
    first = next(iter(read.edges(data=True)))[2]
    assert first["sentence"] == "Ada Quill was born in Lorn."
    assert (first["passage"], first["title"]) == ("quill", "Ada Quill")


def test_no_text_breaks_the_xml_and_no_cell_is_a_formula() -> None:
    hostile = [Triple(1, 1, "=1+1", "<b>&\x00\x0bis", "Lorn")]
    graph = graph_of([(PASSAGE, hostile)])
    read = networkx.parse_graphml(graphml(graph), force_multigraph=True)
    assert [label for *_, label in read.edges(data="label")] == ["<b>&is"]
    nodes = list(csv.reader(node_lines(graph)))
    assert nodes[1][1] == "'=1+1"


def test_a_triple_without_a_letter_at_one_end_is_left_out() -> None:
    assert graph_of([(PASSAGE, [Triple(1, 1, "…", "is", "Lorn")])]).edges == ()


def test_the_tables_have_a_row_for_every_entity_and_every_triple() -> None:
    graph = graph_of([(PASSAGE, TWICE)])
    assert list(csv.reader(node_lines(graph))) == [
        ["Id", "Label", "Triples"],
        ["ada quill", "Ada Quill", "2"],
        ["lorn", "Lorn", "2"],
    ]
    edges = list(csv.reader(edge_lines(graph)))
    assert [row[2] for row in edges] == ["Label", "was born in", "lives in"]


def test_the_command_writes_both(films: Workspace, tmp_path: Path) -> None:
    file, folder = tmp_path / "g.graphml", tmp_path / "tables"
    files = ["--graphml", str(file), "--graph-csv", str(folder), "--workspace", str(films.path)]
    assert main(["export", "--collection", "films", *files]) == 0
    assert networkx.read_graphml(file, force_multigraph=True).number_of_edges() == len(TRIPLES)
    rows = list(csv.reader((folder / "edges.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(TRIPLES) + 1
