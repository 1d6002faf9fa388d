"""Questions that somebody picked to be measured again after a fix, and the effect of the fix.

A set is an evaluation of these questions that stores the ranks of their gold passages from the time
when it was made. Its runs are made again if passages, triples, gold or a method's version changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gear_app.annotation.record import Case
from gear_app.core.errors import NotReady
from gear_app.core.text import normalise_entity
from gear_app.core.types import Question
from gear_app.evaluation.comparison import tested_difference
from gear_app.evaluation.definition import Definition, QuestionChoice, Ranks
from gear_app.evaluation.evaluation import DIGITS, Evaluation, ranks_by_question
from gear_app.evaluation.measures import PLACE, ranks_of
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.variants import is_file
from gear_app.store.rows import RunInfo
from gear_app.trace.metrics import without_itself
from gear_app.workspace.runs.annotations import case_of
from gear_app.workspace.workspace import Workspace


def ranks_before(evaluation: Evaluation) -> pd.DataFrame:
    """Gold passages with their rank `before`, of questions that have the same gold as then."""
    places = {
        (method, question): ranks
        for method, of_method in evaluation.before.items()
        for question, ranks in of_method.items()
    }
    gold = evaluation.gold
    keys = gold.groupby(PLACE)["key"].agg(set)
    unchanged = {place for place, ranks in places.items() if keys.get(place) == set(ranks)}
    gold = gold[[place in unchanged for place in zip(*(gold[name] for name in PLACE), strict=True)]]
    before = [
        places[method, question][key] for method, question, key in gold[[*PLACE, "key"]].to_numpy()
    ]
    ranks = pd.Series(before, gold.index, dtype=float).fillna(np.inf)
    return gold.assign(before=ranks)


def before_after(evaluation: Evaluation, k: int) -> list[dict[str, Any]]:
    """Recall at k when a set was made and now, a row a method; [] for an evaluation that is no set.
    `n` questions have both, of `picked` ones; gold passages that were missed and are not any more
    are `found`, those that are missed now `lost`; `p` of the paired test is None if runs failed.
    """
    result = []
    for method, gold in ranks_before(evaluation).groupby("method", sort=False):
        hits = pd.DataFrame({"before": gold["before"] <= k, "after": gold["rank"] <= k})
        recall = hits.groupby(gold["question"], sort=False).mean()
        complete = (recall == 1).mean()
        difference = (recall["after"] - recall["before"]).to_numpy()
        tested = evaluation.failed_of(method).empty
        row = {"method": method, "n": len(recall), "picked": len(evaluation.before[method])}
        row |= {name: round(float(recall[name].mean()), DIGITS) for name in recall}
        row |= tested_difference(difference, tested=tested)
        row |= {"found": int((~hits["before"] & hits["after"]).sum())}
        row |= {"lost": int((hits["before"] & ~hits["after"]).sum())}
        result.append(
            row | {f"all_{name}": round(float(complete[name]), DIGITS) for name in recall}
        )
    return result


def of_evaluation(workspace: Workspace, id_: str, questions: Sequence[str]) -> Definition:
    """Some questions of an evaluation as a set, with its methods and settings."""
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    ids = tuple(id_ for id_ in definition.questions if id_ in set(questions))
    choice = QuestionChoice(ids=ids, origin=f"picked from evaluation {id_}")
    before = {}
    for method in evaluation.methods:
        ranks = ranks_by_question(evaluation.gold_of(method))
        picked = {question: ranks[question] for question in ids if question in ranks}
        if picked and not is_file(method):
            before[method] = picked
    return replace(definition, questions=ids, choice=choice, before=before)


def of_runs(workspace: Workspace, collection: str, runs: Sequence[RunInfo]) -> Definition:
    """The questions of runs as a set, with their methods and settings. Triples, reader and model
    are theirs if all have the same, else the active triples and the local reader. Raises NotReady
    if none of the questions is in the collection's question set.
    """
    by_text: dict[str, Question] = {
        normalise_entity(question.question): question
        for question in workspace.collections.questions(collection)
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
        keys = without_itself(workspace.store.events.ranked_keys(run.number), itself)
        ranks = ranks_of(keys, question.supporting_keys)
        before.setdefault(method_words(case_of(run)), {})[question.id] = ranks
    named = {question for ranks_of_method in before.values() for question in ranks_of_method}
    ids = tuple(question.id for question in by_text.values() if question.id in named)
    choice = QuestionChoice(ids=ids, origin="picked on Annotate")
    shared = _shared(in_set)
    return Definition(collection, ids, tuple(before), choice=choice, before=before, **shared)


def _shared(runs: Sequence[RunInfo]) -> Mapping[str, Any]:
    """Triples, reader and model that all of these runs have in common."""
    sets = {run.triple_set for run in runs if run.triple_set}
    result: dict[str, Any] = {"triples": sets.pop() if len(sets) == 1 else None}
    readers = {(run.reader, run.model, run.key_from) for run in runs}
    if len(readers) == 1:
        result |= dict(zip(("reader", "model", "key_from"), readers.pop(), strict=True))
    return result


def method_words(case: Case) -> str:
    """A case's method as an evaluation names it, with its settings."""
    return " ".join([case.method, *(f"{name}={value}" for name, value in case.settings)])
