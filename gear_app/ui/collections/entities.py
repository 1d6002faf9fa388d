"""The tab Entities and graph: search an entity, see who is connected to it, and walk on.

The entity in the middle, the depth and what else is chosen stand in the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from gear_app.corpus.neighbourhood import Neighbourhood
from gear_app.errors import Unknown
from gear_app.store.rows import CollectionInfo
from gear_app.text import count
from gear_app.types import Triple
from gear_app.ui.collections import curation
from gear_app.ui.collections import neighbourhood as views
from gear_app.ui.shared import address, components, elements, session
from gear_app.views import markup
from gear_app.views.palette import Palette
from gear_app.workspace import Workspace

LISTED = 300
MOST_CUT = 12_000  # triples that are cut into communities: two seconds
CAPS, USUAL_CAP = (20, 40, 80), 40
DEPTHS = (1, 2, 3)
ENTITY, DEPTH, CAP, WITH, COLOUR = "entity", "depth", "most", "with", "colour"
PASSAGES, COMMUNITIES = "passages", "communities"
SEARCH, CHOSEN = "entity-search", "entity-chosen"


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """A list of entities, and beside it the neighbourhood of one."""
    collection, active = info.name, info.active
    if active is None:
        elements.message(
            "No entities yet: they come with triples. Press Extract triples on the tab Triple sets,"
            " or import some."
        )
        return
    set_ = active.name
    curation.told(workspace, collection, set_)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entity = _choose(workspace, collection, set_)
        depth, cap, passages, coloured = _controls(active.triples)
    if entity is None:
        words = st.session_state.get(SEARCH)
        elements.message(
            "No entity has this name."
            if words
            else "This set holds no entities yet. They appear as triples are extracted."
        )
        return
    try:
        around = workspace.collections.neighbourhood(collection, set_, entity, depth, cap)
    except Unknown:
        elements.message(
            f"“{entity}” is no entity of these triples. Search for another one.", "bad"
        )
        return
    others = workspace.collections.entities(collection, set_, limit=LISTED)
    curation.of_entity(workspace, collection, set_, entity, [one.name for one in others])
    state = f"{info.revision}-{set_}-{active.triples}"
    community_of = (
        _communities(str(workspace.path), collection, state, _workspace=workspace, _set=set_)
        if coloured
        else {}
    )
    shown = _values(workspace, collection, around, community_of, passages=passages)
    _around(workspace, shown, around)


def _choose(workspace: Workspace, collection: str, set_: str) -> str | None:
    """The entity of the address, else the first that matches the words."""
    search = st.text_input(
        "Search the entities",
        key=SEARCH,
        placeholder="A name or a part of one",
        on_change=lambda: address.hold(ENTITY, ""),
        width=220,
    )
    matches = workspace.collections.entities(collection, set_, search=search, limit=LISTED)
    counts = dict(matches)
    entity = address.named(ENTITY) or next(iter(counts), None)
    if entity is None:
        return None
    st.session_state[CHOSEN] = entity
    st.selectbox(
        "Entity" if len(matches) < LISTED else f"Entity (the first {LISTED})",
        [*([] if entity in counts else [entity]), *counts],
        key=CHOSEN,
        format_func=lambda name: (
            f"{name} · {count(counts[name], 'passage')}" if name in counts else name
        ),
        on_change=lambda: address.hold_field(CHOSEN, ENTITY),
        width=300,
    )
    return entity


class _Shown(NamedTuple):
    """What is drawn, and of each triple the passage that states it."""

    nodes: list[views.EntityNode]
    edges: list[views.TripleEdge]
    passages: list[views.StatingPassage]
    triples: dict[int, Triple]


def _around(workspace: Workspace, shown: _Shown, around: Neighbourhood) -> None:
    picture = _picture(
        tuple(shown.nodes), tuple(shown.edges), tuple(shown.passages), session.colours()
    )
    click = components.graph(picture, views.library(), "entity-graph")
    if click.event:
        address.hold(ENTITY, str(click.event))
        st.rerun()
    st.html(markup.legend(views.legend(shown.nodes, shown.passages)))
    notes = [
        views.left_out_note(len(around.nodes), around.total, len(shown.passages)),
        views.unlabelled_note(picture),
    ]
    elements.message(" ".join(filter(None, notes)), "busy")
    _beside(workspace, shown, picture, str(click.selected or ""))


def _controls(triples: int) -> tuple[int, int, bool, bool]:
    """Depth, entities at most, whether passages are drawn, and whether communities are told; all in
    the address.
    """
    state = st.session_state
    depth = address.named(DEPTH, [str(one) for one in DEPTHS])
    cap = address.named(CAP, [str(one) for one in CAPS])
    state["graph-depth"] = int(depth or 1)
    state["graph-cap"] = int(cap or USUAL_CAP)
    state["graph-passages"] = address.named(WITH) == PASSAGES
    cuts = triples <= MOST_CUT
    state["graph-colour"] = cuts and address.named(COLOUR) == COMMUNITIES
    st.segmented_control(
        "Depth",
        DEPTHS,
        key="graph-depth",
        help="Triples away from the entity",
        required=True,
        on_change=lambda: address.hold_field("graph-depth", DEPTH, "1"),
    )
    st.segmented_control(
        "Entities at most",
        CAPS,
        key="graph-cap",
        required=True,
        on_change=lambda: address.hold_field("graph-cap", CAP, str(USUAL_CAP)),
    )
    st.toggle(
        "Passages and gold",
        key="graph-passages",
        help="Draws the passages that state the triples of the entity in the middle",
        on_change=lambda: address.hold(WITH, PASSAGES if state["graph-passages"] else ""),
    )
    st.toggle(
        "Colour by community",
        key="graph-colour",
        help="Entities with more triples among them than with others, as the method communities"
        " has them: Louvain’s, over all triples of the set."
        + (
            " It takes up to two seconds, once for each state of the triples."
            if cuts
            else f" Only for sets of up to {MOST_CUT:,} triples; this one has {triples:,}."
        ),
        disabled=not cuts,
        on_change=lambda: address.hold(COLOUR, COMMUNITIES if state["graph-colour"] else ""),
    )
    return state["graph-depth"], state["graph-cap"], state["graph-passages"], state["graph-colour"]


@st.cache_data(max_entries=8, show_spinner="Cutting the graph into communities")
def _communities(
    path: str, collection: str, state: str, *, _workspace: Workspace, _set: str
) -> dict[int, str]:
    return _workspace.collections.communities(collection, _set)


@st.cache_data(max_entries=32, show_spinner=False)
def _picture(
    nodes: tuple[views.EntityNode, ...],
    edges: tuple[views.TripleEdge, ...],
    passages: tuple[views.StatingPassage, ...],
    palette: Palette,
) -> dict[str, Any]:
    return views.graph(nodes, edges, passages, palette)


def _values(
    workspace: Workspace,
    collection: str,
    around: Neighbourhood,
    community_of: Mapping[int, str],
    *,
    passages: bool,
) -> _Shown:
    place = {node.id: position for position, node in enumerate(around.nodes)}
    ids = list(dict.fromkeys(edge.triple.passage_id for edge in around.edges))
    told_apart = workspace.collections.labels(ids)
    labels = {id_: told_apart.get(id_) or workspace.collections.passage(id_).title for id_ in ids}
    edges = [
        views.TripleEdge(
            place[edge.source],
            place[edge.target],
            edge.triple.predicate,
            labels[edge.triple.passage_id],
            edge.triple.id,
            edge.triple.passage_id,
        )
        for edge in around.edges
    ]
    nodes = [
        views.EntityNode(
            node.name,
            node.distance,
            None if node.parent is None else place[node.parent],
            node.hidden,
            community_of.get(node.id, ""),
        )
        for node in around.nodes
    ]
    stating: list[views.StatingPassage] = []
    if passages:
        of_focus = dict.fromkeys(edge.passage_id for edge in edges if 0 in edge[:2])
        gold = _gold_for(workspace, collection)
        stating = [
            views.StatingPassage(
                id_, labels[id_], tuple(gold.get(workspace.collections.passage(id_).key, ()))
            )
            for id_ in of_focus
        ]
    return _Shown(nodes, edges, stating, {edge.triple.id: edge.triple for edge in around.edges})


def _gold_for(workspace: Workspace, collection: str) -> dict[str, list[str]]:
    """The questions that each gold passage, by key, belongs to."""
    found: dict[str, list[str]] = {}
    for question in workspace.collections.questions(collection):
        for key in question.supporting_keys:
            found.setdefault(key, []).append(question.question)
    return found


def _beside(workspace: Workspace, shown: _Shown, picture: dict[str, Any], selected: str) -> None:
    """The same as a table, and what was clicked: a triple in its passage, or a passage."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        rows = views.rows(shown.nodes, shown.edges)
        st.dataframe(rows, hide_index=True, height=min(320, 38 + 35 * len(rows)))
    with right, st.container(border=True):
        label = next((one for one in picture["labels"] if one["edge"] == selected), None)
        passage = next((one for one in shown.passages if f"p{one.id}" == selected), None)
        with elements.refusals():
            if label:
                elements.stating_passage(workspace, shown.triples[label["triple"]])
            elif passage:
                elements.passage_of_line(workspace, passage.id)
            else:
                st.caption("Click a line or its predicate to read the passage that states it.")
