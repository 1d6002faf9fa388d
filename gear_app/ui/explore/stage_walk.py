"""The cards of HippoRAG: the question's entities, and the walk from them to passages."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.events import Recognised, Walked
from gear_app.ui.explore import drawings
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table, session
from gear_app.views import detail, rankings, walk, walk_graph
from gear_app.views.markup import tag


def _recognise(scene: Scene) -> Choice:
    for event in scene.of(Recognised):
        st.html(walk.entities(event))
    return Choice()


def _walk(scene: Scene) -> Choice:
    event = next(iter(scene.of(Walked)), None)
    if event is None:
        return Choice()
    if not event.passages:
        session.say("The walk reached no passage.")
        return Choice()
    graph = walk_graph.graph(event, scene.gold)
    clicked = drawings.flow(graph, walk_graph.best_card(event, scene.gold), f"walk-{scene.key}")
    st.html(detail.legend(walk_graph.legend(graph)))
    st.html(tag("p", walk.how(event), class_="gear-note"))
    folded_table.table(
        f"All {len(event.nodes)} entities as a table", lambda: walk.node_rows(event), "nodes"
    )
    folded_table.table(
        f"All {len(event.passages)} passages as a table",
        lambda: walk.passage_rows(event, scene.gold),
        "walked",
    )
    if event.ensembled:
        _ensemble(scene, event)
    return _chosen(event, str(clicked.selected))


def _ensemble(scene: Scene, event: Walked) -> None:
    """Both normalised scores of every passage, as the walk alone did not decide."""
    session.say(walk.ensemble(event))
    lines = rankings.lines(event.ranking, scene.gold, way="mean")
    wanted = event.ranking[0].id if event.ranking else None
    drawings.ranking(lines, wanted, f"ensemble-{scene.key}", markable=False)


def _chosen(event: Walked, card: str) -> Choice:
    node = walk.node_of(event, card)
    if node is not None:
        return Choice(node=tuple(walk.about_node(event, node)))
    passage = walk.passage_of(event, card)
    return (
        Choice(passage_id=passage.id, sums=tuple(walk.arithmetic(event, passage)))
        if passage
        else Choice()
    )


DRAWN: dict[str, Callable[[Scene], Choice]] = {"recognise": _recognise, "walk": _walk}
