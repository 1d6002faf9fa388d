"""A lesson on the screen: its text with names that light up and numbers that open into their terms,
its task, and beams that compete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.errors import BadInput
from gear_app.events import BeamCandidate, RankedPassage
from gear_app.events.base import Way
from gear_app.lessons import Lesson, LessonPage, Reference, Task, Words
from gear_app.lessons.evidence import RunEvidences
from gear_app.lessons.facts import Fact, fact_of, run_of
from gear_app.lessons.lesson import Paragraph
from gear_app.step_views import beams
from gear_app.ui.shared import elements
from gear_app.views import decimals, glossary, rankings
from gear_app.views.markup import Html, join, tag, term

COUNTED = 15  # things of a number that are listed


def text(paragraphs: Sequence[Paragraph], page: LessonPage, runs: RunEvidences) -> Html:
    """Paragraphs, with what their references stand for in the runs; without them, their words."""
    return join(
        tag("div", join(_words(one, page, runs) for one in paragraph), class_="gear-lesson-p")
        for paragraph in paragraphs
    )


def _words(words: Words, page: LessonPage, runs: RunEvidences) -> Html:
    if words.style:
        return tag(words.style, words.words)
    if words.reference is None:
        return join([words.words])
    try:
        found = fact_of(words.reference, page, runs)
    except BadInput:
        return join([words.words])  # the page says above it that the run is another one
    if words.reference.kind == "term" and found.text in glossary.TERMS:
        return term(words.words, found.text)
    lines = terms(found, words.reference, page, runs)
    if lines:
        return _number(words.words, found, lines)
    return _lit(words.words, found.entity, words.reference)


def _lit(words: str, entity: str, reference: Reference) -> Html:
    """Words that light up in text and picture."""
    if not entity:
        return tag("strong", words)
    kind = "gear-lesson-thing" if reference.kind == "thing" else "gear-lesson-name"
    return tag("span", words, data_entity=entity, tabindex=0, role="button", class_=kind)


def _number(words: str, found: Fact, lines: Sequence[tuple[str, str]]) -> Html:
    """A number that opens into its terms."""
    return tag(
        "details",
        tag("summary", words, data_entity=found.entity or None, title="What it is made of"),
        _sum(lines),
        _constant(found),
        class_="gear-lesson-number",
    )


def _constant(found: Fact) -> Html:
    """Why a score has another constant than the lessons tell of; nothing for any other number."""
    line = found.of if isinstance(found.of, RankedPassage) else None
    note = rankings.constant_note([line], _way(line)) if line and not found.counted else ""
    return tag("p", note, class_="gear-note") if note else join([])


def _sum(lines: Sequence[tuple[str, str]]) -> Html:
    last = len(lines) - 1
    return tag(
        "dl",
        join(
            join([tag("dt", name, class_=total), tag("dd", value, class_=total)])
            for place, (name, value) in enumerate(lines)
            for total in ["gear-total" if place == last else None]
        ),
        class_="gear-sum",
    )


def terms(
    found: Fact, reference: Reference, page: LessonPage, runs: RunEvidences
) -> list[tuple[str, str]]:
    """What a number is made of, as (term, value) lines, or what it counts; none for one that is set
    or was counted by the run itself.
    """
    if found.counted:
        return _counted(found)
    match found.of:
        case BeamCandidate() as candidate:
            return beams.arithmetic(
                candidate, beams.gamma_of(runs[run_of(reference, page)].settings)
            )
        case RankedPassage(parts=parts) as line if parts:
            way = _way(line)
            lines = [_split(rankings.term(part, way=way)) for part in parts]
            return [*lines, ("= score", rankings.total(line, way).removeprefix("= "))]
        case RankedPassage() as line if reference.kind == "score":
            return [("score of the list itself", decimals.exact(line.score))]
    return []


def _counted(found: Fact) -> list[tuple[str, str]]:
    """What a number counts, the first of them, and the number."""
    lines: list[tuple[str, str]] = list(found.counted[:COUNTED])
    every = max(len(found.counted), int(float(found.value)))
    more = [(f"and {every - len(lines)} more", "")] if every > len(lines) else []
    return [*lines, *more, ("= counted", found.text)]


def _way(line: RankedPassage) -> Way:
    return rankings.way_of_parts(line.parts)


def _split(term: str) -> tuple[str, str]:
    """A term such as 1/(60 + 2) = 0.016129 · rank 2 in dense, as what it is and its value."""
    before, dot, what = term.partition(" · ")
    if not dot:
        return term, ""
    sign, _, value = before.rpartition(" = ")
    return (f"{what}: {sign}" if sign else what), value


def problem_words(found: Sequence[str]) -> str:
    """That a run is not as the lesson says, in one sentence."""
    if not found:
        return ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        "This run is not the one that the lesson was written about, so some of what it says may"
        f" not be so here: {found[0]}{more}"
    )


# The task


def task_data(one: Task, answer: int | None) -> dict[str, Any]:
    """Component data of a task: its options, and once it is answered which is right and why."""
    return {
        "question": one.question,
        "options": [
            {"text": option.text, "remark": option.remark if answer is not None else ""}
            for option in one.options
        ],
        "answer": answer,
        "solution": one.solution if answer is not None else None,
        "verdict": _verdict(one, answer),
    }


def _verdict(one: Task, answer: int | None) -> str:
    if answer is None:
        return ""
    if one.is_right(answer):
        return "You predicted it."
    return f"The run says: {one.options[one.solution].text}."


def tally(answers: Mapping[str, int], tasks: Mapping[str, Task]) -> str:
    """How many predictions a learner has made, and how many were right."""
    made = {address: place for address, place in answers.items() if address in tasks}
    if not made:
        return "Your predictions are kept in this browser session only."
    right = sum(tasks[address].is_right(place) for address, place in made.items())
    noun = "prediction" if len(made) == 1 else "predictions"
    return f"{len(made)} {noun} so far, {right} right. Kept in this browser session only."


def recalled(
    kept: Mapping[str, Any], lessons: Sequence[Lesson]
) -> tuple[dict[str, int], dict[str, bool]]:
    """What a browser kept of a learner, as far as it fits these lessons: the places of the options
    that were chosen, by task, and the lessons that were read to their end.
    """
    tasks = {where: task for lesson in lessons for where, task in lesson.tasks()}
    found = (kept.get(part) for part in ("answers", "seen"))
    answers, seen = (part if isinstance(part, Mapping) else {} for part in found)
    return (
        {
            where: place
            for where, place in answers.items()
            if where in tasks and isinstance(place, int) and 0 <= place < len(tasks[where].options)
        },
        {lesson.id: True for lesson in lessons if seen.get(lesson.id)},
    )


def strip_data(
    lessons: Sequence[Lesson], current: str, seen: Mapping[str, bool]
) -> list[dict[str, Any]]:
    """Component data of the row of lessons; `seen`: those that were read to their end."""
    return [
        {
            "id": lesson.id,
            "place": lesson.place,
            "title": lesson.title,
            "here": lesson.id == current,
            "done": seen.get(lesson.id, False),
        }
        for lesson in lessons
    ]


_strip = elements.component(
    "lesson_strip",
    html='<nav class="lessons" aria-label="Lessons"></nav>',
    js="lesson_strip.js",
    css="lesson.css",
)
_task = elements.component(
    "lesson_task", html='<div class="task"></div>', js="lesson_task.js", css="lesson.css"
)


def strip(
    lessons: Sequence[Lesson],
    current: str,
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
        data={
            "lessons": strip_data(lessons, current, learner["seen"]),
            "learner": dict(learner),
        },
        key="lessons",
        on_go_change=went,
        on_kept_change=recalled,
    )


def task(one: Task, chosen: int | None, key: str, answer: Callable[[int], None]) -> None:
    """A task with the option that was `chosen`; `answer` is called with the place of a choice."""

    def answered() -> None:
        place = st.session_state[key].get("answer")
        if place is not None:
            answer(int(place))

    _task(data=task_data(one, chosen), key=key, on_answer_change=answered)
