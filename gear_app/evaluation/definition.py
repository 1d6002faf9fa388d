"""Definition of an evaluation: questions, methods with settings, and what is common to all runs."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.evaluation.variants import variant
from gear_app.methods import most_calls
from gear_app.models.reader import LLM_READER
from gear_app.models.server import Spec
from gear_app.workspace.models import check_reader, spec_for
from gear_app.workspace.runs.request import Options, RunRequest
from gear_app.workspace.workspace import Workspace

KS = (5, 10, 15)
MOST_METHODS = 200  # of one evaluation, with those of a sweep

Ranks = Mapping[str, int | None]  # of a question's gold passages by key; None: not in the ranking


class QuestionChoice(NamedTuple):
    """Choice among the questions that have gold: the first `limit`, or `sample` drawn with a seed,
    or those with these ids; all of them by default.
    """

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    ids: tuple[str, ...] = ()
    origin: str = "by id"  # how the ids were chosen

    def among(self, questions: Sequence[Question]) -> QuestionChoice:
        """This choice, or ALL_QUESTIONS if it leaves no question out. Raises Unknown for an id
        that is not among the questions.
        """
        available = {question.id for question in questions}
        for id_ in self.ids:
            if id_ not in available:
                raise Unknown("question with gold", id_, sorted(available))
        size = len(questions) if self.sample is None else self.sample
        size = size if self.limit is None else self.limit
        return self if self.ids or size < len(questions) else ALL_QUESTIONS

    def select(self, questions: Sequence[Question]) -> list[Question]:
        """The chosen questions in their order."""
        if self.ids:
            return [question for question in questions if question.id in set(self.ids)]
        if self.sample is not None:
            generator = random.Random(self.seed)  # noqa: S311
            places = sorted(generator.sample(range(len(questions)), self.sample))
            return [questions[place] for place in places]
        return list(questions[: self.limit])

    @property
    def words(self) -> str:
        """How the questions were chosen; "" for all that have gold."""
        if self.ids:
            return f"{count(len(self.ids), 'question')} {self.origin}"
        if self.sample is not None:
            return f"{self.sample} drawn with seed {self.seed}"
        return "" if self.limit is None else f"the first {self.limit}"


class ReaderChoice(NamedTuple):
    """The reader, the language model of the reader "llm" (None: that of the environment), and
    whether every run writes an answer.
    """

    reader: str = "local"
    model: Spec | None = None
    answer: bool = False


ALL_QUESTIONS, LOCALLY = QuestionChoice(), ReaderChoice()


@dataclass(frozen=True, slots=True)
class Definition:
    """An evaluation before any run."""

    collection: str
    questions: tuple[str, ...]  # ids
    methods: tuple[str, ...]  # words as `variant` parses them
    ks: tuple[int, ...] = KS
    triples: str | None = None
    reader: str = "local"
    model: str = ""  # the Spec of a language model as JSON; "": none
    key_from: str = ""
    answer: bool = False
    choice: QuestionChoice = ALL_QUESTIONS
    before: Mapping[str, Mapping[str, Ranks]] = field(default_factory=dict)
    # by method and question, when the questions were picked to be measured again (question_set)

    @property
    def spec(self) -> Spec | None:
        """The language model."""
        return Spec.from_json(self.model, self.key_from) if self.model else None

    def request(self, words: str, question: str) -> RunRequest:
        """The run of a question's text under a method, at the deepest cut-off."""
        method = variant(words)
        return RunRequest(
            question=question,
            collection=self.collection,
            method=method.method,
            triples=self.triples,
            settings=method.changes,
            k=max(self.ks),
            reader=self.reader,
            model=self.spec,
            options=Options(answer=self.answer),
        )

    def asks_model(self, words: str) -> bool:
        """Whether a language model is called under this method."""
        method = variant(words)
        calls = self.answer or most_calls(method.method, method.config, max(self.ks))
        return self.reader == LLM_READER and bool(calls)

    @property
    def needs_model(self) -> bool:
        """Whether a language model is called under any of the methods."""
        return self.reader == LLM_READER and any(map(self.asks_model, self.methods))

    def with_methods(self, methods: Sequence[str]) -> Definition:
        """A copy with other methods. Raises BadInput or Unknown."""
        return replace(self, methods=_checked(methods))

    def to_json(self) -> dict[str, Any]:
        """Fields as they are stored; the collection is a column."""
        names = [field_.name for field_ in fields(self) if field_.name != "collection"]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, collection: str, stored: Mapping[str, Any]) -> Definition:
        """The inverse of `to_json`."""
        values = dict(stored)
        values |= {name: tuple(stored[name]) for name in ("questions", "methods", "ks")}
        limit, sample, seed, ids, origin = stored["choice"]
        return cls(
            collection,
            **values | {"choice": QuestionChoice(limit, sample, seed, tuple(ids), origin)},
        )


def define(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    ks: Sequence[int] = KS,
    triples: str | None = None,
    chosen: QuestionChoice = ALL_QUESTIONS,
    reading: ReaderChoice = LOCALLY,
) -> Definition:
    """A definition with names as they resolve now: the active triple set, the environment's model.
    Questions without gold have no recall and are left out.

    Raises NotReady if no question has gold, BadInput or Unknown for wrong names and numbers.
    """
    check_reader(reading.reader, reading.model)
    spec = spec_for(reading.model) if reading.reader == LLM_READER else None
    questions = workspace.collections.questions(collection)
    questions = [question for question in questions if question.supporting_keys]
    if not questions:
        raise NotReady(
            f"No question of {collection!r} has gold passages. Import a question set, or mark some."
        )
    choice = chosen.among(questions)
    active = workspace.collections.get(collection).active
    return Definition(
        collection=collection,
        questions=tuple(question.id for question in choice.select(questions)),
        methods=_checked(methods),
        ks=tuple(sorted(set(ks))),
        triples=active.name if triples is None and active else triples,
        reader=reading.reader,
        model=spec.to_json() if spec else "",
        key_from=spec.key_from if spec else "",
        answer=reading.answer,
        choice=choice,
    )


def listed(ids: Sequence[str]) -> str:
    """Ids with commas between, as `--questions` takes them: in quotes if an id has a comma, a quote
    or blanks at its ends, or looks like a file.
    """
    plain = not any(
        {",", '"', "\n", "\r"} & set(id_) or id_ != id_.strip() or id_[:1] == "@" for id_ in ids
    )
    if plain:
        return ",".join(ids)
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="").writerow(ids)
    return line.getvalue()


def cutoffs(text: str) -> list[int]:
    """`5, 10,15` as numbers. Raises BadInput."""
    numbers = [part.strip() for part in text.split(",") if part.strip()]
    if not numbers or not all(part.isdecimal() and int(part) for part in numbers):
        raise BadInput(f"Cut-offs are numbers such as 5,10,15, not {text!r}")
    return sorted({int(part) for part in numbers})


def _checked(methods: Sequence[str]) -> tuple[str, ...]:
    """Words of the methods as they are stored, without repetitions. Raises BadInput or Unknown."""
    result = tuple(dict.fromkeys(str(variant(words)) for words in methods))
    if not result:
        raise BadInput("No method is named. As in: hybrid, gear, gear width=5")
    if len(result) > MOST_METHODS:
        raise BadInput(
            f"{len(result):,} methods are too many for one evaluation; at most {MOST_METHODS} are"
            " taken. Sweep over fewer values."
        )
    return result
