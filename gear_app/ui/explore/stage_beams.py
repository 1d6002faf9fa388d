"""The cards of graph expansion and of the agent: read, link, expand, remember, reason, rewrite."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.events import Expanded, Linked, Matched, Read, Reasoned, Remembered, Rewrote
from gear_app.ui.explore import drawings
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table, session
from gear_app.views import beam, detail, gist, reader_steps

NO_MATCH = "No matched triple could be put into the query."


def _read(scene: Scene) -> Choice:
    for event in scene.of(Read):
        st.html(reader_steps.read(event))
        _passed_over(event)
    return Choice()


def _link(scene: Scene) -> Choice:
    for event in scene.of(Linked):
        st.html(reader_steps.links(event, scene.gold))
    return Choice()


def _expand(scene: Scene) -> Choice:
    event = next(iter(scene.of(Expanded)), None)
    if event is None:
        return Choice()
    if not event.steps:
        session.say("There was no triple to begin with, so the base ranking stands.")
        return Choice()
    graph = beam.graph(event, scene.gold, base=scene.base)
    clicked = drawings.beams(graph, beam.best_card(event, scene.gold), f"beams-{scene.key}")
    st.html(detail.legend(beam.legend(graph, event.starts)))
    if len(event.steps) < beam.length_of(scene.settings):
        session.say("No beam could be extended further.")
    if clicked.event is not None:
        _candidates(beam.rows(event, scene.gold), int(clicked.event) + 1)
    folded_table.table("All candidates as a table", lambda: beam.rows(event, scene.gold), "beams")
    return Choice(candidate=beam.candidate(event, str(clicked.selected)))


@st.dialog("All candidates", width="large")
def _candidates(rows: list[dict[str, object]], step: int) -> None:
    st.dataframe([row for row in rows if row["triple"] == step], hide_index=True, height=520)


def _remember(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Read):
            st.html(reader_steps.read(event))
            _passed_over(event)
        if isinstance(event, Remembered):
            session.say(
                f"{len(event.added)} added, {len(event.repeated)} known already; the memory holds"
                f" {event.size} now.",
                "info",
            )
    return Choice()


def _reason(scene: Scene) -> Choice:
    for event in scene.of(Reasoned):
        session.say(
            f"{gist.verdict_words(event)}. {event.reason}",
            "good" if event.answerable else "busy",
        )
    return Choice()


def _rewrite(scene: Scene) -> Choice:
    for event in scene.of(Rewrote):
        matched = any(isinstance(one, Matched) for one in scene.events)
        st.html(
            reader_steps.rewrote(event, scene.query, NO_MATCH)
            if matched
            else reader_steps.rewrote(event, scene.query)
        )
    return Choice()


def _passed_over(event: Read) -> None:
    rows = reader_steps.passed_over(event)
    if rows:
        folded_table.table(
            f"Considered and left: {len(rows)}", lambda: rows, f"left-{event.purpose}"
        )


DRAWN: dict[str, Callable[[Scene], Choice]] = {
    "read": _read,
    "link": _link,
    "expand": _expand,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
}
