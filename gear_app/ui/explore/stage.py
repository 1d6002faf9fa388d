"""The large card of Explore: what one step of the pipeline did. One function a verb, all from the
step's events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from gear_app.analysis.rankings import gist_texts
from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.events import Failed, Ranked
from gear_app.ui.explore import (
    calls,
    drawings,
    stage_answers,
    stage_beams,
    stage_extraction,
    stage_griever,
    stage_thoughts,
    stage_walk,
)
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table, session
from gear_app.views import rankings
from gear_app.views.markup import tag

TOGETHER = (  # short ones, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)


def draw(scene: Scene) -> Choice:
    """Draw the step, under it the short ones that led to it; what is selected in it."""
    together = {verb for verbs in TOGETHER if scene.step.verb in verbs for verb in verbs}
    earlier = [
        step for step in scene.before if step.verb in together and step.search == scene.step.search
    ]
    choice = _step(scene, "shown")
    for step in reversed(earlier):
        st.html(tag("div", step.verb.capitalize(), class_="gear-part"))
        _step(replace(scene, step=step), f"{step.number}")
    return choice


def _step(scene: Scene, key: str) -> Choice:
    """One step and its calls; `key` tells theirs from those of others on the page."""
    if scene.step.verb != "extract":  # its card tells what failed, each with its passage
        for event in scene.of(Failed):
            calls.failed(event)
    choice = DRAWN.get(scene.step.verb, _plain)(scene)
    calls.of_step(scene.step, key)
    return choice


def _ranking(scene: Scene) -> Choice:
    event = next((event for event in scene.step.events if ranking_of(event)), None)
    if event is None:
        session.say("No passage was found. Try other words, or another base.")
        return Choice()
    ranking, way = ranking_of(event), rankings.way_of(event)
    if isinstance(event, Ranked):
        ranking, way = rankings.explained(event, scene.events)
    gist_words = gist_texts(scene.events)
    lines = rankings.lines(ranking, scene.gold, gist_words, way=way)
    wanted = next((passage.id for passage in ranking if passage.key in scene.gold), ranking[0].id)
    clicked = drawings.ranking(lines, wanted, f"ranking-{scene.key}", markable=scene.markable)
    label = f"All {len(ranking)} passages as a table" if lines["more"] else "As a table"
    folded_table.table(
        label,
        lambda: rankings.rows(ranking, scene.gold, gist_words, way),
        f"ranking-{scene.step.verb}",
    )
    return Choice(passage_id=clicked.selected, mark=clicked.event)


def _plain(scene: Scene) -> Choice:
    """The card of a step that has none of its own: its ranking, or a line for each event."""
    if any(ranking_of(event) for event in scene.step.events):
        return _ranking(scene)
    for event in scene.step.events:
        if event.verb:
            st.text(event.summary)
    return Choice()


DRAWN: dict[str, Callable[[Scene], Choice]] = {
    "retrieve": _ranking,
    "fuse": _ranking,
    "rank": _ranking,
    **stage_beams.DRAWN,
    **stage_walk.DRAWN,
    **stage_thoughts.DRAWN,
    **stage_griever.DRAWN,
    **stage_answers.DRAWN,
    **stage_extraction.DRAWN,
}
