"""Counts over many runs: causes a method, last good step to first failing step, and what became of
one method's losses under another. Pure: answers in, numbers out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gear_app.analysis.lost import Cause, WhyNot


class GoldAnswer(NamedTuple):
    """The answer for one gold passage of one question under one method."""

    question: str
    method: str
    answer: WhyNot


class StepPair(NamedTuple):
    """The last step that a passage passed, "" for none, and the first that lost it."""

    last_good: str
    failing: str


class Fate(NamedTuple):
    """Cause that lost a passage under one method, and its cause under another."""

    cause: Cause
    other: Cause


def causes(answers: Iterable[GoldAnswer]) -> dict[str, dict[Cause, int]]:
    """How many gold passages each cause lost, by method in the order they come; causes in the order
    of the steps, those that lost none left out. A method that lost nothing has no causes.
    """
    counted: dict[str, Counter[Cause]] = {}
    for one in answers:
        of_method = counted.setdefault(one.method, Counter())
        of_method[one.answer.cause] += one.answer.cause is not Cause.FOUND
    return {
        method: {cause: number[cause] for cause in Cause if number[cause]}
        for method, number in counted.items()
    }


def steps(answers: Iterable[GoldAnswer], method: str) -> dict[StepPair, int]:
    """How many of a method's losses have each pair of last good and first failing step."""
    pairs = (_pair(one.answer) for one in answers if one.method == method)
    return dict(Counter(pair for pair in pairs if pair))


def _pair(answer: WhyNot) -> StepPair | None:
    if answer.lost is None:
        return None
    return StepPair(answer.last_good.step if answer.last_good else "", answer.lost.step)


def flow(answers: Sequence[GoldAnswer], method: str, other: str) -> dict[Fate, int]:
    """For the passages that either of two methods lost and both were asked about: the cause under
    the first, FOUND for one that it has, and under the second, in the order of the steps.
    """
    first, second = _by_passage(answers, method), _by_passage(answers, other)
    fates = Counter(
        Fate(cause, second[passage]) for passage, cause in first.items() if passage in second
    )
    order = list(Cause)
    found = {fate: number for fate, number in fates.items() if set(fate) != {Cause.FOUND}}
    return dict(sorted(found.items(), key=lambda pair: [order.index(one) for one in pair[0]]))


def _by_passage(answers: Sequence[GoldAnswer], method: str) -> Mapping[tuple[str, str], Cause]:
    return {
        (one.question, one.answer.key): one.answer.cause for one in answers if one.method == method
    }
