"""The cards of the iterative methods: thoughts, the pool, and BDTR's chain, verification and
promotion.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.analysis.rankings import without_followers
from gear_app.events import Chained, Pooled, Promoted, Thought, Verified
from gear_app.ui.explore import drawings
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table
from gear_app.views import calibration, detail, rankings, thoughts
from gear_app.views.markup import tag


def _think(scene: Scene) -> Choice:
    found = scene.of(Thought)
    if found:
        st.html(thoughts.drawn(found))
    return Choice()


def _pool(scene: Scene) -> Choice:
    event = next(iter(scene.of(Pooled)), None)
    if event is None:
        return Choice()
    st.html(thoughts.pool_queries(event, scene.events))
    found, badges = without_followers(event), thoughts.pool_badges(event, scene.events)
    lines = rankings.lines(found, scene.gold, badges=badges, way="greatest")
    wanted = next(
        (passage.id for passage in found if passage.key in scene.gold),
        found[0].id if found else None,
    )
    clicked = drawings.ranking(lines, wanted, f"pool-{scene.key}", markable=scene.markable)
    label = f"All {len(event.ranking)} passages as a table"
    folded_table.table(
        label, lambda: rankings.rows(event.ranking, scene.gold, way="greatest"), "pool"
    )
    return Choice(passage_id=clicked.selected, mark=clicked.event)


def _chain(scene: Scene) -> Choice:
    for event in scene.of(Chained):
        st.html(calibration.chain(event))
    return Choice()


def _verify(scene: Scene) -> Choice:
    for event in scene.of(Verified):
        st.html(calibration.verified(event, scene.gold))
    return Choice()


def _promote(scene: Scene) -> Choice:
    event = next(iter(scene.of(Promoted)), None)
    if event is None:
        return Choice()
    data = calibration.slope(event, scene.gold)
    clicked = drawings.flow(data, calibration.best_card(event, scene.gold), f"promoted-{scene.key}")
    st.html(detail.legend(calibration.legend(event, scene.gold)))
    st.html(tag("p", calibration.handed(event), class_="gear-note"))
    st.html(detail.sum_of(calibration.arithmetic(event)))
    folded_table.table(
        "Every passage that moved, as a table", lambda: calibration.rows(event, scene.gold), "moved"
    )
    return Choice(passage_id=calibration.passage_of(event, str(clicked.selected)))


DRAWN: dict[str, Callable[[Scene], Choice]] = {
    "think": _think,
    "pool": _pool,
    "chain": _chain,
    "verify": _verify,
    "promote": _promote,
}
