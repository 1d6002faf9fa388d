"""A lesson as one page to scroll through and to print: the same sentences, tables for pictures, the
solutions at the foot of each task.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import NotReady
from gear_app.lessons import Lesson
from gear_app.ui.learn import runs as lesson_runs
from gear_app.ui.learn.runs import LessonRuns
from gear_app.ui.shared import address
from gear_app.views import lesson_print
from gear_app.workspace import Workspace


def show(workspace: Workspace, lesson: Lesson, made: LessonRuns) -> None:
    """The whole lesson, and the way back to its pages."""
    with st.container(horizontal=True, key="lesson-foot"):
        st.button(
            "Back to the pages", key="lesson-pages", on_click=address.hold, args=("plain", "")
        )
    competitions = {}
    for page in lesson.pages:
        if page.picture == "competition":
            try:
                competitions[page.number] = lesson_runs.competition(workspace, made, page)
            except NotReady:
                continue
    st.html(lesson_print.whole(lesson, made.evidences, made.infos, competitions))
