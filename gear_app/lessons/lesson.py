"""A lesson: pages over live runs, as values. `lessons.file` reads them, `lessons.facts` checks them
against the events of their runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gear_app.errors import Unknown
from gear_app.runs.request import RunRequest

RRF = "rrf"  # in place of a step: the final rankings of all the lesson's runs, fused
END = "end"  # in place of a step: the final ranking
BEAM_NUMBERS = ("score", "sum", "cosine", "before", "place", "weight")
LENGTHS = (
    "proximal triples",
    "linked triples",
    "kept beams",
    "candidates",
    "remembered",
    "entities",
    "matches",
    "passages",
)
THINGS = ("place in its beam", "sum", "what is left", "line to pass", "beam")  # of a competition
USAGE: Mapping[str, str] = {
    "name": "name: NAME",
    "term": "term: WORDS",
    "thing": "thing: WORDS",
    "triple": "triple: SUBJECT | PREDICATE | OBJECT",
    "setting": "setting: NAME",
    "rank": "rank: PASSAGE; STEP",
    "score": "score: PASSAGE; STEP",
    "first": "first: STEP",
    "found": "found: K; STEP",
    "gold": "gold:",
    "beam": f"beam: {'|'.join(BEAM_NUMBERS)}; SUBJECT | PREDICATE | OBJECT; STEP",
    "survivor": "survivor: PLACE; STEP",
    "survives": "survives: SUBJECT | PREDICATE | OBJECT; STEP",
    "length": "length: WHAT; STEP",
    "answerable": "answerable: ITERATION",
    "answer": "answer: ITERATION",
    "query": "query: ITERATION",
    "next": "next: ITERATION",
    "iterations": "iterations:",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What words of a text stand for: a name, or a number of the run.

    `kind` is a word of `lessons.facts.KINDS`, `arguments` what follows it, separated by semicolons.
    """

    kind: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {'; '.join(self.arguments)}"


@dataclass(frozen=True, slots=True)
class Words:
    """Some words of a text, and what they stand for; None: they are only words.

    `style` "strong" is printed bold, "code" as a formula or a label of the screen.
    """

    words: str
    reference: Reference | None = None
    style: Literal["", "strong", "code"] = ""


Paragraph = tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class StepName:
    """A step of a run: its verb, its iteration (from 1; 0 where a run has it once, at the end), and
    which of several with that verb it is, from 1.
    """

    verb: str
    iteration: int = 1
    place: int = 1

    def __str__(self) -> str:
        place = f" {self.place}" if self.place > 1 else ""
        return f"{self.verb} {self.iteration}{place}"


@dataclass(frozen=True, slots=True)
class LessonRun:
    """A run that a lesson looks at: found where it exists, else made.

    `reader` "table 6" replies as the language model of GEAR's Table 6 does, others of RECORDED as
    one that fails.
    """

    name: str
    collection: str
    question: str
    method: str
    triples: str | None = None
    settings: Mapping[str, str | int | float] = field(default_factory=dict)
    reader: str = "local"
    k: int = 15

    def request(self, owner: str = "") -> RunRequest:
        """The run as it is asked for."""
        return RunRequest(
            self.question,
            self.collection,
            self.method,
            triples=self.triples,
            settings=self.settings,
            k=self.k,
            reader=self.reader,
            owner=owner,
        )


@dataclass(frozen=True, slots=True)
class TaskOption:
    """One answer of a task: its words, the fact that it stands for, and a remark once it is
    revealed.
    """

    text: str
    value: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A prediction: a question with options, one of which the run bears out.

    `solution` is that option's place, from 0. `asks` is the fact of the run that decides: the
    solution's `value` equals it, the others' do not.
    """

    question: str
    options: tuple[TaskOption, ...]
    solution: int
    asks: Reference

    def is_right(self, place: int) -> bool:
        """Whether the option at a place is the solution."""
        return place == self.solution


@dataclass(frozen=True, slots=True)
class LessonPage:
    """A few sentences, a picture, one thing to do.

    `run` names the lesson's run, `step` what of it is shown: before a task is answered `step`,
    afterwards `reveal`. `picture` is a word of `lessons.file.PICTURES`. `after` is said once the
    task is answered, or at once where there is none. `gamma` is the stop that a picture of
    competing beams begins with, `opens` the triple whose card a beam search opens first ("": the
    picture's own choice).
    """

    number: int
    title: str
    text: tuple[Paragraph, ...]
    run: str
    picture: str
    step: StepName | None = None
    reveal: StepName | None = None
    task: Task | None = None
    after: tuple[Paragraph, ...] = ()
    gamma: str = ""
    opens: str = ""

    def texts(self) -> Iterator[Paragraph]:
        """Every paragraph with references in it."""
        yield from self.text
        yield from self.after


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson: `id` is its file's name without the number before it, `place` its place, from 1."""

    id: str
    place: int
    title: str
    about: str
    runs: tuple[LessonRun, ...]
    pages: tuple[LessonPage, ...]

    def page(self, number: int) -> LessonPage:
        """The page with a number, from 1. Raises Unknown."""
        if not 1 <= number <= len(self.pages):
            raise Unknown("page", str(number), [f"1 to {len(self.pages)}"])
        return self.pages[number - 1]

    def run(self, name: str) -> LessonRun:
        """The run with a name. Raises Unknown."""
        for run in self.runs:
            if run.name == name:
                return run
        raise Unknown("run of the lesson", name, [run.name for run in self.runs])

    def tasks(self) -> list[tuple[str, Task]]:
        """Its tasks with their addresses, in order."""
        return [(address(self, page), page.task) for page in self.pages if page.task]


def address(lesson: Lesson, page: LessonPage) -> str:
    """How a page, and its task, is called everywhere: `lesson/page`."""
    return f"{lesson.id}/{page.number}"
