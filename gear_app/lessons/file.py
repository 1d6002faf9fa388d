"""Lessons from their files: TOML that a teacher writes by hand (docs/teach.md). Those that come
with the application are first, then those of the operator's folder (`GEAR_LESSONS`,
`gear-app serve --lessons`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gear_app.errors import BadInput, Unknown, did_you_mean
from gear_app.lessons.lesson import (
    USAGE,
    Lesson,
    LessonPage,
    LessonRun,
    Paragraph,
    Reference,
    StepName,
    Task,
    TaskOption,
    Words,
)
from gear_app.paths import packaged_data
from gear_app.text import whole_number

PICTURES = ("step", "competition", "fusion", "gist")
LARGEST = 200_000  # bytes of a file
_MARKED = re.compile(
    r"\[([^\[\]]+)\](?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?|\*\*([^*]+)\*\*|`([^`]+)`"
)
_NUMBERED = re.compile(r"^(\d+)-(.+)$")
LESSON_KEYS = {"title", "about", "run", "page"}
RUN_KEYS = {"name", "collection", "question", "method", "triples", "settings", "reader", "k"}
PICTURE_KEYS = {"picture", "step", "reveal", "gamma", "opens"}
PAGE_KEYS = {"title", "text", "run", "task", "after", *PICTURE_KEYS}
TASK_KEYS = {"question", "asks", "solution", "option"}
OPTION_KEYS = {"text", "is", "remark"}


def read_lesson(path: Path, place: int = 1) -> Lesson:
    """The lesson in a file. Raises BadInput, whose message names the file and what to change."""
    try:
        if path.exists() and not path.is_file():  # to open a pipe or a device may never end
            raise BadInput("it is no regular file.")
        raw = path.read_bytes()
        if len(raw) > LARGEST:
            raise BadInput(f"it has more than {LARGEST:,} bytes. Cut it into several lessons.")
        return parse(raw.decode("utf-8"), path.stem, place)
    except OSError as error:
        raise BadInput(f"{path.name}: it cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name}: it is not UTF-8 text. Save it as UTF-8.") from error
    except BadInput as error:
        raise BadInput(f"{path.name}: {error}") from error


def parse(text: str, stem: str, place: int = 1) -> Lesson:
    """The lesson in the text of a file called `stem`. Raises BadInput."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and tables beyond all measure
        raise BadInput(f"it is no TOML: {error}.") from error
    _known(data, LESSON_KEYS, "the lesson")
    runs = tuple(_run(one, number) for number, one in enumerate(_tables(data, "run"), start=1))
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise BadInput("two runs have the same name. Give each its own.")
    pages = _tables(data, "page")
    return Lesson(
        numbered(stem)[1],
        place,
        _text(data, "title", "the lesson"),
        str(data.get("about", "")),
        runs,
        tuple(_page(one, number, names) for number, one in enumerate(pages, start=1)),
    )


def numbered(stem: str) -> tuple[int, str]:
    """The number before a file's name, which orders the lessons, and the name after it."""
    found = _NUMBERED.match(stem)
    return (int(found[1]), found[2]) if found else (1_000_000, stem)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """A text's paragraphs, which an empty line parts, with `[words](reference)` in them.

    `[words]` alone are a name; `**words**` are bold, words between backticks a formula or a label
    of the screen. Raises BadInput.
    """
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return tuple(_phrases(part) for part in parts if part)


def reference(words: str) -> Reference:
    """What `kind: argument, argument` refers to. Raises BadInput."""
    kind, _, rest = words.partition(":")
    kind = kind.strip()
    if kind not in USAGE:
        raise BadInput(
            f"“{words}” refers to nothing: begin with one of {', '.join(USAGE)}"
            f" and a colon.{did_you_mean(kind, USAGE)}"
        )
    return Reference(kind, tuple(part.strip() for part in rest.split(";") if part.strip()))


