"""The tab Entities: the triples of an entity as a graph and as a table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.app.collections import curation, entity_graph
from gear_app.app.shared import components, elements, session
from gear_app.core.errors import Unknown
from gear_app.core.text import count
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.corpus.neighbourhood import Neighbourhood
from gear_app.workspace.workspace import Workspace

LISTED, DRAWN, TALLEST = 300, 30, 420
ENTITY, GRAPH = "entity", "entity-graph"


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the neighbours of the chosen entity; entities of many passages are listed first."""
    set_, state = info.active.name if info.active else "", st.session_state
    entities = workspace.collections.entities(info.name, set_, limit=LISTED) if set_ else []
    if not entities:
        elements.message("No entities yet: they come with triples. Extract or import some.")
        return
    curation.last_change(workspace, info.name, set_)
    state[ENTITY] = state.get(ENTITY) or entities[0].name
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entity = st.selectbox(
            "Entity",
            list(dict.fromkeys([*(entity.name for entity in entities), state[ENTITY]])),
            key=ENTITY,
            bind="query-params",
            accept_new_options=True,
            help="Entities of many passages come first; others can be typed",
            width=340,
        )
        with elements.refusals():
            curation.entity_form(workspace, info.name, set_, entity)
    try:
        around = workspace.collections.neighbourhood(info.name, set_, entity, 1, DRAWN)
    except Unknown:
        like = workspace.collections.entities(info.name, set_, search=entity, limit=5)
        near = f" Similar: {', '.join(entity.name for entity in like)}." if like else ""
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
    """Draw the triples as a table, and the passage of the chosen one or of those of an edge."""
    triples = [edge.triple for edge in around.edges]
    passages = workspace.collections.passages_by_id([triple.passage_id for triple in triples])
    rows = [{**curation.cells(t), "passage": passages[t.passage_id].name} for t in triples]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        table: Any = st.dataframe(
            rows,
            hide_index=True,
            height=elements.table_height(len(rows), TALLEST),
            on_select="rerun",
            selection_mode="single-row",
            key="entity-triples",
        )
    chosen = [triples[place] for place in table.selection.rows if place < len(triples)]
    if not chosen and edge:
        edges = entity_graph.pairs(around).items()
        chosen = [line.triple for (a, b), lines in edges if f"{a}-{b}" == edge for line in lines]
    with right, st.container(border=True):
        if not chosen:
            st.caption("Select a line or a row to read the passage that states it.")
        for triple in chosen:
            with elements.refusals():
                elements.stating_passage(workspace, triple)
