"""Lessons: what a teacher writes in a file, and whether a run says the same.

A lesson is data: runs to be made, and pages with a few sentences, a picture of a step and a task.
"""

from gear_app.lessons.file import BadLesson, Library, library
from gear_app.lessons.lesson import (
    Lesson,
    LessonPage,
    LessonRun,
    Reference,
    StepName,
    Task,
    TaskOption,
    Words,
)

__all__ = [
    "BadLesson",
    "Lesson",
    "LessonPage",
    "LessonRun",
    "Library",
    "Reference",
    "StepName",
    "Task",
    "TaskOption",
    "Words",
    "library",
]
