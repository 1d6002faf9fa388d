"""The neighbourhood of an entity as a pyvis graph and as rows.

Positions come from a seeded spring layout and physics is off, so that the picture is the same every
time and costs the browser nothing. Node ids are integers, words stand only in labels and titles,
and every tag that would load anything from elsewhere is taken out: a document's text cannot run or
fetch anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from gear_app.errors import GearError
from gear_app.text import cut
from gear_app.views.palette import Palette

EDGE_LABELS_UP_TO = 60  # more would cover each other
HEIGHT = 560


class EntityNode(NamedTuple):
    """An entity, how many triples name it, and its distance from the one that was searched."""

    name: str
    triples: int
    distance: int


class TripleEdge(NamedTuple):
    """A triple between two of the nodes, by their positions."""

    source: int
    target: int
    predicate: str
    passage: str = ""


_LOADING = re.compile(r"<link\b[^>]*>|<script\b[^>]*\bsrc\s*=[^>]*>(?:\s*</script>)?", re.I)


def html(nodes: Sequence[EntityNode], edges: Sequence[TripleEdge], palette: Palette) -> str:
    """A self-contained page with the graph.

    Raises GearError should a tag that loads something be left in it.
    """
    from pyvis.network import Network  # late: half a second, and only this needs it

    network = Network(
        height=f"{HEIGHT}px",
        width="100%",
        directed=True,
        bgcolor=palette.background,
        cdn_resources="in_line",
    )
    for id_, (node, (x, y)) in enumerate(zip(nodes, positions(nodes, edges), strict=True)):
        network.add_node(id_, **_drawn(node, palette), x=x, y=y)
    labelled = len(edges) <= EDGE_LABELS_UP_TO
    for edge in edges:
        network.add_edge(edge.source, edge.target, **_line(edge, palette, labelled=labelled))
    network.set_options(_OPTIONS)
    return _offline(network.generate_html(), palette)


def rows(nodes: Sequence[EntityNode], edges: Sequence[TripleEdge]) -> list[dict[str, str]]:
    """The same as a table: one row a triple."""
    return [
        {
            "subject": nodes[edge.source].name,
            "predicate": edge.predicate,
            "object": nodes[edge.target].name,
            "passage": edge.passage,
        }
        for edge in edges
    ]


def positions(nodes: Sequence[EntityNode], edges: Sequence[TripleEdge]) -> list[tuple[int, int]]:
    """Spring layout with a fixed seed, the searched entity in the middle; whole pixels."""
    import networkx as nx  # late, as pyvis

    graph = nx.Graph()
    graph.add_nodes_from(range(len(nodes)))
    graph.add_edges_from((edge.source, edge.target) for edge in edges)
    if not nodes:
        return []
    fixed = {0: (0.0, 0.0)}
    laid = nx.spring_layout(
        graph,
        seed=1,
        pos=fixed | _ring(len(nodes)),
        fixed=[0],
        k=2.2 / len(nodes) ** 0.5,
        iterations=80,
    )
    scale = (
        170
        * max(1.0, len(nodes) ** 0.5)
        / max(1e-6, max(max(abs(x), abs(y)) for x, y in laid.values()) or 1)
    )
    return [
        (round(laid[id_][0] * scale * 0.9), round(laid[id_][1] * scale * 0.55))
        for id_ in range(len(nodes))
    ]


def cut_note(shown: int, total: int) -> str:
    """The visible note when the cap cut something off; empty when everything is shown."""
    if shown >= total:
        return ""
    cut = f"Cut off: {shown} of {total} entities are shown, the nearest first."
    return f"{cut} Raise the number of entities or lower the depth."


def _ring(count: int) -> dict[int, tuple[float, float]]:
    return {i: (math.cos(2.4 * i), math.sin(2.4 * i)) for i in range(1, count)}


def _drawn(node: EntityNode, palette: Palette) -> dict[str, Any]:
    centre = node.distance == 0
    colour = palette.query if centre else palette.kept
    return {
        "label": _clipped(node.name),
        "title": _inert(f"{node.name}\n{node.triples} triples"),
        "shape": "box" if centre else "dot",
        "size": 6 + min(14, 2 * node.triples**0.5),
        "color": colour,
        "font": {
            "size": 14,
            "color": palette.background if centre else palette.text,
            "face": "sans-serif",
        },
    }


def _line(edge: TripleEdge, palette: Palette, *, labelled: bool) -> dict[str, Any]:
    words = _clipped(edge.predicate)
    return {
        "title": _inert(edge.predicate),
        "color": palette.pruned,
        "arrows": "to",
        "font": {
            "size": 11,
            "color": palette.muted_text,
            "strokeWidth": 3,
            "strokeColor": palette.background,
        },
        **({"label": words} if labelled else {}),
    }


def _clipped(text: str) -> str:
    return cut(" ".join(text.split()), 32)


def _inert(text: str) -> str:
    """A title that pyvis cannot take for HTML.

    It switches to innerHTML where the letters `href` stand together.
    """
    return re.sub("(?i)(hr)(ef)", "\\1\u200b\\2", text)


def _offline(page: str, palette: Palette) -> str:
    cleaned = _LOADING.sub("", page)
    if _LOADING.search(cleaned):
        raise GearError(
            "The graph would load something from another host, so it is not shown. The table has it"
            " all."
        )
    quiet = ".card,#mynetwork{border:0!important}center{display:none}"
    style = f"<style>body{{margin:0;background:{palette.background}}}{quiet}</style>"
    return cleaned.replace("</head>", style + "</head>", 1)


_OPTIONS = """{
  "physics": {"enabled": false},
  "interaction": {
    "hover": true, "tooltipDelay": 200, "keyboard": {"enabled": false}, "zoomView": true
  },
  "edges": {"smooth": {"enabled": true, "type": "continuous"}, "width": 1.2}
}"""
