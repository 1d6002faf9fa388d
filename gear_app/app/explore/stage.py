"""The large card of Explore: a step of a run, drawn from its telling."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from gear_app.app.explore import position
from gear_app.app.shared import address, components, elements
from gear_app.display import calls, scores
from gear_app.display import draw as drawing
from gear_app.display.markup import tag
from gear_app.display.step import scenes, tables, telling
from gear_app.display.telling import Detail, Scene, ScoredRanking, Telling
from gear_app.trace.timeline import model_calls


class Selection(NamedTuple):
    """The selected card or passage of a step, and a mark as gold that was changed just now."""

    detail: Detail = Detail()
    mark: dict[str, Any] | None = None


def draw(scene: Scene) -> Selection:
    """Draw the card; the selection in the step itself, not in those that led to it."""
    steps = list(scenes(scene))
    for earlier in steps[:-1]:
        st.html(tag("h3", earlier.step.verb.capitalize(), class_="gear-part"))
        _draw(earlier, str(earlier.step.number))
    if len(steps) > 1:
        verb = scene.step.verb.capitalize()
        st.html(tag("h3", verb, class_="gear-part gear-part-now", aria_current="true"))
    return _draw(scene, "shown")


def compared(scene: Scene) -> None:
    """Draw the step without what folds or leads elsewhere, to stand next to another."""
    view = telling(scene)
    _markup(view)
    if view.picture:
        picture(view, scene, "compared-picture")
    if view.ranking:
        _ranking(view.ranking, scene, "compared-ranking")


def picture(view: Telling, scene: Scene, key: str) -> Detail:
    """Draw the columns of a telling; the detail of the selected card."""
    html = drawing.columns(view, scene.trace.names)
    ids = [card.id for column in view.columns for card in column.drawn]
    data = {"html": html, "links": drawing.links(view), "direct": view.direct}
    selected = components.columns(data, view.opens, ids, f"{key}-{scene.key}")
    return view.detail(selected) if selected else Detail()


def _markup(view: Telling) -> None:
    for message in view.messages:
        elements.message(message.sentence, message.tone)
    if view.extra:
        st.html(view.extra)


def _draw(scene: Scene, place: str) -> Selection:
    """Draw a step; the selection in its picture or its ranking, in the one that was clicked last.
    `place` tells its folds from those of other steps on the page.
    """
    view = telling(scene)
    selection = Selection()
    _markup(view)
    if view.source is not None:
        st.button(
            "Show where it was read",
            key=f"source-{scene.key}",
            on_click=position.go_to,
            args=(scene.run.id, view.source),
        )
    if view.picture:
        selection = Selection(picture(view, scene, "picture"))
    for note in drawing.notes(view):
        st.html(note)
    if view.ranking:
        ranked = _ranking(view.ranking, scene, "ranking")
        clicked = selection.detail == Detail() or address.named(address.PASSAGE)
        selection = Selection(ranked.detail if clicked else selection.detail, ranked.mark)
    for table in tables(view):
        elements.folded_table(table.label, table.rows, f"{table.name}-{place}")
    requests = model_calls(scene.step.events)
    if requests:
        fold = st.expander(calls.heading(requests), key=f"calls-{place}", on_change="rerun")
        for call in requests if fold.open else ():
            fold.html(calls.card(call))
    return selection


def _ranking(ranking: ScoredRanking, scene: Scene, key: str) -> Selection:
    lines = scores.lines(ranking, scene.trace, scene.gold, scene.trace.names)
    gold = [passage.id for passage in ranking.passages if passage.key in scene.gold]
    opens = next(iter(gold), ranking.passages[0].id if ranking.passages else None)
    key = f"{key}-{scene.key}"
    clicked = components.ranking(lines, opens, key, markable=scene.markable)
    return Selection(Detail(passage=clicked.selected), clicked.event)
