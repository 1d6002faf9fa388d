"""The card of the last step: the answer, and the bounds it is measured against."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.events import Answered
from gear_app.ui.components import folded
from gear_app.ui.components.scene import Choice, Scene
from gear_app.views import answers, readers, timeline
from gear_app.views.markup import tag


def _answer(scene: Scene) -> Choice:
    if not scene.of(Answered):
        return Choice()
    known = scene.run.answers
    st.html(answers.drawn(scene.events, known, scene.gold))
    begun = timeline.started(scene.events)
    note = readers.note(begun.reader, readers.model_of(scene.run)) if begun else ""
    st.html(tag("p", f"Answered {note}." if note else "", class_="gear-note"))
    folded.table("As a table", lambda: answers.rows(scene.events, known, scene.gold), "answers")
    return Choice()


DRAWN: dict[str, Callable[[Scene], Choice]] = {"answer": _answer}
