"""The large card of Explore: a step of a run, drawn from its telling."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from gear_app.app.shared import components, elements
from gear_app.display import calls, scores
from gear_app.display import draw as drawing
from gear_app.display.markup import tag
from gear_app.display.step import scenes, tables, telling
from gear_app.display.telling import Detail, Scene, ScoredRanking, Telling
from gear_app.trace.timeline import model_calls

SELECTION = "selection"  # in the session: what was selected in the step, and where last


class Selection(NamedTuple):
    """The selected card or passage of a step, and a mark as gold that was changed just now."""

    detail: Detail = Detail()
    mark: dict[str, Any] | None = None


def draw(scene: Scene) -> Selection:
    """Draw the card; the selection in the step itself, not in those that led to it: of its picture
    and its ranking, in the one that was clicked last.
    """
    steps = list(scenes(scene))
    for earlier in steps[:-1]:
        st.html(_heading(earlier, current=False))
        _draw(earlier, str(earlier.step.number))
    if len(steps) > 1:
        st.html(_heading(scene, current=True))
    selections = _draw(scene, "shown")
    ids = [selection.detail.passage or selection.detail for selection in selections]
    step_key, before, clicked = st.session_state.get(SELECTION, ("", [], 0))
    if step_key != scene.key or len(before) != len(ids):
        before, clicked = ids, 0
    changed = (n for n, pair in enumerate(zip(before, ids, strict=True)) if pair[0] != pair[1])
    clicked = next(changed, clicked)
    if selections and selections[clicked].detail == Detail():
        clicked = len(selections) - 1
    st.session_state[SELECTION] = scene.key, ids, clicked
    mark = next((selection.mark for selection in selections if selection.mark), None)
    return Selection(selections[clicked].detail, mark) if selections else Selection()


def _heading(scene: Scene, *, current: bool) -> str:
    """Among steps that are drawn together."""
    kind = "gear-part gear-part-now" if current else "gear-part"
    aria = "true" if current else None
    return tag("h3", scene.step.verb.capitalize(), class_=kind, aria_current=aria)


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
    html = drawing.columns(view, scene.names)
    ids = [card.id for column in view.columns for card in column.drawn]
    data = {"html": html, "links": drawing.links(view), "direct": view.direct}
    selected = components.columns(data, view.opens, ids, f"{key}-{scene.key}")
    return view.detail(selected) if selected else Detail()


def _markup(view: Telling) -> None:
    for message in view.messages:
        elements.message(message.sentence, message.tone)
    if view.extra:
        st.html(view.extra)


def _draw(scene: Scene, place: str) -> list[Selection]:
    """Draw a step; the selections in its picture and its ranking. `place` tells its folds from
    those of other steps on the page.
    """
    view = telling(scene)
    selections = []
    _markup(view)
    if view.source is not None:
        st.button(
            "Show where it was read",
            key=f"source-{scene.key}",
            on_click=st.session_state.update,
            kwargs={"position": view.source, "follow": False},
        )
    if view.picture:
        selections.append(Selection(picture(view, scene, "picture")))
    for note in drawing.notes(view):
        st.html(note)
    if view.ranking:
        selection = _ranking(view.ranking, scene, "ranking")
        selections += [selection] if view.ranking.chooses else []
    for table in tables(view):
        elements.folded_table(table.label, table.rows, f"{table.name}-{place}")
    made = model_calls(scene.step.events)
    if made:
        fold = st.expander(calls.heading(made), key=f"calls-{place}", on_change="rerun")
        for call in made if fold.open else ():
            fold.html(calls.card(call))
    return selections


def _ranking(ranking: ScoredRanking, scene: Scene, key: str) -> Selection:
    lines = scores.lines(ranking, scene.events, scene.gold, scene.names)
    gold = [passage.id for passage in ranking.passages if passage.key in scene.gold]
    opens = next(iter(gold), ranking.passages[0].id if ranking.passages else None)
    markable = ranking.chooses and scene.markable
    clicked = components.ranking(lines, opens, f"{key}-{scene.key}", markable=markable)
    return Selection(Detail(passage=clicked.selected), clicked.event)
