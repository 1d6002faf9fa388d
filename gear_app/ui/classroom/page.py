"""Class: the teacher opens a class on a lesson, sees who expects what, and reveals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from gear_app.classroom import session as rules
from gear_app.classroom.open_classes import OPEN
from gear_app.classroom.session import ClassSession, answers_csv, sheets_of
from gear_app.errors import BadInput
from gear_app.lessons import Lesson, library
from gear_app.text import count
from gear_app.ui.classroom import screen as views
from gear_app.ui.shared import address, elements, session, visitors
from gear_app.views import markup

STYLE = session.UI / "classroom.css"
REFRESH_S = 1.0
OPENS_WITH, LESSON = "class", "lesson"  # in the address: the code of a class, the lesson to teach
KEPT, FAILED = "class-code", "class-failed"


def page() -> None:
    """The class of the address, else the way to open one."""
    st.html(STYLE)
    code = address.named(OPENS_WITH)
    if not code and not address.named(LESSON):
        code = st.session_state.get(KEPT, "")
    if code not in OPEN.codes():
        if address.named(OPENS_WITH):
            elements.message("This class is closed, and what was answered in it is forgotten.")
        _open_one()
        return
    st.session_state[KEPT] = code  # for who comes back from another page
    address.hold(OPENS_WITH, code)
    st.fragment(_class, run_every=REFRESH_S)(code)


def _open_one() -> None:
    lessons = {lesson.id: lesson for lesson in library().lessons if sheets_of(lesson)}
    st.html(
        markup.title(
            "Teach a class",
            "learners predict on their phones, you see how many expect what, then reveal",
        )
    )
    if not lessons:
        elements.message("There is no lesson to teach. See the page Learn.")
        return
    wanted = address.named(LESSON, lessons) or next(iter(lessons))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = st.selectbox(
            "Lesson",
            list(lessons),
            index=list(lessons).index(wanted),
            format_func=lambda id_: f"{lessons[id_].place}. {lessons[id_].title}",
            key="class-lesson",
            width=420,
        )
        opens = partial(_open, lessons[chosen])
        st.button("Open the class", type="primary", key="class-open", on_click=opens)
    elements.message(lessons[chosen].about)
    _who_can_join()
    st.html(views.how_it_goes())
    for code in OPEN.codes():
        found = OPEN.get(code)
        label = f"Go on with {found.code}, {len(found.learners)} learners"
        st.button(label, key=f"class-go-{code}", on_click=partial(_go_on, code))


def _open(lesson: Lesson) -> None:
    _go_on(OPEN.open(lesson.title, sheets_of(lesson)).code)


def _go_on(code: str) -> None:
    address.hold(OPENS_WITH, code)
    address.hold(LESSON, "")


def _who_can_join() -> None:
    """A sentence where phones cannot join, or could do more than join."""
    if visitors.only_here():
        elements.message(visitors.ONLY_HERE)
    elif visitors.open_to_all():
        elements.message(visitors.OPEN_TO_ALL, "bad")


def _class(code: str) -> None:
    """The whole page, drawn again and again: what learners do shows within a second."""
    try:
        now = OPEN.get(code)
    except BadInput:  # another window of the teacher's closed it
        st.rerun()
    if st.session_state.get("class-large"):
        _large(now)
        return
    _top(now)
    elements.message(st.session_state.pop(FAILED, ""), "bad")
    _who_can_join()
    left, right = st.columns([2.65, 1], gap="small")
    with left:
        with st.container(border=True):
            _question(now)
        with st.container(border=True):
            st.html(markup.title("Questions of this lesson"))
            st.html(views.questions(now))
            elements.folded_table("As a table", lambda: views.histogram_rows(now), "class")
    with right:
        with st.container(border=True):
            st.html(views.code_card(now, visitors.join_address()))
            st.button(
                "Show large in the hall",
                key="class-enlarge",
                width="stretch",
                on_click=partial(_enlarge, True),
            )
        with st.container(border=True):
            _people(now)


def _enlarge(large: bool) -> None:
    st.session_state["class-large"] = large


def _large(now: ClassSession) -> None:
    st.html(views.code_card(now, visitors.join_address(), large=True))
    words, _ = views.present_words(now, OPEN.away(now.code))
    st.html(markup.tag("p", words, class_="gear-class-join gear-class-large", role="status"))
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button("Back to the class", key="class-shrink", on_click=partial(_enlarge, False))


def _top(now: ClassSession) -> None:
    with elements.spread():
        st.html(views.header(now, OPEN.open_for_s(now.code)), width="content")
        with st.container(
            horizontal=True, vertical_alignment="center", gap="medium", width="content"
        ):
            _switch(
                now,
                "Locked to this page",
                "locked",
                "Learners follow you. Else they leaf through the lesson by themselves.",
            )
            _switch(
                now, "Names hidden", "names_hidden", "On this screen learners are only numbers."
            )
            _switch(now, "Nobody else joins", "complete", "The code lets no more learners in.")
            _export(now)
            _close(now)


def _switch(now: ClassSession, label: str, name: str, about: str) -> None:
    """A switch of the class: its truth is the class's, whichever window turned it."""
    key = f"class-{name}"
    st.session_state[key] = getattr(now, name)

    def turned() -> None:
        OPEN.change(now.code, lambda one: replace(one, **{name: st.session_state[key]}))

    st.toggle(label, key=key, help=about, on_change=turned)


