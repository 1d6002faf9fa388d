"""The card of the last step: the answer, and the bounds it is measured against."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.analysis import timeline
from gear_app.events import Answered
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table
from gear_app.views import answers, names
from gear_app.views.markup import tag


def _answer(scene: Scene) -> Choice:
    if not scene.of(Answered):
        return Choice()
    known = scene.run.answers
    st.html(answers.drawn(scene.events, known, scene.gold))
    begun = timeline.started(scene.events)
    note = names.reader_note(begun.reader, names.model_of(scene.run)) if begun else ""
    st.html(tag("p", f"Answered {note}." if note else "", class_="gear-note"))
    folded_table.table(
        "As a table", lambda: answers.rows(scene.events, known, scene.gold), "answers"
    )
    return Choice()


DRAWN: dict[str, Callable[[Scene], Choice]] = {"answer": _answer}
