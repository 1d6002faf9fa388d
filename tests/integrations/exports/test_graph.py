"""The graph of entities as GraphML, read back by networkx."""

from __future__ import annotations

from pathlib import Path

import networkx

from gear_app.cli import main
from gear_app.core.types import Passage, Span, Triple
from gear_app.integrations.exports.collections import entity_graph
from gear_app.workspace.workspace import Workspace
from tests.small import TRIPLES

PASSAGE = Passage(1, "quill", "Ada Quill", "Ada Quill was born in Lorn. She <b>sang</b>.")
TWICE = [
    Triple(1, 1, "Ada Quill", "was born in", "Lorn", Span(0, 27)),
    Triple(2, 1, "ada quill", "lives in", "Lorn"),
]


def test_two_facts_about_the_same_two_entities_are_two_edges_between_two_nodes() -> None:
    read = networkx.parse_graphml(entity_graph([(PASSAGE, TWICE)]), force_multigraph=True)
    assert dict(read.nodes(data="label")) == {"ada quill": "Ada Quill", "lorn": "Lorn"}
    said = [("ada quill", "lorn", words) for words in ("was born in", "lives in")]
    assert list(read.edges(data="label")) == said
    first = next(iter(read.edges(data=True)))[2]
    assert first["sentence"] == "Ada Quill was born in Lorn."
    assert (first["passage"], first["title"]) == ("quill", "Ada Quill")


def test_no_text_breaks_the_xml() -> None:
    hostile = [Triple(1, 1, "=1+1", "<b>&\x00\x0bis", "Lorn")]
    read = networkx.parse_graphml(entity_graph([(PASSAGE, hostile)]), force_multigraph=True)
    assert [label for *_, label in read.edges(data="label")] == ["<b>&is"]


def test_the_command_writes_an_edge_for_every_triple(films: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "g.graphml"
    command = ["export", "--collection", "films", "--graphml", str(file)]
    assert main([*command, "--workspace", str(films.path)]) == 0
    assert networkx.read_graphml(file, force_multigraph=True).number_of_edges() == len(TRIPLES)
