"""The large card of Explore: what one step of a run did, with its failures and model calls.

Every verb has a card, drawn from the step's events alone; a verb without one gets a plain card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.analysis.timeline import Step, model_calls
from gear_app.events import Extracted, Failed
from gear_app.text import count
from gear_app.ui.explore import stage_links, step_cards
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import elements
from gear_app.views import calls, extraction, labels
from gear_app.views.labels import gave_up
from gear_app.views.markup import tag

TOGETHER = (  # short ones, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)


def title(scene: Scene) -> tuple[str, str]:
    """The card's heading and what its step is for; of a step that found links, what it found."""
    found = stage_links.title(scene)
    return found or (labels.step_title(scene.step), labels.step_purpose(scene.step, scene.events))


def draw(scene: Scene) -> Choice:
    """Draw the short steps that led to it, in their order, then the step itself; what is selected
    in it.
    """
    together = {verb for verbs in TOGETHER if scene.step.verb in verbs for verb in verbs}
    earlier = [
        step for step in scene.before if step.verb in together and step.search == scene.step.search
    ]
    if not earlier:
        return _step(scene, "shown")
    for step in earlier:
        _part(step)
        _step(replace(scene, step=step), f"{step.number}")
    _part(scene.step, now=True)
    return _step(scene, "shown")


def _part(step: Step, *, now: bool = False) -> None:
    """The heading of a step among those that are drawn together; `now`: the one that is shown."""
    kind = "gear-part gear-part-now" if now else "gear-part"
    st.html(tag("h3", step.verb.capitalize(), class_=kind, aria_current="true" if now else None))


def _step(scene: Scene, key: str) -> Choice:
    """One step and its calls; `key` tells theirs from those of others on the page."""
    if scene.step.verb != "extract":  # its card tells what failed, each with its passage
        for event in scene.of(Failed):
            _failure(event)
    choice = CARDS.get(scene.step.verb, _plain)(scene)
    _model_calls(scene.step, key)
    return choice


def _plain(scene: Scene) -> Choice:
    """The card of a step that has none of its own: its ranking, or a line for each event."""
    if any(ranking_of(event) for event in scene.step.events):
        return step_cards.ranking_card(scene)
    for event in scene.step.events:
        if event.verb:
            st.text(event.summary)
    return Choice()


def _model_calls(step: Step, key: str) -> None:
    """The calls of a language model in a step, folded away; nothing where there were none.

    Each call is a piece of HTML of its own, so that one that was opened stays open while others
    come in.
    """
    made = model_calls(step.events)
    if not made:
        return
    fold = st.expander(calls.heading(made), key=f"calls-{key}", on_change="rerun")
    if fold.open:
        for one in made:
            fold.html(calls.card(one))


def _failure(event: Failed) -> None:
    """Why a step gave up, with the raw reply, or which parts of a reply could not be used."""
    if event.dropped:
        elements.message(f"{calls.why(event)} The whole reply is under “Model calls of this step”.")
    elif event.reply:
        elements.message(calls.why(event), "bad")
        st.html(calls.raw(event.reply))
    else:
        elements.message(f"{gave_up(event.step)}: {event.message}", "bad")


def _extract(scene: Scene) -> Choice:
    """A step that only failed has nothing to show but why."""
    failures = scene.of(Failed)
    for failed in failures:
        if not failed.reply:
            _failure(failed)
    for event in scene.of(Extracted):
        st.html(
            tag(
                "p",
                extraction.event_summary(event, labels.model_of(scene.run)),
                class_="gear-note",
            )
        )
        st.html(extraction.passages_read(event, scene.gold))
        all_of = count(len(event.triples), "triple")
        label = f"All {all_of} as a table" if event.triples else "As a table"
        elements.folded_table(
            label,
            partial(extraction.passages_read_rows, event, scene.gold),
            f"extracted-{scene.key}",
        )
    _replies([event for event in failures if event.reply], scene.key)
    return Choice()


def _replies(failures: list[Failed], key: str) -> None:
    """Replies that could not be used, folded away: there may be one for every passage."""
    if failures:
        with st.expander(extraction.unusable_replies(failures), key=f"extract-failed-{key}"):
            for event in failures:
                _failure(event)


CARDS: dict[str, Callable[[Scene], Choice]] = {
    "extract": _extract,
    **stage_links.CARDS,
    **step_cards.CARDS,
}
