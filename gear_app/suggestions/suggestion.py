"""A suggested question, and the choice of the best that differ from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.text import normalise_entity
from gear_app.types import Triple

ALIKE = 0.5  # what a question of the same two predicates as one before it loses
SAME_PASSAGE = 0.2  # what it loses for each of its passages that one before it has
LEAST = -0.5  # score; what is below reads badly


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question with its answer, and the two triples it is made of, or the one: gold are their
    passages.

    `score` orders suggestions; `bridge` is the entity in the middle, which the question leaves out;
    "" where it is made of one triple.
    What is read from a form or a table, and not from the triples of a collection, has the id 0.
    """

    question: str
    answer: str
    bridge: str
    triples: tuple[Triple, ...]
    keys: tuple[str, ...]
    score: float


def best(found: Sequence[Suggestion], limit: int) -> list[Suggestion]:
    """The best, one after another: none asks for another's answer or goes through another's entity,
    and one that is put like those before it, or has their passages, has to be better.
    """
    ordered = sorted(found, key=lambda one: (-one.score, one.question))
    left = [one for one in ordered if one.score > LEAST]
    kept: list[Suggestion] = []
    forms: Counter[tuple[str, ...]] = Counter()
    passages: Counter[str] = Counter()

    def worth(one: Suggestion) -> float:
        again = sum(passages[key] for key in one.keys)
        return one.score - ALIKE * forms[_form(one)] - SAME_PASSAGE * again

    while left and len(kept) < limit:
        chosen = max(left, key=worth)
        kept.append(chosen)
        forms[_form(chosen)] += 1
        passages.update(chosen.keys)
        used = _sides(chosen)
        left = [one for one in left if not used & _sides(one)]
    return kept


def _form(one: Suggestion) -> tuple[str, ...]:
    return tuple(triple.predicate for triple in one.triples)


def _sides(one: Suggestion) -> set[str]:
    return {normalise_entity(one.answer), normalise_entity(one.bridge)} - {""}
