"""The components of a lesson: the row of lessons, a task, beams that compete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.ui.shared import elements, room

_strip = elements.component(
    "lesson_strip",
    html='<nav class="lessons" aria-label="Lessons"></nav>',
    js="lesson_strip.js",
    css="lesson.css",
)
_task = elements.component(
    "lesson_task", html='<div class="task"></div>', js="lesson_task.js", css="lesson.css"
)
_bars = elements.component(
    "lesson_bars", html='<div class="bars"></div>', js="lesson_bars.js", css="lesson.css"
)


def strip(
    lessons: Sequence[Mapping[str, Any]],
    learner: Mapping[str, Any],
    go: Callable[[str], None],
    recall: Callable[[Mapping[str, Any]], None],
) -> None:
    """The row of lessons, which keeps in the browser what it is given of a learner: `answers` and
    lessons `seen`. `go` is called with the id of a lesson that was clicked, `recall` with what the
    browser kept where a page that was loaded anew knows less.
    """

    def went() -> None:
        if id_ := st.session_state["lessons"].get("go"):
            go(str(id_))

    def recalled() -> None:
        kept = st.session_state["lessons"].get("kept")
        if isinstance(kept, Mapping):
            recall(kept)

    _strip(
        data={"lessons": list(lessons), "learner": dict(learner)},
        key="lessons",
        on_go_change=went,
        on_kept_change=recalled,
    )


def task(data: Mapping[str, Any], key: str, answer: Callable[[int], None]) -> None:
    """A task; `answer` is called with the place of the option that was chosen."""

    def answered() -> None:
        place = st.session_state[key].get("answer")
        if place is not None:
            answer(int(place))

    room.keep(key, room.task(len(data["options"])))
    _task(data=dict(data), key=key, on_answer_change=answered)


def bars(data: Mapping[str, Any], key: str, move: Callable[[str], None]) -> None:
    """Beams that compete; `move` is called with the stop of γ that was chosen in them."""

    def moved() -> None:
        if stop := st.session_state[key].get("stop"):
            move(str(stop))

    _bars(data=dict(data), key=key, on_stop_change=moved)
