"""The large card of Explore: which step of a run is shown, and the step, drawn from its telling.

The address names the step, from 0; without it the newest step of a run that is followed is shown,
else the step that a run opens at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from gear_app.app.explore import why_not
from gear_app.app.shared import address, components, elements
from gear_app.display import calls, scores
from gear_app.display import draw as drawing
from gear_app.display.markup import tag
from gear_app.display.step import scenes, tables, telling
from gear_app.display.telling import Detail, Scene, ScoredRanking, Telling
from gear_app.store.rows import RunInfo
from gear_app.trace import gold
from gear_app.trace.evidence import evidence_of
from gear_app.trace.timeline import model_calls
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace


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
            on_click=go_to,
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


def current(workspace: Workspace, run: RunInfo, trace: RunTrace, *, hidden: bool) -> int:
    """The step to show; `hidden`: later steps are not shown yet."""
    last = len(trace.steps) - 1
    named = st.query_params.get("step", "") if address.names(run.id) else ""
    if named.isdecimal() and len(named) < 6:
        return min(int(named), last)
    if run.going:
        st.session_state[address.FOLLOWED] = run.id
    if st.session_state.get(address.FOLLOWED) == run.id:
        return last
    if hidden:
        return 0
    decisive = why_not.lost_or_found_step(workspace, run)
    if decisive is None and (run.gold or not evidence_of(trace)):
        decisive = gold.opening_step(trace, run.gold)
    return last if decisive is None else decisive


def go_to(run_id: str, number: int) -> None:
    """Show this step from now on, with nothing selected in it."""
    st.session_state.pop(address.FOLLOWED, None)
    address.write(**address.NOTHING_SELECTED, run=run_id, step=str(number))


def controls(run_id: str, number: int, count: int) -> None:
    """Buttons to the step before and the next one; Left and Right do the same.

    The style sheet draws the buttons' names as arrows: screen readers read the names.
    """
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="controls"
    ):
        st.button(
            "Previous step",
            shortcut="Left",
            key="back",
            disabled=number == 0,
            on_click=go_to,
            args=(run_id, number - 1),
        )
        st.caption(f"{number + 1} of {count}", width="content")
        st.button(
            "Next step",
            shortcut="Right",
            key="on",
            disabled=number >= count - 1,
            on_click=go_to,
            args=(run_id, number + 1),
        )
