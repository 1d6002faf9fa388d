"""Questions of one passage, for a collection none of whose passages lead to one another: what one
triple says, asked for one of its sides. "Henry Ward" of "Mill House | was built by | Henry Ward" is
the answer to "Who built the Mill House?".
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.english.answer_types import is_date
from gear_app.suggestions.clauses import asking_object
from gear_app.suggestions.names import KnownNames, is_name
from gear_app.suggestions.pairs import (
    LONGEST,
    TripleFact,
    fact_of,
    meaningful,
    open_sides,
    with_article,
)
from gear_app.suggestions.suggestion import Suggestion
from gear_app.text import tokenise
from gear_app.types import Passage, Triple

SHORTEST = 4  # words of a question
LITERAL = 0.5  # how closely its sentence has a triple's words, at least


def single_questions(triples: Sequence[Triple], passages: Sequence[Passage]) -> list[Suggestion]:
    """All questions that single triples of these English passages make: what names something is
    asked for what is said of it, where only one thing is.
    """
    by_id = {passage.id: passage for passage in passages}
    there = [triple for triple in triples if triple.passage_id in by_id]
    names = KnownNames.of(there, list(by_id.values()))
    others = open_sides(there)
    found = []
    for triple in there:
        fact = fact_of(triple, by_id)
        if fact is None or fact.literal < LITERAL or not is_name(triple.subject):
            continue
        if len(others[fact.subject, triple.predicate, ""]) > 1:
            continue
        made = _suggestion(fact, by_id[triple.passage_id], names)
        if made is not None:
            found.append(made)
    return found


def _suggestion(fact: TripleFact, passage: Passage, names: KnownNames) -> Suggestion | None:
    answer, subject = fact.triple.object, with_article(fact.triple.subject, passage)
    if not (is_name(answer) or is_date(answer)):
        return None
    question = asking_object(fact.relation, phrase=subject, answer=answer, names=names)
    words = tokenise(question)
    if not SHORTEST <= len(words) <= LONGEST or meaningful(answer) & set(words):
        return None
    score = fact.literal - question.startswith("What ") - 0.05 * abs(len(words) - 7)
    triples, keys = (fact.triple,), (passage.key,)
    return Suggestion(question, answer, "", triples, keys, round(score, 3))
