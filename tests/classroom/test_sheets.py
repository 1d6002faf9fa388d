"""A lesson's file as the pages that a class gets."""

from __future__ import annotations

from gear_app.classroom.session import Sheet, sheets_of
from gear_app.lessons import library
from gear_app.lessons.file import parse
from tests.browser.test_class import LESSON


def test_of_a_lesson_a_class_gets_its_words_and_its_tasks() -> None:
    plain, asking = sheets_of(parse(LESSON, "1-by-hand"))
    assert plain == Sheet("by-hand/1", "What a beam is", ("A path of facts.",))
    assert asking == Sheet(
        "by-hand/2",
        "Which survive?",
        ("Two places are taken.",),
        "Who gets the third?",
        ("Portsmouth", "the railway", "Avon Gorge"),
        ("", "", "first in its own beam"),
        2,
        ("The penalty takes it from Portsmouth.",),
    )


def test_every_lesson_that_comes_with_the_application_can_be_taught() -> None:
    lessons = library().lessons
    assert lessons
    for lesson in lessons:
        assert any(sheet.asks for sheet in sheets_of(lesson)), lesson.title
