"""Lessons as TOML files (docs/teach.md): those of the application, then those of the operator's
folder.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from gear_app.core.paths import packaged_data
from gear_app.workspace.runs.request import RunRequest

FOLDER = "GEAR_LESSONS"
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
    """A prediction. `fact` calls a function of `lessons.facts`, such as `gold(5)`; one of the
    options states its value.
    """

    question: Words
    fact: Words = Field(alias="asks")
    options: list[Option] = Field(alias="option", min_length=2)


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
                raise ValueError(f"page {number}: “{page.run}” is not the name of one of {names}")
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
        for path in sorted(folder.glob("*.toml")):
            try:
                lesson = Lesson.model_validate(tomllib.loads(path.read_text("utf-8")))
                lessons[path.stem.lstrip("0123456789-")] = lesson
            except (OSError, ValueError) as error:
                problems.append(f"{path.name}: {error}")
    return lessons, problems
