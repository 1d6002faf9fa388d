"""The cards of GRIEVER: the question's clauses, and what of the query was matched to triples."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.events import Matched, Rewrote, Split
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table
from gear_app.views import griever
from gear_app.views.markup import tag


def _split(scene: Scene) -> Choice:
    for event in scene.of(Split):
        st.html(griever.clauses(event))
    return Choice()


def _match(scene: Scene) -> Choice:
    for event in scene.of(Matched):
        _matched(scene, event)
    return Choice()


def _matched(scene: Scene, event: Matched) -> None:
    st.html(tag("p", griever.counts(event), class_="gear-note"))
    st.html(griever.matched(event, _rewrote(scene), scene.gold))
    if event.joins:
        st.html(tag("div", "The next search is among passages that name", class_="gear-part"))
        st.html(griever.joins(event.joins))
    if event.matches:
        folded_table.table(
            f"All {len(event.matches)} matches as a table",
            lambda: griever.rows(event, scene.gold),
            "matches",
        )


def _rewrote(scene: Scene) -> Rewrote | None:
    """What the iteration made of its matches."""
    there = [event for event in scene.events if isinstance(event, Rewrote)]
    return next((event for event in there if event.iteration == scene.step.iteration), None)


DRAWN: dict[str, Callable[[Scene], Choice]] = {"split": _split, "match": _match}
