"""Questions that a collection suggests of itself: two facts of two passages that share a thing make
a question of two hops, with its answer and its gold. Where too few do, one
fact makes a question that one passage answers.

Pure: `suggest` takes triples and passages and knows no store, no model and no screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gear_app.language.english import looks_english
from gear_app.suggestions.pairs import FactPairs, Suggestion
from gear_app.text import normalise_entity
from gear_app.types import Passage, Triple

SAMPLE = 100_000  # characters of a collection that tell its language
ALIKE = 0.5  # what a question of the same two predicates as one before it loses
SAME_PASSAGE = 0.2  # what it loses for each of its passages that one before it has

__all__ = ["Suggestion", "suggest"]


def suggest(
    triples: Sequence[Triple], passages: Sequence[Passage], limit: int = 10
) -> list[Suggestion]:
    """The best questions, of different answers, things and, as long as there are, passages; those
    that one passage answers last.
    """
    english = [passage for passage in passages if looks_english(passage.text)]
    # A form has too few words to say its language; all of them together have enough.
    forms = looks_english("\n".join(passage.text for passage in passages)[:SAMPLE])
    pairs = FactPairs(triples, english, forms=forms)
    of_two = best(list(pairs.questions()), limit)
    return [*of_two, *best(list(pairs.single_questions()), limit - len(of_two))]


def best(found: Sequence[Suggestion], limit: int) -> list[Suggestion]:
    """The best, one after another: none asks for another's answer, and one that is put like those
    before it, or has their passages, has to be better.
    """
    left = sorted(found, key=lambda one: (-one.score, one.question))
    chosen: list[Suggestion] = []
    forms: Counter[tuple[str, ...]] = Counter()
    passages: Counter[str] = Counter()

    def worth(one: Suggestion) -> float:
        again = sum(passages[key] for key in one.keys)
        return one.score - ALIKE * forms[_form(one)] - SAME_PASSAGE * again

    while left and len(chosen) < limit:
        suggestion = max(left, key=worth)
        chosen.append(suggestion)
        forms[_form(suggestion)] += 1
        passages.update(suggestion.keys)
        told = {normalise_entity(one.answer) for one in chosen}
        told |= {normalise_entity(one.bridge) for one in chosen}
        left = [one for one in left if normalise_entity(one.answer) not in told]
    return chosen


def _form(one: Suggestion) -> tuple[str, ...]:
    return tuple(triple.predicate for triple in one.triples)
