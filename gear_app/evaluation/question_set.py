"""Questions that somebody picked to be measured again after a fix, and the effect of the fix.

A set is an evaluation of these questions that stores the ranks of their gold passages from the time
when it was made. Its runs are made again if passages, triples, gold or a method's version changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gear_app.core.errors import NotReady
from gear_app.core.text import normalise_entity
from gear_app.core.types import Question
from gear_app.evaluation.comparison import tested_difference
from gear_app.evaluation.definition import Definition, QuestionChoice, Ranks
from gear_app.evaluation.evaluation import Evaluation, ranks_by_place
from gear_app.evaluation.frames import PLACE, measure_by_question, ranks_of
from gear_app.evaluation.service import EvaluationService
from gear_app.store.rows import RunInfo
from gear_app.trace.metrics import without_itself
from gear_app.workspace.runs.annotations import case_of
from gear_app.workspace.workspace import Workspace


def ranks_before(evaluation: Evaluation) -> pd.DataFrame:
    """Gold passages with their rank `before`, of questions that have the same gold as then."""
    rows = [
        (method, question, key, rank or np.inf)
        for method, questions in evaluation.before.items()
        for question, ranks in questions.items()
        for key, rank in ranks.items()
    ]
    before = pd.DataFrame(rows, columns=[*PLACE, "key", "before"]).astype({"before": float})
    both = evaluation.gold.merge(before, on=[*PLACE, "key"], how="outer", indicator=True)
    both["same"] = both["_merge"] == "both"
    unchanged = both[both.groupby(PLACE)["same"].transform("all")]
    return evaluation.gold.merge(unchanged[[*PLACE, "key", "before"]])


def differences(evaluation: Evaluation, k: int) -> dict[str, dict[str, Any]]:
    """The change of a question set's recall by method: over `n` questions, of the `picked` ones,
    that have both, with its interval, and `p` of the paired test, None if runs failed.
    """
    gold = ranks_before(evaluation)
    change = measure_by_question(gold, f"recall@{k}") - measure_by_question(
        gold, f"recall@{k}", "before"
    )
    return {
        str(method): {
            "n": len(values),
            "picked": len(evaluation.before[str(method)]),
            **tested_difference(values, tested=method not in set(evaluation.failed["method"])),
        }
        for method, values in change.groupby("method", sort=False)
    }


def of_evaluation(workspace: Workspace, id_: str, questions: Sequence[str]) -> Definition:
    """Some questions of an evaluation as a set, with its methods and settings."""
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    ids = tuple(id_ for id_ in definition.questions if id_ in set(questions))
    choice = QuestionChoice(ids=ids, origin=f"picked from evaluation {id_}")
    before: dict[str, dict[str, Ranks]] = {}
    for (method, question), ranks in ranks_by_place(evaluation.gold).items():
        if question in ids and method in definition.methods:
            before.setdefault(method, {})[question] = ranks
    return replace(definition, questions=ids, choice=choice, before=before)


def of_runs(workspace: Workspace, collection: str, runs: Sequence[RunInfo]) -> Definition:
    """The questions of runs as a set, with their methods and settings, and the triples, reader
    and model of the first. Raises NotReady if none of the questions is in the collection's question
    set.
    """
    by_text: dict[str, Question] = {
        normalise_entity(question.question): question
        for question in workspace.collections[collection].questions()
        if question.supporting_keys
    }
    in_set = [run for run in runs if normalise_entity(run.question) in by_text]
    if not in_set:
        raise NotReady(
            f"None of these questions is in the question set of {collection!r}. Add them on the"
            " page Collections, with their gold."
        )
    before: dict[str, dict[str, Ranks]] = {}
    in_corpus = EvaluationService(workspace).questions_in_corpus(collection)
    for run in in_set:
        question = by_text[normalise_entity(run.question)]
        itself = question.id if question.id in in_corpus else ""
        ranking = [key for key, _ in workspace.store.events.ranking(run.number)]
        keys = without_itself(ranking, itself)
        ranks = ranks_of(keys, question.supporting_keys)
        case = case_of(run)
        words = [case.method, *(f"{name}={value}" for name, value in case.settings)]
        before.setdefault(" ".join(words), {})[question.id] = ranks
    named = {question for questions in before.values() for question in questions}
    ids = tuple(question.id for question in by_text.values() if question.id in named)
    return Definition(
        collection,
        tuple(before),
        ids,
        triples=next((run.triple_set for run in in_set if run.triple_set), None),
        reader=in_set[0].reader,
        model=in_set[0].model,
        key_from=in_set[0].key_from,
        choice=QuestionChoice(ids=ids, origin="picked on Annotate"),
        before=before,
    )
