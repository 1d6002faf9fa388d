"""Learn: lessons on live runs, a few sentences and one thing to do at a time.

The address holds lesson, page and γ; predictions stay in the browser session, which outlives a
reload of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from gear_app.lessons import Lesson, LessonPage, Library, library
from gear_app.lessons.facts import page_problems
from gear_app.lessons.lesson import address as address_of
from gear_app.ui.learn import lesson_page, lesson_print, picture
from gear_app.ui.learn import runs as lesson_runs
from gear_app.ui.learn.runs import LessonRuns
from gear_app.ui.shared import address, elements, session
from gear_app.ui.shared.components import leave_selection
from gear_app.views.markup import Html, join, tag

STYLE = session.UI / "learn.css"
ANSWERS, PLACE, SEEN = "learn-answers", "learn-place", "learn-seen"
LESSON, PAGE, PLAIN = "lesson", "page", "plain"


def page() -> None:
    """The row of lessons, and under it the page of the address."""
    st.html(STYLE)
    lessons = library()
    for bad in lessons.bad:
        elements.message(f"A lesson could not be read. {bad.message}", "bad")
    if not lessons.lessons:
        elements.message("There are no lessons. Put one into the folder of --lessons.", "bad")
        return
    lesson, shown = _place(lessons)
    _top(lessons, lesson)
    workspace = session.workspace()
    made = lesson_runs.ready(workspace, lesson)
    if made is None:
        return
    elements.message(lesson_page.problem_words(page_problems(shown, made.evidences)))
    if address.named(PLAIN):
        lesson_print.show(workspace, lesson, made)
        return
    with st.container(horizontal=True, gap="small", key="lesson-page"):
        with st.container(border=True, key="lesson"):
            _text(lesson, shown, made)
        with st.container(key="picture", gap="small"):
            picture.draw(workspace, made, shown, _answer(lesson, shown))
    _foot(lessons, lesson, shown)


def _place(lessons: Library) -> tuple[Lesson, LessonPage]:
    """The lesson and page of the address, else where this session was last, else the first."""
    state = st.session_state
    ids = [lesson.id for lesson in lessons.lessons]
    wanted, number = address.named(LESSON), address.named(PAGE)
    if wanted and wanted not in ids:
        elements.message(f"The address names the lesson “{wanted}”, which is not here.", "bad")
    if wanted in ids:
        id_, at = wanted, int(number) if number.isdigit() else 1
    else:
        id_, at = state.get(PLACE, (ids[0], 1))
    lesson = lessons.lesson(id_ if id_ in ids else ids[0])
    shown = lesson.page(min(max(at, 1), len(lesson.pages)))
    state[PLACE] = (lesson.id, shown.number)
    if shown.number == len(lesson.pages):
        state.setdefault(SEEN, {})[lesson.id] = True
    address.hold(LESSON, lesson.id)
    address.hold(PAGE, str(shown.number), "1")
    return lesson, shown


def _go(lesson: str, number: int = 1) -> None:
    st.session_state[PLACE] = (lesson, number)
    st.query_params[LESSON] = lesson
    address.hold(PAGE, str(number), "1")
    address.hold(picture.GAMMA, "")
    leave_selection()


def _top(lessons: Library, lesson: Lesson) -> None:
    with st.container(key="lesson-top"):
        seen = st.session_state.get(SEEN, {})
        learner = {"answers": st.session_state.get(ANSWERS, {}), "seen": seen}

        def recall(kept: Mapping[str, Any]) -> None:
            answers, read = lesson_page.recalled(kept, lessons.lessons)
            st.session_state[ANSWERS] = answers | st.session_state.get(ANSWERS, {})
            st.session_state[SEEN] = read | st.session_state.get(SEEN, {})

        lesson_page.strip(lessons.lessons, lesson.id, learner, _go, recall)


def _answer(lesson: Lesson, shown: LessonPage) -> int | None:
    answers: dict[str, int] = st.session_state.get(ANSWERS, {})
    return answers.get(address_of(lesson, shown))


def _text(lesson: Lesson, shown: LessonPage, made: LessonRuns) -> None:
    where = f"Lesson {lesson.place}, page {shown.number} of {len(lesson.pages)}"
    answer = _answer(lesson, shown)
    st.html(
        tag(
            "div",
            tag("div", tag("span", where), _dots(lesson, shown), class_="gear-lesson-head"),
            tag("h1", shown.title),
            lesson_page.text(shown.text, shown, made.evidences),
            class_="gear-lesson",
        )
    )
    if shown.task:
        key = f"task-{lesson.id}-{shown.number}"
        lesson_page.task(shown.task, answer, key, lambda place: _answered(lesson, shown, place))
    if shown.after and (shown.task is None or answer is not None):
        said = lesson_page.text(shown.after, shown, made.evidences)
        st.html(tag("div", said, class_="gear-lesson-after", role="status"))


def _dots(lesson: Lesson, shown: LessonPage) -> Html:
    kinds = {True: "gear-past", False: ""}
    return tag(
        "span",
        join(
            tag("i", class_="gear-at" if one is shown else kinds[one.number < shown.number])
            for one in lesson.pages
        ),
        class_="gear-dots",
        aria_hidden="true",
    )


def _answered(lesson: Lesson, shown: LessonPage, place: int) -> None:
    """The first prediction stands."""
    st.session_state.setdefault(ANSWERS, {}).setdefault(address_of(lesson, shown), place)


def _foot(lessons: Library, lesson: Lesson, shown: LessonPage) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lesson-foot"):
        back, on = _beside(lessons, lesson, shown)
        st.button(
            "Back",
            key="lesson-back",
            shortcut="Left",
            icon=":material/chevron_left:",
            disabled=back is None,
            on_click=_go,
            args=(back[0].id, back[1].number) if back else None,
        )
        tasks = {where: one for each in lessons.lessons for where, one in each.tasks()}
        words = lesson_page.tally(st.session_state.get(ANSWERS, {}), tasks)
        st.html(tag("p", words, class_="gear-lesson-foot"), width="stretch")
        st.button(
            "Read as one page",
            key="lesson-plain",
            type="tertiary",
            on_click=address.hold,
            args=(PLAIN, "1"),
        )
        ahead = "Done"
        if on:
            ahead = f"Next: {on[1].title if on[0] is lesson else f'lesson {on[0].place}'}"
        st.button(
            ahead,
            key="lesson-next",
            shortcut="Right",
            type="primary",
            disabled=on is None,
            on_click=_go,
            args=(on[0].id, on[1].number) if on else None,
        )


def _beside(
    lessons: Library, lesson: Lesson, shown: LessonPage
) -> tuple[tuple[Lesson, LessonPage] | None, tuple[Lesson, LessonPage] | None]:
    """The page before and the page after, over the ends of lessons."""
    all_ = [(each, one) for each in lessons.lessons for one in each.pages]
    at = all_.index((lesson, shown))
    return all_[at - 1] if at else None, all_[at + 1] if at + 1 < len(all_) else None


page()
