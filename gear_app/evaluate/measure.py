"""Measure methods on a collection's questions: a question under a method is a stored run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gear_app.analysis.metrics import all_recall_at, found_at, recall_at, reciprocal_rank
from gear_app.errors import BadInput, Deleted, GearError, ModelFailed, NotReady
from gear_app.evaluate.evaluation import KS, Evaluation, Row, answer_scores
from gear_app.events import Event
from gear_app.llm.budget import Budget
from gear_app.llm.errors import BudgetReached
from gear_app.llm.server import Spec
from gear_app.models import check_reader
from gear_app.overrides import overridden
from gear_app.reader import LLM_READER
from gear_app.retrievers import config_for, most_calls
from gear_app.types import Question
from gear_app.workspace import EVALUATION, Answer, Options, Spent, Workspace


class Variant(NamedTuple):
    """A method with settings, as an evaluation names it: `gear`, `hipporag synonymy=false`.

    `settings` are those that are not its defaults.
    """

    method: str
    settings: Mapping[str, str]

    @property
    def config(self) -> Any:  # noqa: ANN401
        """The method's configuration with these settings. Raises BadInput or Unknown."""
        return overridden(config_for(self.method), self.settings)


def variant(words: str) -> Variant:
    """Take `method[:base] [setting=value ...]` apart.

    Raises BadInput or Unknown where a name or a value is wrong.
    """
    name, *pairs = words.split() or [""]
    settings = {}
    for pair in pairs:
        setting, equals, value = pair.partition("=")
        if not (setting and equals):
            raise BadInput(
                f"After the method come settings, as in 'hipporag synonymy=false', not {pair!r}"
            )
        settings[setting] = value
    found = Variant(name, settings)
    _ = found.config
    return found


Tell = Callable[[Row], None]


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What is the same for every question."""

    workspace: Workspace
    collection: str
    ks: Sequence[int]
    triples: str | None
    reader: str
    twice: bool
    model: Spec | None
    budget: Budget | None
    answer: bool

    def ask(self, question: str, method: Variant, reader: str = "") -> Answer:
        """A stored run at the deepest cut-off."""
        return self.workspace.ask(
            question,
            self.collection,
            method.method,
            triples=self.triples,
            reader=reader or self.reader,
            k=max(self.ks),
            settings=method.settings,
            owner=EVALUATION,
            model=self.model,
            budget=self.budget,
            options=Options(answer=self.answer),
        )

    def check_collection(self) -> None:
        """Raise Deleted where the collection is gone: no method is to blame for that."""
        if self.collection not in [info.name for info in self.workspace.collections.all()]:
            raise Deleted(
                self.collection, "methods were measured on it", "The runs made so far are kept."
            )

    @property
    def reached(self) -> str:
        """The sentence of the budget, where there is one that allows no more."""
        return self.budget.reached if self.budget else ""


def evaluate(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    ks: Sequence[int] = KS,
    triples: str | None = None,
    limit: int | None = None,
    reader: str = "local",
    twice: bool = False,
    model: Spec | None = None,
    budget: int | None = None,
    answer: bool = False,
    lazy: str = "",
    tell: Tell = lambda row: None,
) -> Evaluation:
    """Ask every question that has gold passages with every method, at k = max(ks).

    The ranking is cut at `ks`. A method can be followed by settings: `hipporag synonymy=false`.
    `twice`: the second of two runs is measured, so that no method pays for the vectors of texts
    that another one made before. Questions without gold (unanswerable ones) cannot have a recall
    and are left out. A run that fails counts as recall 0. `model` is what the reader "llm" asks, by
    default that of the environment; once `budget` tokens allow no other call, methods that make any
    are asked no more. With `answer` every run writes an answer and its bounds; EM and F1 are over
    the questions whose answers are known, and what the runs took is with their answers. Raises
    NotReady where no question has gold, Deleted where the collection goes meanwhile, BadInput for
    `lazy` extraction, and what a wrong name raises.
    """
    if lazy:
        raise BadInput(not_lazily(collection))
    check_reader(reader, model)
    questions = [
        question
        for question in workspace.collections.questions(collection)
        if question.supporting_keys
    ][:limit]
    if not questions:
        raise NotReady(
            f"No question of {collection!r} has gold passages. Import a question set, or mark some."
        )
    cap = None if budget is None else Budget(budget)
    conditions = _Conditions(workspace, collection, ks, triples, reader, twice, model, cap, answer)
    variants = {" ".join(words.split()): variant(words) for words in methods}
    for method in variants.values():
        # Models and arrays are loaded outside of what is timed, and a wrong name fails at once. A
        # language model is not asked for that: its replies would be kept, and the first question
        # have neither its time nor its cost.
        with contextlib.suppress(ModelFailed):  # which is counted below
            conditions.ask(questions[0].question, method, "local")
    rows: list[Row] = []
    unmeasured: dict[str, tuple[str, ...]] = {}
    failure = ""
    for name, method in variants.items():
        asks = _asks(conditions, method)
        for n, question in enumerate(questions):
            if not (asks and conditions.reached):
                row = _row(conditions, question, name, method)
                failure = failure or row.failure
            if asks and conditions.reached:  # which may have stopped this very run
                unmeasured[name] = tuple(left.id for left in questions[n:])
                break
            rows.append(row)
            tell(row)
    return Evaluation(
        collection,
        tuple(variants),
        tuple(rows),
        unmeasured,
        conditions.reached,
        tuple(ks),
        answer,
        failure,
    )


def not_lazily(collection: str) -> str:
    """Why nothing is extracted while methods are measured, and what to do."""
    return (
        "An evaluation does not extract on its way: the questions that are asked later would find"
        " more triples than those before them. Extract first: gear-app extract --collection"
        f" {collection}"
    )


def _asks(conditions: _Conditions, method: Variant) -> bool:
    """Whether a language model is asked."""
    return conditions.reader == LLM_READER and bool(
        conditions.answer or most_calls(method.method, method.config, max(conditions.ks))
    )


def _row(conditions: _Conditions, question: Question, name: str, method: Variant) -> Row:
    """A question's row; it does not count where the budget stopped the run."""
    run, ranking, ms, spent, error, broke = "", [], 0.0, Spent(), "", ""
    happened: Sequence[Event] = ()
    try:
        if conditions.twice:
            conditions.ask(question.question, method)
        answer = conditions.ask(question.question, method)
    except GearError as failure:
        conditions.check_collection()
        error = str(failure)
        server = isinstance(failure, ModelFailed) and not isinstance(failure, BudgetReached)
        broke = error if server else ""
        newest = conditions.workspace.runs.recent(conditions.collection, limit=1)
        last = [r for r in newest if (r.question, r.method) == (question.question, method.method)]
        run, spent = (last[0].id, last[0].spent) if last else (run, spent)
    else:
        run, ms, spent, broke = answer.run, answer.ms, answer.spent, answer.failure
        ranking, happened = [line.key for line in answer.ranking], answer.events
    gold = question.supporting_keys
    return Row(
        id=question.id,
        method=name,
        run=run,
        gold=len(dict.fromkeys(gold)),
        found={k: found_at(ranking, gold, k) for k in conditions.ks},
        recall={k: recall_at(ranking, gold, k) for k in conditions.ks},
        all_recall={k: all_recall_at(ranking, gold, k) for k in conditions.ks},
        reciprocal_rank=reciprocal_rank(ranking, gold),
        ms=ms,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        error=error,
        calls=spent.calls,
        kept=spent.kept,
        unusable=spent.unusable,
        cost=spent.cost,
        scores=answer_scores(happened, question.answers) if conditions.answer else {},
        failure=broke,
    )
