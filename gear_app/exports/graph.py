"""The graph of a collection's entities, for tools that draw and measure graphs: GraphML, and two
tables of nodes and edges.

A node is an entity by its normalised name, an edge one triple, with the passage that states it; two
entities may have several. What XML cannot hold of a text, such as a control character, is left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import networkx

from gear_app.text import harmless, normalise_entity
from gear_app.types import Passage, Triple

NODE_HEADS = ("Id", "Label", "Triples")
EDGE_HEADS = ("Source", "Target", "Label", "Passage", "Title", "Sentence")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class GraphForExport:
    """Entities by their normalised name, each with its first spelling; and the triples between
    them, each with its passage, in the order of the passages.
    """

    names: dict[str, str]
    edges: tuple[tuple[str, str, Triple, Passage], ...]


def graph_of(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> GraphForExport:
    """The graph of passages with their triples; a triple whose subject or object has no letter is
    left out.
    """
    names: dict[str, str] = {}
    edges = []
    for passage, triples in passages:
        for triple in triples:
            ends = normalise_entity(triple.subject), normalise_entity(triple.object)
            if not all(ends):
                continue
            names.setdefault(ends[0], triple.subject)
            names.setdefault(ends[1], triple.object)
            edges.append((*ends, triple, passage))
    return GraphForExport(names, tuple(edges))


def graphml(graph: GraphForExport) -> str:
    """The graph as GraphML: directed, with several edges between two nodes where there are."""
    drawn = networkx.MultiDiGraph()
    for name, label in graph.names.items():
        drawn.add_node(_xml(name), label=_xml(label))
    for subject, object_, triple, passage in graph.edges:
        drawn.add_edge(
            _xml(subject),
            _xml(object_),
            label=_xml(triple.predicate),
            passage=_xml(passage.key),
            title=_xml(passage.title),
            sentence=_xml(_sentence(triple, passage)),
        )
    return "\n".join(networkx.generate_graphml(drawn)) + "\n"


def node_lines(graph: GraphForExport) -> Iterator[str]:
    """The lines of a table of nodes, as Gephi reads them; `Triples` counts those with the node."""
    counted = Counter(name for one in graph.edges for name in one[:2])
    rows = ((name, label, counted[name]) for name, label in graph.names.items())
    return _lines([NODE_HEADS, *rows])


def edge_lines(graph: GraphForExport) -> Iterator[str]:
    """The lines of a table of edges, as Gephi reads them."""
    rows = (
        (
            subject,
            object_,
            triple.predicate,
            passage.key,
            passage.title,
            _sentence(triple, passage),
        )
        for subject, object_, triple, passage in graph.edges
    )
    return _lines([EDGE_HEADS, *rows])


def _sentence(triple: Triple, passage: Passage) -> str:
    return passage.text[triple.span.start : triple.span.end] if triple.span else ""


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)


def _lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([harmless(str(cell)) for cell in row])
        yield line.getvalue()
