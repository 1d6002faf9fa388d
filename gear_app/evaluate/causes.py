"""What lost every gold passage that an evaluation's methods miss (analysis.lost)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.counts import GoldAnswer, causes, steps
from gear_app.analysis.lost import Cause, WhyNot
from gear_app.analysis.rankings import within
from gear_app.errors import GearError
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.selection import Pick
from gear_app.workspace import Workspace


def gold_answers(workspace: Workspace, evaluation: Evaluation, k: int) -> list[GoldAnswer]:
    """The answer for every gold passage of every question and method, found or not, method by
    method; none of a run that failed. From what is stored, no model is loaded. A run file has no
    events that could tell, and no answers.
    """
    questions = {one.id: one for one in evaluation.questions}
    found = []
    for row in evaluation.rows:
        keys = dict.fromkeys(questions[row.id].supporting_keys)
        for key, rank in zip(keys, row.ranks, strict=True) if row.run else ():
            if within(rank, k):
                answer: WhyNot | None = WhyNot(key, key, k, rank, Cause.FOUND)
            else:
                answer = _answer(workspace, row.run, key, k)
            if answer is not None:
                found.append(GoldAnswer(row.id, row.method, answer))
    return found


def _answer(workspace: Workspace, run: str, key: str, k: int) -> WhyNot | None:
    try:
        return workspace.why_not.explain(run, key, k, deep=False)
    except GearError:  # of a collection that is gone
        return None


def counted(workspace: Workspace, evaluation: Evaluation) -> dict[str, Any]:
    """As `eval --causes --json` prints it, by cut-off and method: how many gold passages each cause
    lost, and how many each pair of last good and first failing step, "read > link".
    """
    found: dict[str, Any] = {}
    for k in evaluation.ks:
        answers = gold_answers(workspace, evaluation, k)
        found[str(k)] = {
            method: {
                "causes": {cause.value: number for cause, number in of_method.items()},
                "steps": {
                    " > ".join(pair): number for pair, number in steps(answers, method).items()
                },
            }
            for method, of_method in causes(answers).items()
        }
    return found


def behind(answers: Sequence[GoldAnswer], pick: Pick) -> list[GoldAnswer]:
    """The passages behind a number: those that a cause lost, all that were missed, those with a
    pair of last good and first failing step, "read > link", or those with a cause and what became
    of them under another method.
    """
    mine = [one for one in answers if one.method == pick.method]
    if pick.kind == "cause":
        return [one for one in mine if one.answer.cause == pick.what]
    lost = [one for one in mine if one.answer.cause is not Cause.FOUND]
    if pick.kind == "missed":
        return lost
    if pick.kind == "fate":
        return _with_fate(answers, mine, pick.what)
    return [one for one in lost if pair_words(one.answer) == pick.what]


def _with_fate(
    answers: Sequence[GoldAnswer], mine: Sequence[GoldAnswer], what: str
) -> list[GoldAnswer]:
    """The passages with a cause under one method and one under another, "cause > cause > method":
    each under the method that lost it, the first where both did.
    """
    cause, _, rest = what.partition(" > ")
    other_cause, _, other = rest.partition(" > ")
    theirs = {
        (one.question, one.answer.key): one
        for one in answers
        if one.method == other and one.answer.cause == other_cause
    }
    there = [
        (one, theirs[one.question, one.answer.key])
        for one in mine
        if one.answer.cause == cause and (one.question, one.answer.key) in theirs
    ]
    return [its if one.answer.cause is Cause.FOUND else one for one, its in there]


def pair_words(answer: WhyNot) -> str:
    """The last step that a passage passed and the first that lost it; "" for a found one."""
    if answer.lost is None:
        return ""
    return f"{answer.last_good.step if answer.last_good else ''} > {answer.lost.step}"
