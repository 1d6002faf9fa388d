"""The lessons there are: those that come with the application, then those of the operator's folder
(`GEAR_LESSONS`, `gear-app serve --lessons`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gear_app.errors import BadInput, Unknown
from gear_app.lessons.file import numbered, read_lesson
from gear_app.lessons.lesson import Lesson
from gear_app.paths import packaged_data

FOLDER = "GEAR_LESSONS"
SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class BadLesson:
    """A file that is no lesson, and why."""

    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Library:
    """All lessons in their order, and the files that are none."""

    lessons: tuple[Lesson, ...]
    bad: tuple[BadLesson, ...] = ()

    def lesson(self, id_: str) -> Lesson:
        """The lesson with an id. Raises Unknown."""
        for lesson in self.lessons:
            if lesson.id == id_:
                return lesson
        raise Unknown("lesson", id_, [lesson.id for lesson in self.lessons])


def library() -> Library:
    """The lessons of this installation and of the operator's folder, read anew: a teacher who
    saves a file and reloads the page sees it.
    """
    named = os.environ.get(FOLDER)
    folders = [packaged_data("lessons"), *([Path(named).expanduser()] if named else [])]
    return read_folders(folders)


def read_folders(folders: Sequence[Path]) -> Library:
    """The lessons in some folders; of two with one id the later folder's takes the place of the
    earlier one's.
    """
    found: dict[str, Lesson] = {}
    bad = []
    for folder in folders:
        if not folder.is_dir():
            bad.append(BadLesson(folder, f"There is no folder {folder}."))
            continue
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: numbered(path.stem))
        for path in files:
            try:
                lesson = read_lesson(path)
            except BadInput as error:
                bad.append(BadLesson(path, str(error)))
            else:
                found[lesson.id] = lesson
    ordered = tuple(
        replace(lesson, place=place) for place, lesson in enumerate(found.values(), start=1)
    )
    return Library(ordered, tuple(bad))
