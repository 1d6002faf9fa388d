"""The tab Entities: the triples of an entity as a table, and as a graph that pyvis describes and
vis-network draws, subjects on the left and objects on the right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from gear_app.app.collections import curation
from gear_app.app.shared import components, elements, session
from gear_app.core.text import count, cut
from gear_app.display.palette import Palette
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.corpus.neighbourhood import Neighbourhood, neighbourhood
from gear_app.workspace.workspace import Workspace

LISTED, DRAWN, TALLEST = 300, 30, 420
ENTITY, GRAPH = "entity", "entity-graph"
LIBRARY = "vis-9.1.2"
WIDEST, ROW, LEAST = 150, 36, 320  # pixels: of a node's words, of a row of nodes, of the picture
LONGEST = 28  # characters of a predicate on its line
FEW = 12  # neighbours on one side

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


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the neighbours of the chosen entity; entities of many passages are listed first."""
    set_, state = info.active, st.session_state
    entities = workspace.store.entities.search(set_.id, "", LISTED) if set_ else {}
    if set_ is None or not entities:
        elements.message("No entities yet: they come with triples. Extract or import some.")
        return
    curation.last_change(workspace, info.name, set_.name)
    state[ENTITY] = state.get(ENTITY) or next(iter(entities))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entity = st.selectbox(
            "Entity",
            list(dict.fromkeys([*entities, state[ENTITY]])),
            key=ENTITY,
            bind="query-params",
            accept_new_options=True,
            help="Entities of many passages come first; others can be typed",
            width=340,
        )
        form = st.container()
    with elements.refusals():
        with form:
            curation.entity_form(workspace, info.name, set_.name, entity)
        around = neighbourhood(workspace.store, set_, entity, DRAWN)
        _draw(workspace, around)


def _draw(workspace: Workspace, around: Neighbourhood) -> None:
    edge = components.graph(_graph(around, session.colours()), _library(), GRAPH, _go_to)
    if around.left_out:
        st.caption(f"{count(around.left_out, 'more entity', 'more entities')} not drawn.")
    _triples(workspace, around, edge)


def _go_to() -> None:
    st.session_state[ENTITY] = st.session_state[GRAPH]["walk"]


def _triples(workspace: Workspace, around: Neighbourhood, edge: str | None) -> None:
    """Draw the triples as a table, and the passage of the chosen one or of those of an edge."""
    stated = (triple for triples in around.triples.values() for triple in triples)
    triples = sorted(stated, key=lambda triple: triple.id)
    passages = workspace.store.passages.with_ids([triple.passage_id for triple in triples])
    rows = [{**curation.cells(t), "passage": passages[t.passage_id].name} for t in triples]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        table: Any = st.dataframe(
            rows,
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            key="entity-triples",
        )
    chosen = [triples[place] for place in table.selection.rows if place < len(triples)]
    if not chosen and edge:
        chosen = [t for (a, b), ts in around.triples.items() if f"{a}-{b}" == edge for t in ts]
    with right, st.container(border=True):
        if not chosen:
            st.caption("Select a line or a row to read the passage that states it.")
        for triple in chosen:
            with elements.refusals():
                elements.stating_passage(workspace, triple)


def _library() -> Path:
    """The folder of vis-network in the installed pyvis."""
    import pyvis

    return Path(pyvis.__file__).parent / "lib" / LIBRARY


def _graph(around: Neighbourhood, palette: Palette) -> dict[str, Any]:
    """Nodes, edges and options of vis-network; an edge is all triples of two entities."""
    from pyvis.network import Network  # late: half a second

    network = Network(directed=True)
    levels = _levels(around)
    for node in around.nodes:
        focus = node is around.nodes[0]
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
    for (source, target), triples in around.triples.items():
        names = list(dict.fromkeys(triple.predicate for triple in triples))
        more = f" +{len(names) - 1}" if len(names) > 1 else ""
        network.add_edge(
            source,
            target,
            id=f"{source}-{target}",
            label=cut(names[0], LONGEST) + more,
            smooth=BENT if levels[source] == levels[target] else STRAIGHT,
            title="\n".join(" · ".join(triple.words) for triple in triples),
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
        f" {count(sum(map(len, around.triples.values())), 'triple')}",
    }


def _levels(around: Neighbourhood) -> dict[int, int]:
    """Column of each node: -1 for subjects of the centre, on the left, 1 for objects; where one
    side has many, both have half of all.
    """
    centre, *near = (node.id for node in around.nodes)
    subjects = {subject for subject, object_ in around.triples if object_ == centre}
    near.sort(key=lambda id_: id_ not in subjects)
    left = len(subjects.intersection(near))
    if max(left, len(near) - left) > FEW:
        left = len(near) // 2
    return {centre: 0} | {id_: -1 if at < left else 1 for at, id_ in enumerate(near)}
