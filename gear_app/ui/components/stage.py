"""The large card of Explore: what one step of the pipeline did. One function a verb, all from the step's events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from gear_app.events import (
    Candidate,
    Event,
    Expanded,
    Failed,
    Linked,
    Ranked,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
)
from gear_app.ui import session
from gear_app.ui.components import folded, native
from gear_app.views import beam, detail, gist, rankings, readings, timeline
from gear_app.views.markup import tag
from gear_app.views.timeline import Step
from gear_app.workspace import RunInfo


@dataclass(frozen=True)
class Scene:
    """What a step is drawn from: its run, all events, the steps before it in its iteration, and the gold by key."""

    run: RunInfo
    events: list[Event]
    step: Step
    before: tuple[Step, ...]
    gold: tuple[str, ...]
    markable: bool

    @property
    def key(self) -> str:
        """A prefix for this step's widgets."""
        return f"{self.run.id}-{self.step.number}"

    @property
    def query(self) -> str:
        """The query of the step's iteration."""
        asked = [
            event.query
            for event in self.events
            if isinstance(event, Retrieved) and event.iteration == self.step.iteration
        ]
        return asked[-1] if asked else self.run.question

    @property
    def base(self) -> tuple[str, ...]:
        """The keys of the step's iteration's base ranking."""
        found = [event for event in self.events if isinstance(event, Retrieved)]
        there = [event.ranking for event in found if event.iteration == self.step.iteration]
        return tuple(passage.key for passage in there[-1]) if there else ()

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The run's settings, as its first event tells them."""
        begun = timeline.started(self.events)
        return begun.settings if begun else ()


@dataclass(frozen=True)
class Choice:
    """What is selected in the card: a candidate of the beams, or a passage by id; and a gold mark just changed."""

    candidate: Candidate | None = None
    passage_id: int | None = None
    mark: dict[str, object] | None = None


TOGETHER = (("read", "link"), ("remember", "reason", "rewrite"))  # short ones, drawn under each other as they happen


def draw(scene: Scene) -> Choice:
    """Draw the step, under it the short ones that led to it; what is selected in it."""
    together = next((verbs for verbs in TOGETHER if scene.step.verb in verbs), ())
    earlier = [step for step in scene.before if step.verb in together]
    choice = _step(scene)
    for step in reversed(earlier):
        st.html(tag("div", step.verb.capitalize(), class_="gear-part"))
        _step(replace(scene, step=step))
    return choice


def _step(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Failed):
            _failed(event)
    return _DRAWN[scene.step.verb](scene)


def _ranking(scene: Scene) -> Choice:
    event = next((event for event in scene.step.events if rankings.of_event(event)), None)
    if event is None:
        session.say("No passage was found. Try other words, or another base.")
        return Choice()
    ranking = rankings.explained(event, scene.events) if isinstance(event, Ranked) else rankings.of_event(event)
    gist_words = rankings.gist_words(scene.events)
    lines = rankings.lines(ranking, scene.gold, gist_words)
    wanted = next((passage.id for passage in ranking if passage.key in scene.gold), ranking[0].id)
    clicked = native.ranking(lines, wanted, f"ranking-{scene.key}", markable=scene.markable)
    label = f"All {len(ranking)} passages as a table" if lines["more"] else "As a table"
    folded.table(label, lambda: rankings.rows(ranking, scene.gold, gist_words), f"ranking-{scene.step.verb}")
    return Choice(passage_id=clicked.selected, mark=clicked.event)


def _read(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Read):
            st.html(readings.read(event))
            _passed_over(event)
    return Choice()


def _link(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Linked):
            st.html(readings.links(event, scene.gold))
    return Choice()


def _expand(scene: Scene) -> Choice:
    event = next(event for event in scene.step.events if isinstance(event, Expanded))
    if not event.steps:
        session.say("There was no triple to begin with, so the base ranking stands.")
        return Choice()
    graph = beam.graph(event, scene.gold, base=scene.base)
    clicked = native.beams(graph, beam.best_card(event, scene.gold), f"beams-{scene.key}")
    st.html(detail.legend(beam.legend(graph, event.starts)))
    if len(event.steps) < beam.length_of(scene.settings):
        session.say("No beam could be extended further.")
    if clicked.event is not None:
        _candidates(beam.rows(event, scene.gold), int(clicked.event) + 1)
    folded.table("All candidates as a table", lambda: beam.rows(event, scene.gold), "beams")
    return Choice(candidate=beam.candidate(event, str(clicked.selected)))


@st.dialog("All candidates", width="large")
def _candidates(rows: list[dict[str, object]], step: int) -> None:
    st.dataframe([row for row in rows if row["triple"] == step], hide_index=True, height=520)


def _remember(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Read):
            st.html(readings.read(event))
            _passed_over(event)
        if isinstance(event, Remembered):
            session.say(
                f"{len(event.added)} added, {len(event.repeated)} known already; the memory holds {event.size} now.",
                "info",
            )
    return Choice()


def _reason(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Reasoned):
            session.say(f"{gist.verdict_words(event)}. {event.reason}", "good" if event.answerable else "busy")
    return Choice()


def _rewrite(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Rewrote):
            st.html(readings.rewrote(event, scene.query))
    return Choice()


def _passed_over(event: Read) -> None:
    rows = readings.passed_over(event)
    if rows:
        folded.table(f"Considered and left: {len(rows)}", lambda: rows, f"left-{event.purpose}")


def _failed(event: Failed) -> None:
    session.say(f"The step “{event.step}” gave up: {event.message}", "bad")
    if event.reply:
        with st.expander("The raw reply"):
            st.code(event.reply, language=None, wrap_lines=True)


_DRAWN: dict[str, Callable[[Scene], Choice]] = {
    "retrieve": _ranking,
    "read": _read,
    "link": _link,
    "expand": _expand,
    "fuse": _ranking,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "rank": _ranking,
}
