"""The tab Entities: the triples around an entity as a graph and as a table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.app.collections import curation, entity_graph
from gear_app.app.shared import components, elements, session
from gear_app.core.errors import Unknown
from gear_app.core.text import count
from gear_app.core.types import Triple
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.corpus.neighbourhood import Neighbourhood
from gear_app.workspace.workspace import Workspace

LISTED, DRAWN, TALLEST = 300, 30, 420
DEPTHS = (1, 2, 3)
ENTITY, DEPTH, GRAPH = "entity", "depth", "entity-graph"


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the neighbourhood of the chosen entity; entities of many passages are listed first."""
    if info.active is None:
        elements.message("No entities yet: they come with triples. Extract or import some.")
        return
    set_ = info.active.name
    curation.told(workspace, info.name, set_)
    names = [
        entity.name for entity in workspace.collections.entities(info.name, set_, limit=LISTED)
    ]
    if not names:
        elements.message("This set holds no entities yet. They appear as triples are extracted.")
        return
    selected = st.session_state.get(ENTITY) or names[0]
    st.session_state[ENTITY] = selected
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entity = st.selectbox(
            "Entity",
            list(dict.fromkeys([*names, selected])),
            key=ENTITY,
            bind="query-params",
            accept_new_options=True,
            help="Entities of many passages come first; others can be typed",
            width=340,
        )
        depth = st.segmented_control(
            "Depth",
            DEPTHS,
            default=1,
            required=True,
            key=DEPTH,
            bind="query-params",
            help="Triples away from the entity",
        )
        curation.of_entity(workspace, info.name, set_, entity, names)
    try:
        around = workspace.collections.neighbourhood(info.name, set_, entity, depth, DRAWN)
    except Unknown:
        like = workspace.collections.entities(info.name, set_, search=entity, limit=LISTED)
        near = f" Similar: {', '.join(entity.name for entity in like[:5])}." if like else ""
        elements.message(f"“{entity}” is no entity of these triples.{near}", "bad")
        return
    edge = components.graph(
        entity_graph.graph(around, session.colours()), entity_graph.library(), GRAPH, _go_to
    )
    if around.left_out:
        st.caption(f"{count(around.left_out, 'more entity', 'more entities')} not drawn.")
    _triples(workspace, around, edge)


def _go_to() -> None:
    st.session_state[ENTITY] = st.session_state[GRAPH]["walk"]


def _triples(workspace: Workspace, around: Neighbourhood, edge: str | None) -> None:
    """The triples as a table, and the passage of the chosen one or of those of a clicked line."""
    triples = [edge.triple for edge in around.edges]
    ids = {triple.passage_id for triple in triples}
    titles = {id_: workspace.collections.passage(id_).name for id_ in ids}
    left, right = st.columns([3, 2], gap="medium")
    rows = [{**_row(triple), "passage": titles[triple.passage_id]} for triple in triples]
    with left:
        event: Any = st.dataframe(
            rows,
            hide_index=True,
            height=elements.table_height(len(rows), TALLEST),
            on_select="rerun",
            selection_mode="single-row",
            key="entity-triples",
        )
    chosen = [triples[place] for place in event.selection.rows if place < len(triples)]
    if not chosen and edge:
        lines = {f"{a}-{b}": edges for (a, b), edges in entity_graph.pairs(around).items()}
        chosen = [line.triple for line in lines.get(edge, ())]
    with right, st.container(border=True):
        if not chosen:
            st.caption("Select a line or a row to read the passage that states it.")
        for triple in chosen:
            with elements.refusals():
                elements.stating_passage(workspace, triple)


def _row(triple: Triple) -> dict[str, str]:
    return {"subject": triple.subject, "predicate": triple.predicate, "object": triple.object}
