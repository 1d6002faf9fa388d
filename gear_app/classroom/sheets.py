"""A lesson as a class gets it: of every page the words, and of its task what can be predicted."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.classroom.session import Sheet
from gear_app.lessons import Lesson, LessonPage
from gear_app.lessons.lesson import Paragraph, address


def sheets_of(lesson: Lesson) -> tuple[Sheet, ...]:
    """The lesson's pages in order, each at its address, `lesson/page`."""
    return tuple(_sheet(lesson, page) for page in lesson.pages)


def _sheet(lesson: Lesson, page: LessonPage) -> Sheet:
    key, text = address(lesson, page), _words(page.text)
    task = page.task
    if task is None:
        return Sheet(key, page.title, (*text, *_words(page.after)))
    return Sheet(
        key,
        page.title,
        text,
        task.question,
        tuple(option.text for option in task.options),
        tuple(option.remark for option in task.options),
        task.solution,
        _words(page.after),
    )


def _words(paragraphs: Sequence[Paragraph]) -> tuple[str, ...]:
    return tuple("".join(phrase.words for phrase in one) for one in paragraphs)
