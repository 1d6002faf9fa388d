"""Learn: lessons on live runs, a few sentences and one thing to predict at a time."""

from __future__ import annotations

import streamlit as st

from gear_app.app.learn import handout
from gear_app.app.learn.competition import GAMMA
from gear_app.app.learn.runs import Runs, draw_step, lesson_runs
from gear_app.app.shared import address, elements, session
from gear_app.display.markup import tag
from gear_app.lessons.facts import page_text
from gear_app.lessons.lesson import Lesson, Page, Task, library
from gear_app.workspace.workspace import Workspace

LESSON, PAGE = "lesson", "page"  # keys of the controls, and in the address
ANSWERS = "learn-answers"  # in the session: option, from 0, by lesson and page
PREDICTED = "your prediction"


def page() -> None:
    """Draw the lesson and page that are chosen."""
    st.html(session.UI / "learn.css")
    lessons, problems = library()
    for problem in problems:
        elements.message(f"A lesson could not be read. {problem}", "bad")
    titles = {f"{n} {lesson.title}": lesson for n, lesson in enumerate(lessons.values(), start=1)}
    with st.container(key="lesson-top"):
        title = st.pills(
            "Lessons",
            list(titles),
            required=True,
            key=_initial(LESSON, next(iter(titles))),
            bind="query-params",
            on_change=_turn,
            label_visibility="collapsed",
        )
        as_print = st.toggle("Read as one page", key="print", bind="query-params")
    title = title or next(iter(titles))  # an address can name a lesson that is absent
    workspace = session.workspace()
    runs = lesson_runs(workspace, titles[title])
    if runs is None:
        return
    if as_print:
        st.html(session.UI / "frontend" / "columns.css")
        with elements.refusals():
            st.html(handout.handout(workspace, titles[title], runs))
    else:
        number = _page(workspace, titles[title], runs, title)
        _foot(titles, title, number)


def _page(workspace: Workspace, lesson: Lesson, runs: Runs, title: str) -> int:
    """Draw the chosen page next to its picture; its number."""
    with st.container(horizontal=True, gap="small", key="lesson-page"):
        with st.container(border=True, key="lesson-text"):
            chosen = st.segmented_control(
                "Page",
                range(1, len(lesson.pages) + 1),
                required=True,
                key=_initial(PAGE, 1),
                bind="query-params",
                on_change=_leave,
                label_visibility="collapsed",
            )
            number = chosen or 1  # an address can name a page that the lesson does not have
            page = lesson.pages[number - 1]
            guess = _text(page, f"{title}/{number}", runs)
        with st.container(key="picture", gap="small"):
            draw_step(workspace, runs, page, guess)
    return number


def _initial(key: str, value: str | int) -> str:
    """The key of a control that starts with a value where neither session nor address has one."""
    if key not in st.query_params:
        st.session_state.setdefault(key, value)
    return key


def _turn(title: str = "", number: int = 1) -> None:
    """Go to a page of a lesson; of the chosen one by default."""
    st.session_state[LESSON] = title or st.session_state[LESSON]
    st.session_state[PAGE] = number
    _leave()


def _leave() -> None:
    """Forget what was selected on the page before."""
    st.session_state.pop(GAMMA, None)
    address.write(**address.NOTHING_SELECTED)


def _text(page: Page, key: str, runs: Runs) -> str | None:
    """Draw the text and the task; the value that was predicted, None before."""
    text = page_text(page, {name: run.trace for name, run in runs.items()})
    if text.problem:
        elements.message(f"This page does not fit its runs: {text.problem}", "bad")
    st.html(tag("div", tag("h1", page.title), text.text, class_="gear-lesson"))
    answer = _task(page.task, text.solution, key) if page.task and not text.problem else None
    if page.after and (answer is not None or not page.task):
        st.html(tag("div", text.after, class_="gear-lesson-after", role="status"))
    if answer is None or not page.task:
        return None
    option = page.task.options[answer]
    return option.value or option.text


def _task(task: Task, solution: int, key: str) -> int | None:
    """Draw a task; the number of the answer, from 0. The first answer stands."""
    answers: dict[str, int] = st.session_state.setdefault(ANSWERS, {})
    texts = [option.text for option in task.options]
    if key not in answers:
        names = dict(enumerate(texts))
        st.radio(task.question, names, index=None, format_func=names.get, key=f"task-{key}")
        st.button("Check", key="task-check", on_click=_answer, args=(key,), type="primary")
        return None
    guess = answers[key]
    marks = {guess: ("gear-wrong", "✗ "), solution: ("gear-right", "✓ ")}
    lines = []
    for number, option in enumerate(task.options):
        kind, mark = marks.get(number, (None, ""))
        note = " · ".join(filter(None, (PREDICTED if number == guess else "", option.remark)))
        lines.append(tag("li", mark + option.text, tag("small", note), class_=kind))
    verdict = "You predicted it." if guess == solution else f"The run says: {texts[solution]}."
    parts = tag("h3", task.question), tag("ul", *lines), tag("b", verdict)
    st.html(tag("div", *parts, class_="gear-task"))
    return guess


def _answer(key: str) -> None:
    guess = st.session_state[f"task-{key}"]
    if guess is not None:
        st.session_state[ANSWERS].setdefault(key, guess)


def _foot(titles: dict[str, Lesson], title: str, number: int) -> None:
    """Draw buttons to the page before and to the next, of the lesson or of its neighbours."""
    pages = [(title, n) for title in titles for n, _ in enumerate(titles[title].pages, start=1)]
    at = pages.index((title, number))
    last = at + 1 == len(pages)
    following = pages[0 if last else at + 1]
    name = titles[title].pages[number].title if following[0] == title else following[0]
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-foot"):
        st.button(
            "Back",
            key="lesson-back",
            shortcut="Left",
            icon=":material/chevron_left:",
            disabled=at == 0,
            on_click=_turn,
            args=pages[at - 1],
        )
        st.button(
            "Done" if last else f"Next: {name}",
            key="lesson-next",
            shortcut="Right",
            type="primary",
            disabled=last,
            on_click=_turn,
            args=following,
        )


page()
