"""Definition of an evaluation: questions, methods with settings, and what is common to all runs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pydantic import TypeAdapter

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

    def select(self, questions: Sequence[Question]) -> list[Question]:
        """The chosen questions in their order. Raises Unknown for an id that is not among them."""
        by_id = {question.id: question for question in questions}
        for id_ in self.ids:
            if id_ not in by_id:
                raise Unknown("question with gold", id_, sorted(by_id))
        if self.ids:
            return [question for question in questions if question.id in self.ids]
        if self.sample is not None and self.sample < len(questions):
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


ALL_QUESTIONS = QuestionChoice()


@dataclass(frozen=True, slots=True)
class Definition:
    """An evaluation before any run."""

    collection: str
    methods: tuple[str, ...] = ()  # words as `variant` parses them
    questions: tuple[str, ...] = ()  # ids
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

    @property
    def needs_model(self) -> bool:
        """Whether a language model is called under any of the methods."""
        parsed = map(variant, self.methods)
        calls = [most_calls(method.method, method.config, max(self.ks)) for method in parsed]
        return self.reader == LLM_READER and (self.answer or any(calls))

    def with_methods(self, methods: Sequence[str]) -> Definition:
        """A copy with other methods, without repetitions. Raises BadInput or Unknown."""
        words = tuple(dict.fromkeys(str(variant(method)) for method in methods))
        if not words:
            raise BadInput("No method is named. As in: hybrid, gear, gear width=5")
        return replace(self, methods=words)

    def to_json(self) -> dict[str, Any]:
        """Fields as they are stored; the collection is a column."""
        stored: dict[str, Any] = _JSON.dump_python(self, mode="json", exclude={"collection"})
        return stored

    @classmethod
    def from_json(cls, collection: str, stored: Mapping[str, Any]) -> Definition:
        """The inverse of `to_json`."""
        return _JSON.validate_python({**stored, "collection": collection})


_JSON = TypeAdapter(Definition)


def define(workspace: Workspace, draft: Definition, model: Spec | None = None) -> Definition:
    """A definition with its questions, and names as they resolve now: the active triple set, the
    environment's model if none is given. Questions without gold have no recall and are left out.

    Raises NotReady if no question has gold, BadInput or Unknown for wrong names and numbers.
    """
    check_reader(draft.reader, model)
    spec = spec_for(model) if draft.reader == LLM_READER else None
    questions = workspace.collections[draft.collection].questions()
    questions = [question for question in questions if question.supporting_keys]
    if not questions:
        raise NotReady(
            f"No question of {draft.collection!r} has gold passages. Import a question set, or mark"
            " some."
        )
    chosen = draft.choice.select(questions)
    active = workspace.collections.get(draft.collection).active
    return replace(
        draft.with_methods(draft.methods),
        questions=tuple(question.id for question in chosen),
        ks=tuple(sorted(set(draft.ks))),
        triples=active.name if draft.triples is None and active else draft.triples,
        model=spec.to_json() if spec else "",
        key_from=spec.key_from if spec else "",
        choice=draft.choice if len(chosen) < len(questions) or draft.choice.ids else ALL_QUESTIONS,
    )


def cutoffs(text: str) -> tuple[int, ...]:
    """`5, 10,15` as numbers. Raises BadInput."""
    numbers = [part.strip() for part in text.split(",") if part.strip()]
    if not numbers or not all(part.isdecimal() and int(part) for part in numbers):
        raise BadInput(f"Cut-offs are numbers such as 5,10,15, not {text!r}")
    return tuple(map(int, numbers))
