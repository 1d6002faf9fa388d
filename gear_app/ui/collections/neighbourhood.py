"""The neighbourhood of an entity as a pyvis graph and as rows.

pyvis describes the graph and brings vis-network, which draws it on the page (frontend/graph.js).
Where everything stands is computed here, with physics off: the picture is the same every time. Its
words are data that is drawn on a canvas or set as text, never HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gear_app.text import count, cut
from gear_app.ui.collections.neighbourhood_layout import (
    CURVE,
    FONT,
    LABEL_FONT,
    PADDING,
    Box,
    GraphLine,
    LabelledEdge,
    Layout,
    NodeSize,
    layout,
    text_width,
)
from gear_app.views.palette import Palette

WIDEST = 150  # pixels of a node's words, in at most two lines
WIDEST_LABEL = 168
PASSAGES = 8  # drawn at most
LIBRARY = "vis-9.1.2"
HUES = "kept", "words", "proximal", "passage"  # of the largest communities, which are numbered


class EntityNode(NamedTuple):
    """An entity, its distance from the focus, and the node it stands behind, by position.

    `hidden` of its neighbours are not drawn. `community` is the best connected entity of its
    community, "" where these are not shown.
    """

    name: str
    distance: int
    parent: int | None = None
    hidden: int = 0
    community: str = ""


class _Community(NamedTuple):
    """How one of the largest communities is told: `size` of its entities are drawn."""

    number: str
    hue: str
    size: int


class TripleEdge(NamedTuple):
    """A triple between two of the nodes, by their positions, and the passage that states it."""

    source: int
    target: int
    predicate: str
    passage: str = ""
    triple_id: int = 0
    passage_id: int = 0


class StatingPassage(NamedTuple):
    """A passage that states triples of the focus, and the questions it is gold for."""

    id: int
    label: str
    gold_for: tuple[str, ...] = ()


def library() -> Path:
    """The folder of vis-network in the pyvis that is installed."""
    import pyvis

    return Path(pyvis.__file__).parent / "lib" / LIBRARY


def graph(
    nodes: Sequence[EntityNode],
    edges: Sequence[TripleEdge],
    passages: Sequence[StatingPassage],
    palette: Palette,
) -> dict[str, Any]:
    """Component data: what vis-network is given, and what stands on it.

    `labels` are the predicates that have room, `badges` the numbers of neighbours not drawn, and
    `stops` what can be pointed at or reached by keyboard: entities to walk on to, passages.
    """
    from pyvis.network import Network  # late: half a second, and only this needs it

    drawn = [edge for edge in edges if edge.source != edge.target]
    shown = passages[:PASSAGES]
    plan = _plan(nodes, drawn, shown)
    network = Network(directed=True)
    largest = _largest(nodes)
    for number, node in enumerate(nodes):
        _add_entity(network, f"e{number}", node, plan.nodes[number], palette, largest)
    for passage, box in zip(shown, plan.passages, strict=True):
        _add_passage(network, passage, box, palette)
    for number, line in enumerate(plan.lines):
        _add_line(network, f"t{number}", line, palette)
    network.set_options(_OPTIONS)
    found_nodes, found_edges, *_ = network.get_network_data()
    return {
        "nodes": found_nodes,
        "edges": found_edges,
        "options": network.options,
        "labels": [
            _label(number, edge, line)
            for number, (edge, line) in enumerate(zip(drawn, plan.lines, strict=True))
        ],
        "badges": [
            {"x": box.x + side * box.width / 2, "y": box.y - box.height / 2, "words": words}
            for node, box in zip(nodes, plan.nodes, strict=True)
            for side, words in (
                (1, f"+{node.hidden}" if node.hidden else ""),
                (-1, largest[node.community].number if node.community in largest else ""),
            )
            if words
        ],
        "stops": [*_entity_stops(nodes, drawn, plan), *_passage_stops(shown, drawn, plan)],
        "frame": plan.frame._asdict(),
        "label": picture_words(nodes, edges),
        "colours": {
            "words": palette.muted_text,
            "strong": palette.text,
            "under": palette.background,
            "badge": palette.panel,
        },
        "smallest": LABEL_FONT,
    }


def rows(nodes: Sequence[EntityNode], edges: Sequence[TripleEdge]) -> list[dict[str, str]]:
    """The same as a table: one row a triple, with the communities of its ends where they show."""
    return [
        {
            "subject": nodes[edge.source].name,
            "predicate": edge.predicate,
            "object": nodes[edge.target].name,
            "passage": edge.passage,
        }
        | {
            f"{end}’s community": nodes[at].community
            for end, at in (("subject", edge.source), ("object", edge.target))
            if nodes[at].community
        }
        for edge in edges
    ]


def picture_words(nodes: Sequence[EntityNode], edges: Sequence[TripleEdge]) -> str:
    """What is drawn, in one line."""
    entities, triples = count(len(nodes), "entity", "entities"), count(len(edges), "triple")
    return f"{nodes[0].name}: {entities}, {triples}" if nodes else "Nothing"


def left_out_note(shown: int, total: int, passages: int = 0) -> str:
    """The visible note when something is not drawn; empty when everything is."""
    left = total - shown
    words = []
    if left > 0:
        words.append(
            f"{left:,} more not drawn: of each entity’s neighbours those with most ties come first,"
            " names before common words. +n is how many more there are: walk on to them."
        )
    if passages > PASSAGES:
        words.append(f"{count(passages - PASSAGES, 'more passage')} not drawn.")
    return " ".join(words)


def unlabelled_note(graph_: dict[str, Any]) -> str:
    """How many predicates had no room; "" where each stands on its line."""
    without = sum(label["x"] is None for label in graph_["labels"])
    if not without:
        return ""
    stands = "shows when its line is" if without == 1 else "show when their lines are"
    return f"{count(without, 'predicate')} {stands} pointed at; the table has them all."


def legend(
    nodes: Sequence[EntityNode], passages: Sequence[StatingPassage]
) -> list[tuple[str, str]]:
    """What colours and shapes mean: only what occurs."""
    found = [("query", "the entity looked at")]
    if largest := _largest(nodes):
        found += [
            (one.hue, f"{one.number}: community of {name}, {one.size} here")
            for name, one in largest.items()
        ]
        if any(node.community not in largest for node in nodes):
            found.append(("", "grey: a smaller community, named on pointing"))
    else:
        found.append(("kept", "entity: click to walk on"))
    found += [("passage", "¶ passage that states its triples")] * any(
        not one.gold_for for one in passages
    )
    found += [("star", "gold passage of a question")] * any(one.gold_for for one in passages)
    return [*found, ("", "an arrow leads from subject to object")]


def _largest(nodes: Sequence[EntityNode]) -> dict[str, _Community]:
    """The communities with most of the entities drawn, at least two, by name."""
    sizes = Counter(node.community for node in nodes if node.community)
    largest = [(name, size) for name, size in sizes.most_common(len(HUES)) if size > 1]
    return {
        name: _Community(str(number), hue, size)
        for number, (hue, (name, size)) in enumerate(zip(HUES, largest, strict=False), start=1)
    }


def _plan(
    nodes: Sequence[EntityNode], edges: Sequence[TripleEdge], passages: Sequence[StatingPassage]
) -> Layout:
    sizes = [NodeSize(_lines_of(node.name), node.parent) for node in nodes]
    labelled = [LabelledEdge(e.source, e.target, _short(e.predicate)) for e in edges]
    widths = [text_width(_passage_words(passage)) + 2 * PADDING for passage in passages]
    return layout(sizes, labelled, widths)


def _add_entity(
    network: Any,  # noqa: ANN401
    id_: str,
    node: EntityNode,
    box: Box,
    palette: Palette,
    largest: Mapping[str, _Community],
) -> None:
    focus = node.distance == 0
    rim = palette.query if focus else palette.kept
    if node.community:
        one = largest.get(node.community)
        rim = getattr(palette, one.hue) if one else palette.muted_text
    ground = palette.query if focus else palette.background
    network.add_node(
        id_,
        **_box(box, "\n".join(_lines_of(node.name))),
        color=_all_states(ground, rim, palette.query if focus else palette.panel),
        borderWidth=3 if node.community in largest else 2 if node.distance == 1 else 1,
        font={"size": FONT, "color": palette.background if focus else palette.text},
        shapeProperties={"borderRadius": 9},
    )


def _add_passage(
    network: Any,  # noqa: ANN401
    passage: StatingPassage,
    box: Box,
    palette: Palette,
) -> None:
    rim = palette.gold if passage.gold_for else palette.passage
    id_ = f"p{passage.id}"
    network.add_node(
        id_,
        **_box(box, _passage_words(passage)),
        color=_all_states(palette.panel, rim, palette.background),
        borderWidth=1.5,
        font={"size": LABEL_FONT, "color": palette.text},
        shapeProperties={"borderRadius": 1, "borderDashes": False if passage.gold_for else [5, 3]},
    )
    network.add_edge(
        "e0",
        id_,
        id=f"s{passage.id}",
        arrows="",
        color=rim,
        dashes=[3, 4],
        width=1,
        smooth=False,
        chosen=False,
    )


def _add_line(
    network: Any,  # noqa: ANN401
    id_: str,
    line: GraphLine,
    palette: Palette,
) -> None:
    """The line between two points of no size: vis-network leads lines to the middle of nodes."""
    ends = f"{id_}a", f"{id_}b"
    for end, point in zip(ends, (line.start, line.end), strict=True):
        network.add_node(
            end,
            label=" ",
            shape="dot",
            size=0,
            borderWidth=0,
            x=point.x,
            y=point.y,
            color="rgba(0,0,0,0)",
            chosen=False,
        )
    smooth = {"type": "cubicBezier", "forceDirection": "horizontal", "roundness": CURVE}
    if line.roundness is not None:
        turn = "curvedCW" if line.roundness > 0 else "curvedCCW"
        smooth = {"type": turn, "roundness": abs(line.roundness)}
    network.add_edge(
        *ends,
        id=id_,
        smooth={"enabled": True, **smooth},
        color={"color": palette.pruned, "hover": palette.kept, "highlight": palette.kept},
        width=1.3,
    )


def _box(box: Box, words: str) -> dict[str, Any]:
    return {
        "label": words,
        "shape": "box",
        "x": box.x,
        "y": box.y,
        "margin": dict.fromkeys(("top", "right", "bottom", "left"), 0),
        "widthConstraint": box.width,
        "heightConstraint": {"minimum": box.height, "valign": "middle"},
    }


def _all_states(ground: str, rim: str, hovered: str) -> dict[str, Any]:
    state = {"background": hovered, "border": rim}
    return {"background": ground, "border": rim, "hover": state, "highlight": state}


def _label(number: int, edge: TripleEdge, line: GraphLine) -> dict[str, Any]:
    """A predicate and its place; x is None where it has none and shows when pointed at."""
    box, middle = line.label, line.at(0.5)
    return {
        "edge": f"t{number}",
        "words": _short(edge.predicate),
        "whole": edge.predicate,
        "x": box.x if box else None,
        "y": box.y if box else None,
        "width": text_width(_short(edge.predicate), LABEL_FONT) + 8,
        "middle": middle._asdict(),
        "triple": edge.triple_id,
        "passage": edge.passage_id,
        "said": edge.passage,
        "ends": [f"e{edge.source}", f"e{edge.target}"],
    }


def _entity_stops(
    nodes: Sequence[EntityNode], edges: Sequence[TripleEdge], plan: Layout
) -> list[dict[str, Any]]:
    ends = Counter(end for edge in edges for end in edge[:2])
    return [
        {
            "id": f"e{number}",
            "kind": "entity",
            "name": node.name,
            "note": _entity_note(node, ends[number]),
            "column": plan.columns[number],
            **box._asdict(),
        }
        for number, (node, box) in enumerate(zip(nodes, plan.nodes, strict=True))
    ]


def _entity_note(node: EntityNode, triples: int) -> str:
    drawn = f"{count(triples, 'triple')} drawn"
    hidden = f", {count(node.hidden, 'more neighbour')} not drawn" if node.hidden else ""
    of = f" In the community of {node.community}." if node.community else ""
    return f"{drawn}{hidden}.{of} {'Looked at now' if node.distance == 0 else 'Click to walk on'}"


def _passage_stops(
    passages: Sequence[StatingPassage], edges: Sequence[TripleEdge], plan: Layout
) -> list[dict[str, Any]]:
    stated = Counter(edge.passage_id for edge in edges)
    return [
        {
            "id": f"p{passage.id}",
            "kind": "passage",
            "name": passage.label,
            "note": " · ".join(
                [f"Passage, states {count(stated[passage.id], 'triple')} drawn here"]
                + [f"★ gold for “{cut(question, 90)}”" for question in passage.gold_for[:2]]
            ),
            "passage": passage.id,
            "column": 0,
            **box._asdict(),
        }
        for passage, box in zip(passages, plan.passages, strict=True)
    ]


def _passage_words(passage: StatingPassage) -> str:
    return f"{'★' if passage.gold_for else '¶'} {_fitting(passage.label, WIDEST + 20)}"


def _short(predicate: str) -> str:
    return _fitting(" ".join(predicate.split()), WIDEST_LABEL, LABEL_FONT)


def _lines_of(name: str) -> tuple[str, ...]:
    """A name in one line or two."""
    words = " ".join(name.split())
    if text_width(words) <= WIDEST:
        return (words,)
    first = ""
    for word in words.split():
        if text_width(f"{first} {word}") > WIDEST:
            break
        first = f"{first} {word}".strip()
    rest = words[len(first) :].strip()
    if not first:  # a single long word
        return (_fitting(words, WIDEST),)
    return first, _fitting(rest, WIDEST)


def _fitting(words: str, width: float, size: float = FONT) -> str:
    length = len(words)
    while length > 1 and text_width(cut(words, length), size) > width:
        length -= 1
    return cut(words, length)


_OPTIONS = """{
  "physics": {"enabled": false},
  "layout": {"improvedLayout": false},
  "nodes": {"labelHighlightBold": false},
  "edges": {
    "arrows": {"to": {"enabled": true, "scaleFactor": 0.55}},
    "hoverWidth": 0.8, "selectionWidth": 1.2
  },
  "interaction": {
    "hover": true, "dragNodes": false, "zoomView": false, "keyboard": {"enabled": false},
    "selectConnectedEdges": false, "hoverConnectedEdges": false, "tooltipDelay": 100000
  }
}"""