def step_name(words: str) -> StepName:
    """A step from "expand 1" or "follow 1 2". Raises BadInput."""
    verb, *rest = words.split()
    numbers = [number for number in map(whole_number, rest) if number is not None]
    if len(numbers) > 2 or len(numbers) < len(rest):
        raise BadInput(f"“{words}” is no step. Write its verb and its iteration: expand 1")
    return StepName(verb, *numbers)


def _phrases(text: str) -> Paragraph:
    found: list[Words] = []
    at = 0
    for marked in _MARKED.finditer(text):
        if marked.start() > at:
            found.append(Words(text[at : marked.start()]))
        words, target, strong, code = marked.groups()
        if strong:
            found.append(Words(strong, style="strong"))
        elif code:
            found.append(Words(code, style="code"))
        else:
            found.append(Words(words, reference(target) if target else Reference("name", (words,))))
        at = marked.end()
    if at < len(text):
        found.append(Words(text[at:]))
    return tuple(found)


def _run(data: Mapping[str, Any], number: int) -> LessonRun:
    where = f"run {number}"
    _known(data, RUN_KEYS, where)
    settings = data.get("settings", {})
    if not isinstance(settings, dict):
        raise BadInput(f"{where}: settings are a table, such as {{ width = 3 }}.")
    return LessonRun(
        str(data.get("name", data.get("method", ""))),
        _text(data, "collection", where),
        _text(data, "question", where),
        _text(data, "method", where),
        data.get("triples"),
        settings,
        str(data.get("reader", "local")),
        int(data.get("k", 15)),
    )


def _page(data: Mapping[str, Any], number: int, runs: Sequence[str]) -> LessonPage:
    where = f"page {number}"
    _known(data, PAGE_KEYS, where)
    run = str(data.get("run", runs[0]))
    if run not in runs:
        raise BadInput(f"{where}: there is no run “{run}”. There are: {', '.join(runs)}.")
    picture = str(data.get("picture", "step"))
    if picture not in PICTURES:
        raise BadInput(f"{where}: a picture is one of {', '.join(PICTURES)}, not “{picture}”.")
    try:
        task = _task(data["task"]) if "task" in data else None
        step, reveal = (step_name(data[name]) if name in data else None for name in STEPS)
        return LessonPage(
            number,
            _text(data, "title", where),
            paragraphs(_text(data, "text", where)),
            run,
            picture,
            step,
            reveal or step,
            task,
            paragraphs(str(data.get("after", ""))),
            str(data.get("gamma", "")),
            str(data.get("opens", "")),
        )
    except BadInput as error:
        raise BadInput(str(error) if where in str(error) else f"{where}: {error}") from error


STEPS = ("step", "reveal")


def _task(data: Mapping[str, Any]) -> Task:
    where = "the task"
    _known(data, TASK_KEYS, where)
    options = tuple(_option(one) for one in _tables(data, "option"))
    solution = data.get("solution")
    if not isinstance(solution, int) or not 1 <= solution <= len(options):
        raise BadInput(f"the task's solution is the number of an option, 1 to {len(options)}.")
    if len(options) < 2:
        raise BadInput("a task has two options or more.")
    return Task(
        _text(data, "question", where),
        options,
        solution - 1,
        reference(_text(data, "asks", where)),
    )


def _option(data: Mapping[str, Any]) -> TaskOption:
    _known(data, OPTION_KEYS, "an option")
    text = _text(data, "text", "an option")
    return TaskOption(text, str(data.get("is", text)), str(data.get("remark", "")))


def _tables(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = data.get(name, [])
    if not isinstance(found, list) or not found or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"there is no [[{name}]] in it. A lesson has one or more.")
    return found


def _text(data: Mapping[str, Any], name: str, where: str) -> str:
    found = data.get(name)
    if not isinstance(found, str) or not found.strip():
        raise BadInput(f'{where} has no {name}. Add: {name} = "…"')
    return found.strip()


def _known(data: Mapping[str, Any], names: set[str], where: str) -> None:
    for name in data:
        if name not in names:
            hint = did_you_mean(name, names)
            raise BadInput(f"{where} has no “{name}”.{hint} It has: {', '.join(sorted(names))}.")


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