def _export(now: ClassSession) -> None:
    with st.popover("Export CSV", width="content"):
        named = st.checkbox("With nicknames", key="class-nicknames")
        st.html(
            markup.tag(
                "p",
                "A line for every learner, question and vote. Learners are numbers, unless you ask"
                " for nicknames.",
                class_="gear-note",
            )
        )
        st.download_button(
            "Download",
            data=lambda: answers_csv(OPEN.get(now.code), nicknames=named).encode(),
            file_name=f"class-{now.code}.csv",
            mime="text/csv",
            key="class-csv",
            on_click="ignore",
        )


def _close(now: ClassSession) -> None:
    with st.popover("Close the class", width="content"):
        elements.message(
            "Nicknames and answers are forgotten. Export them first if you want to keep them."
        )
        st.button(
            "Close and forget",
            key="class-close",
            type="primary",
            on_click=partial(_forget, now.code),
        )


def _forget(code: str) -> None:
    OPEN.close(code)
    for key in (KEPT, "class-large"):
        st.session_state.pop(key, None)
    address.hold(OPENS_WITH, "")


def _question(now: ClassSession) -> None:
    """The page that the class is at: its question with what was answered, and the ways on."""
    sheet = now.here
    ballot = now.ballot(sheet.key)
    if sheet.asks:
        elements.markup_figure(views.histogram(now, sheet), "class", "answers")
    else:
        st.html(views.page_text(sheet))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if sheet.asks:
            st.button(
                "Reveal",
                type="primary",
                key="class-reveal",
                disabled=ballot.revealed,
                help="Shows the answer and this histogram here and on all phones at once.",
                on_click=_change(now, partial(rules.reveal, key=sheet.key)),
            )
            st.button(
                "Talk it over, ask again",
                key="class-again",
                disabled=ballot.revealed or not ballot.latest,
                help="Both votes are kept side by side.",
                on_click=_change(now, partial(rules.ask_again, key=sheet.key)),
            )
        st.space("stretch")
        st.link_button(
            "The page with its picture",
            visitors.lesson_page(sheet.key),
            icon=":material/open_in_new:",
            help="In another tab, for the hall: the page of Learn.",
        )
        st.button(
            "← Page before",
            key="class-back",
            disabled=now.page == 0,
            on_click=_change(now, partial(rules.turn_to, page=now.page - 1)),
        )
        st.button(
            "Next page →",
            key="class-on",
            disabled=now.page == len(now.sheets) - 1,
            on_click=_change(now, partial(rules.turn_to, page=now.page + 1)),
        )
    if sheet.asks and (text := st.expander("What learners read above the question")):
        text.html(views.page_text(sheet))
    if sheet.asks:
        with st.expander("For you: the solution" if not ballot.revealed else "The solution"):
            st.html(views.solution(sheet))


def _change(
    now: ClassSession, change: Callable[[ClassSession], ClassSession]
) -> Callable[[], None]:
    """A callback that changes the class as it is when the button is pressed."""

    def changed() -> None:
        try:
            OPEN.change(now.code, change)
        except BadInput as error:
            st.session_state[FAILED] = f"{error}."

    return changed


def _people(now: ClassSession) -> None:
    away = OPEN.away(now.code)
    st.html(markup.title(*views.present_words(now, away)))
    st.html(views.people(now, away))
    if not now.learners:
        elements.message("Nobody has joined yet. Show the code.")
        return
    with st.popover("Rename or remove", width="content"):
        number = st.selectbox(
            "Learner",
            [one.number for one in now.learners],
            format_func=lambda one: views.called(now, one),
            key="class-who",
        )
        st.text_input("New nickname", key="class-name", max_chars=rules.LONGEST_NICKNAME)
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Rename",
                key="class-rename",
                on_click=lambda: _change(
                    now,
                    partial(rules.rename, number=number, nickname=st.session_state["class-name"]),
                )(),
            )
            st.button(
                "Remove",
                key="class-remove",
                on_click=_change(now, partial(rules.remove, number=number)),
            )
        silent = len(rules.silent(now))
        st.button(
            f"Remove {count(silent, 'learner')} who answered nothing so far",
            key="class-remove-silent",
            disabled=not silent,
            help="Where a script fills the class. Turn on “Nobody else joins” before it.",
            on_click=_change(now, rules.remove_silent),
        )


page()
