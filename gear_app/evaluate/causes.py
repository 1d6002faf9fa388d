"""The cause of every gold passage that an evaluation's methods miss (analysis.lost)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.counts import GoldAnswer, causes, steps
from gear_app.analysis.lost import Cause, WhyNot
from gear_app.errors import GearError
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.selection import Pick
from gear_app.workspace import Workspace


def gold_answers(workspace: Workspace, evaluation: Evaluation, k: int) -> list[GoldAnswer]:
    """The answer for every gold passage of every question and method, hit or missed, method by
    method; from stored events, without loading a model. None for run files, which have no events,
    and for failed runs.
    """
    result = []
    for method in evaluation.methods:
        runs, gold = evaluation.of(method)["run"], evaluation.gold_of(method)
        for question, key, rank in gold[["question", "key", "rank"]].itertuples(index=False):
            answer: WhyNot | None = None
            if rank <= k:
                answer = WhyNot(key, key, k, int(rank), Cause.FOUND)
            elif runs[question]:
                answer = _answer(workspace, runs[question], key, k)
            if answer is not None and runs[question]:
                result.append(GoldAnswer(question, method, answer))
    return result


def _answer(workspace: Workspace, run: str, key: str, k: int) -> WhyNot | None:
    try:
        return workspace.why_not.explain(run, key, k, deep=False)
    except GearError:  # its collection was deleted
        return None


def counted(workspace: Workspace, evaluation: Evaluation) -> dict[str, Any]:
    """The causes of `eval --causes --json` by cut-off and method: how many gold passages each cause
    lost, and how many each pair of last good and first failing step, "read > link".
    """
    result: dict[str, Any] = {}
    for k in evaluation.ks:
        answers = gold_answers(workspace, evaluation, k)
        result[str(k)] = {
            method: {
                "causes": {cause.value: number for cause, number in of_method.items()},
                "steps": {
                    " > ".join(pair): number for pair, number in steps(answers, method).items()
                },
            }
            for method, of_method in causes(answers).items()
        }
    return result


def behind(answers: Sequence[GoldAnswer], pick: Pick) -> list[GoldAnswer]:
    """The passages behind a number: lost by a cause, all missed, with a pair of last good and first
    failing step, or with a cause under each of two methods.
    """
    of_method = [gold for gold in answers if gold.method == pick.method]
    if pick.kind == "fate":
        return _with_fate(answers, of_method, pick.what)
    missed = [gold for gold in of_method if gold.answer.cause is not Cause.FOUND]
    if pick.kind == "cause":
        return [gold for gold in missed if gold.answer.cause == pick.what]
    if pick.kind == "pair":
        return [gold for gold in missed if pair_words(gold.answer) == pick.what]
    return missed


def _with_fate(
    answers: Sequence[GoldAnswer], of_method: Sequence[GoldAnswer], fate: str
) -> list[GoldAnswer]:
    """Passages with a cause under one method and one under another, "cause > cause > method": each
    under the method that lost it, the first if both did.
    """
    cause, _, rest = fate.partition(" > ")
    other_cause, _, other = rest.partition(" > ")
    others = {
        (gold.question, gold.answer.key): gold
        for gold in answers
        if gold.method == other and gold.answer.cause == other_cause
    }
    pairs = [
        (gold, others[gold.question, gold.answer.key])
        for gold in of_method
        if gold.answer.cause == cause and (gold.question, gold.answer.key) in others
    ]
    return [second if first.answer.cause is Cause.FOUND else first for first, second in pairs]


def pair_words(answer: WhyNot) -> str:
    """The last step that kept a passage and the first that lost it; "" for a hit."""
    if answer.lost is None:
        return ""
    return f"{answer.last_good.step if answer.last_good else ''} > {answer.lost.step}"
