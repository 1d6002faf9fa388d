"""Which of a collection's questions a newcomer begins with."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.text import count
from gear_app.types import Question

SUGGESTED = 3


def beginnings(questions: Sequence[Question], shown: str) -> list[tuple[Question, str]]:
    """Questions to begin with, other than the one shown, each with where its answer stands: one
    that needs three passages, one that needs two, one whose answer is not in the collection; where
    there are no such, the first ones.
    """
    others = [one for one in questions if one.question != shown]
    answered = [one for one in others if one.supporting_keys]
    by_passages = {len(set(one.supporting_keys)): one for one in reversed(answered)}
    nowhere = next((one for one in others if one.type == "unanswerable"), None)
    wanted = [by_passages[needed] for needed in (3, 2) if needed in by_passages]
    rest = [one for one in others if one is not nowhere]
    picked = list(dict.fromkeys([*wanted, *rest]))[: SUGGESTED - bool(nowhere)]
    return [(one, _where(one)) for one in [*picked, *filter(None, [nowhere])]]


def _where(question: Question) -> str:
    if question.supporting_keys:
        return count(len(set(question.supporting_keys)), "passage")
    return "nowhere: see how it says so" if question.type == "unanswerable" else ""
