"""Lessons as TOML files (docs/teach.md): those of the application, then those of the operator's
folder.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from gear_app.core.errors import did_you_mean
from gear_app.core.paths import packaged_data
from gear_app.workspace.runs.request import RunRequest

FOLDER = "GEAR_LESSONS"
LARGEST = 200_000  # bytes of a file
_NUMBERED = re.compile(r"(?:([0-9]{1,6})-)?(.+)")
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Run(_Model):
    """A run that a lesson is about: the fields of a RunRequest, and the name that pages use."""

    name: str = ""  # "": the method's
    collection: Words
    question: Words
    method: Words
    triples: str | None = None
    settings: dict[str, str | int | float] = {}
    reader: str = "local"  # "table 6" and the like replay recorded replies of a language model
    k: int = Field(15, ge=1)

    def request(self, owner: str = "") -> RunRequest:
        """Request that makes the run; it has no rights."""
        return RunRequest(**self.model_dump(exclude={"name"}), owner=owner)


class Option(_Model):
    """An answer to a task; correct if `value` is the value that the task asks for."""

    text: Words
    value: str = Field("", alias="is")  # "": the text
    remark: str = ""  # shown with the solution


class Task(_Model):
    """A prediction. `asks` calls a function of `lessons.facts`, such as `gold(5)`."""

    question: Words
    asks: Words
    solution: int = Field(ge=1)  # number of an option, from 1
    options: list[Option] = Field(alias="option", min_length=2)

    @model_validator(mode="after")
    def _check_solution(self) -> Task:
        if self.solution > len(self.options):
            raise ValueError(f"the solution is the number of an option, 1 to {len(self.options)}")
        return self


class Page(_Model):
    """A page. Its picture shows `step` until the task is answered, and then `reveal`."""

    title: Words
    text: Words
    run: str = ""  # "": the lesson's first
    picture: Literal["step", "competition", "fusion", "gist"] = "step"
    step: str = ""  # verb and iteration, such as "expand 1"
    reveal: str = ""
    task: Task | None = None
    after: str = ""
    opens: str = ""  # triple whose card a beam search selects first


class Lesson(_Model):
    """A lesson."""

    title: Words
    about: str = ""
    runs: list[Run] = Field(alias="run", min_length=1)
    pages: list[Page] = Field(alias="page", min_length=1)

    @model_validator(mode="after")
    def _fill_in(self) -> Lesson:
        for run in self.runs:
            run.name = run.name or run.method
        names = [run.name for run in self.runs]
        for number, page in enumerate(self.pages, start=1):
            page.run, page.reveal = page.run or names[0], page.reveal or page.step
            if names.count(page.run) != 1:
                run_names = ", ".join(names)
                raise ValueError(
                    f"page {number}: “{page.run}” is not the name of one run: {run_names}"
                )
        return self


def library() -> tuple[dict[str, Lesson], list[str]]:
    """Lessons of the application and of the operator's folder, read anew (`read_folders`)."""
    folder = os.environ.get(FOLDER)
    return read_folders(
        [packaged_data("lessons"), *([Path(folder).expanduser()] if folder else [])]
    )


def read_folders(folders: Sequence[Path]) -> tuple[dict[str, Lesson], list[str]]:
    """Lessons by id, the file's name without its number, and a sentence for each file that is none.

    A later folder's lesson replaces an earlier one of the same id.
    """
    lessons, problems = dict[str, Lesson](), list[str]()
    for folder in folders:
        if not folder.is_dir():
            problems.append(f"There is no folder {folder}.")
        for _, id_, path in sorted(_numbered(path) for path in folder.glob("*.toml")):
            try:
                # Opening a pipe or a device may never end.
                if not path.is_file() or path.stat().st_size > LARGEST:
                    raise ValueError(f"not a regular file of at most {LARGEST:,} bytes")
                lessons[id_] = Lesson.model_validate(tomllib.loads(path.read_text("utf-8")))
            except (OSError, ValueError, RecursionError) as error:
                problems.append(f"{path.name}: {_in_words(error)}")
    return lessons, problems


def _numbered(path: Path) -> tuple[int, str, Path]:
    match = _NUMBERED.fullmatch(path.stem)
    number, id_ = match.groups() if match else (None, path.stem)
    return int(number or 1_000_000), id_, path


def _in_words(error: Exception) -> str:
    """A problem with its place, such as "page 2, task, solution: Input should be an integer"."""
    if not isinstance(error, ValidationError):
        return str(error)
    problems = error.errors(include_url=False)
    problem = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    place = "".join(f" {p + 1}" if isinstance(p, int) else f", {p}" for p in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        models = (Lesson, Run, Page, Task, Option)
        fields = {field.alias or name for m in models for name, field in m.model_fields.items()}
        message = f"unknown field.{did_you_mean(str(problem['loc'][-1]), fields)}"
    return f"{place[2:]}: {message}" if place else message
