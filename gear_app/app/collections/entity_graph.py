"""The neighbourhood of an entity as pyvis describes it, drawn by vis-network: subjects on the left,
objects on the right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gear_app.core.text import count, cut
from gear_app.display.palette import Palette
from gear_app.workspace.corpus.neighbourhood import Edge, Neighbourhood

LIBRARY = "vis-9.1.2"
WIDEST, ROW, LEAST = 150, 36, 320  # pixels: of a node's words, of a row of nodes, of the picture
LONGEST = 28  # characters of a predicate on its line
FEW = 12  # neighbours on one side


def library() -> Path:
    """The folder of vis-network in the installed pyvis."""
    import pyvis

    return Path(pyvis.__file__).parent / "lib" / LIBRARY


def graph(around: Neighbourhood, palette: Palette) -> dict[str, Any]:
    """Nodes, edges and options of vis-network; an edge is all triples of two entities."""
    from pyvis.network import Network  # late: half a second

    network = Network(directed=True)
    levels = _levels(around)
    for node in around.nodes:
        focus = node.distance == 0
        colour = {"background": palette.panel, "border": palette.kept}
        if focus:
            colour = {"background": palette.query, "border": palette.query}
        more = f", {count(node.hidden, 'more neighbour')} not drawn" if node.hidden else ""
        network.add_node(
            node.id,
            label=f"{node.name} +{node.hidden}" if node.hidden else node.name,
            title=f"{node.name}{more}" + ("" if focus else ". Click to go there"),
            name=node.name,
            level=levels[node.id],
            shape="box",
            color=colour | {"highlight": colour, "hover": colour},
            font={"color": palette.background if focus else palette.text},
            widthConstraint={"maximum": WIDEST},
        )
    for (source, target), edges in pairs(around).items():
        names = list(dict.fromkeys(edge.triple.predicate for edge in edges))
        more = f" +{len(names) - 1}" if len(names) > 1 else ""
        network.add_edge(
            source,
            target,
            id=f"{source}-{target}",
            label=cut(names[0], LONGEST) + more,
            smooth=BENT if levels[source] == levels[target] else STRAIGHT,
            title="\n".join(" · ".join(edge.triple.words) for edge in edges),
            color={"color": palette.pruned, "highlight": palette.kept, "hover": palette.kept},
            font={
                "color": palette.muted_text,
                "background": palette.background,
                "size": 12,
                "strokeWidth": 0,
            },
        )
    rows = max(list(levels.values()).count(level) for level in levels.values())
    return {
        "nodes": network.nodes,
        "edges": network.edges,
        "options": OPTIONS,
        "height": max(LEAST, ROW * rows),
        "label": f"{count(len(around.nodes), 'entity', 'entities')},"
        f" {count(len(around.edges), 'triple')}",
    }


def pairs(around: Neighbourhood) -> dict[tuple[int, int], list[Edge]]:
    """The triples of a neighbourhood by subject and object."""
    groups: dict[tuple[int, int], list[Edge]] = {}
    for edge in around.edges:
        groups.setdefault((edge.source, edge.target), []).append(edge)
    return groups


def _levels(around: Neighbourhood) -> dict[int, int]:
    """Column of each node: -1 for subjects of the centre, on the left, 1 for objects; where one
    side has many, both have half of all.
    """
    centre, *near = (node.id for node in around.nodes)
    subjects = {edge.source for edge in around.edges if edge.target == centre}
    near.sort(key=lambda id_: id_ not in subjects)
    left = len(subjects.intersection(near))
    if max(left, len(near) - left) > FEW:
        left = len(near) // 2
    return {centre: 0} | {id_: -1 if at < left else 1 for at, id_ in enumerate(near)}


STRAIGHT = {"enabled": True, "type": "cubicBezier", "forceDirection": "horizontal"}
BENT = {"enabled": True, "type": "curvedCW", "roundness": 1.6}  # around the nodes between
OPTIONS = {
    "physics": {"enabled": False},
    "layout": {
        "hierarchical": {
            "enabled": True,
            "direction": "LR",
            "levelSeparation": 330,
            "nodeSpacing": ROW,
            "treeSpacing": ROW,
        }
    },
    "edges": {
        "arrows": {"to": {"enabled": True, "scaleFactor": 0.5}},
    },
    "interaction": {"hover": True, "zoomView": False, "dragNodes": False, "tooltipDelay": 100},
}
