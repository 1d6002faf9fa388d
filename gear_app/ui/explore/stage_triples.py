"""The cards of steps about triples: of graph expansion, of the agent, and of GRIEVER."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.events import Expanded, Linked, Matched, Read, Reasoned, Remembered, Rewrote, Split
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import components, elements
from gear_app.views import beam, gear, griever, markup
from gear_app.views.markup import tag

NO_MATCH = "No matched triple could be put into the query."


def _read(scene: Scene) -> Choice:
    for event in scene.of(Read):
        st.html(gear.read_triples(event))
        _passed_over(event)
    return Choice()


def _link(scene: Scene) -> Choice:
    for event in scene.of(Linked):
        st.html(gear.links(event, scene.gold))
    return Choice()


def _expand(scene: Scene) -> Choice:
    event = next(iter(scene.of(Expanded)), None)
    if event is None:
        return Choice()
    if not event.steps:
        elements.message("There was no triple to begin with, so the base ranking stands.")
        return Choice()
    graph = beam.graph(event, scene.gold, base=scene.base)
    clicked = components.beams(graph, beam.best_card(event, scene.gold), f"beams-{scene.key}")
    st.html(markup.legend(beam.legend(graph, event.starts)))
    if len(event.steps) < beam.length_of(scene.settings):
        elements.message("No beam could be extended further.")
    if clicked.event is not None:
        _candidates(beam.rows(event, scene.gold), int(clicked.event) + 1)
    elements.folded_table(
        "All candidates as a table", lambda: beam.rows(event, scene.gold), "beams"
    )
    return Choice(candidate=beam.candidate(event, str(clicked.selected)))


@st.dialog("All candidates", width="large")
def _candidates(rows: list[dict[str, object]], step: int) -> None:
    st.dataframe([row for row in rows if row["triple"] == step], hide_index=True, height=520)


def _remember(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Read):
            st.html(gear.read_triples(event))
            _passed_over(event)
        if isinstance(event, Remembered):
            elements.message(
                f"{len(event.added)} added, {len(event.repeated)} known already; the memory holds"
                f" {event.size} now.",
                "info",
            )
    return Choice()


def _reason(scene: Scene) -> Choice:
    for event in scene.of(Reasoned):
        elements.message(
            f"{gear.verdict_words(event)}. {event.reason}",
            "good" if event.answerable else "busy",
        )
    return Choice()


def _rewrite(scene: Scene) -> Choice:
    for event in scene.of(Rewrote):
        matched = any(isinstance(one, Matched) for one in scene.events)
        st.html(
            gear.next_query(event, scene.query, NO_MATCH)
            if matched
            else gear.next_query(event, scene.query)
        )
    return Choice()


def _passed_over(event: Read) -> None:
    rows = gear.passed_over_rows(event)
    if rows:
        elements.folded_table(
            f"Considered and left: {len(rows)}", lambda: rows, f"left-{event.purpose}"
        )


def _split(scene: Scene) -> Choice:
    for event in scene.of(Split):
        st.html(griever.clauses(event))
    return Choice()


def _match(scene: Scene) -> Choice:
    for event in scene.of(Matched):
        _matches(scene, event)
    return Choice()


def _matches(scene: Scene, event: Matched) -> None:
    st.html(tag("p", griever.counts(event), class_="gear-note"))
    st.html(griever.matched(event, _substitution(scene), scene.gold))
    if event.joins:
        st.html(tag("div", "The next search is among passages that name", class_="gear-part"))
        st.html(griever.joins(event.joins))
    if event.matches:
        elements.folded_table(
            f"All {len(event.matches)} matches as a table",
            lambda: griever.rows(event, scene.gold),
            "matches",
        )


def _substitution(scene: Scene) -> Rewrote | None:
    """What the iteration made of its matches."""
    there = [event for event in scene.events if isinstance(event, Rewrote)]
    return next((event for event in there if event.iteration == scene.step.iteration), None)


CARDS: dict[str, Callable[[Scene], Choice]] = {
    "read": _read,
    "link": _link,
    "expand": _expand,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "split": _split,
    "match": _match,
}
