"""What a fact that closes a query answers: a name or value of the kind asked for, or nothing."""

from __future__ import annotations

import re

from gear_app.core.types import ProximalTriple, Triple
from gear_app.language.answer_types import (
    AnswerType,
    answer_type,
    asked_part,
    is_country,
    is_date,
    is_number,
    suits,
)
from gear_app.language.query import Query
from gear_app.language.questions import asked_noun
from gear_app.language.relations import direction
from gear_app.language.verbs import root, roots
from gear_app.language.words import AUXILIARIES, content, word_set, words
from gear_app.models.reader.comparisons import asks_more, asks_time, order
from gear_app.models.reader.kinds import kind_of_noun

_DENIED = word_set("not no never")
_ROLE = re.compile(r"^([a-z][a-z -]*?) of (?:the )?(?=[A-Z\d])")


def answer(query: Query, triple: ProximalTriple, new: str) -> str:
    """The new side of a fact that covers the query, if it is of the kind asked for; else "".

    Of "ambassador of Turkey" only "Turkey" answers "Of which country was X ambassador?".
    """
    expected, predicate = answer_type(query.text), [word.text for word in words(triple.predicate)]
    if query.words[0].text in AUXILIARIES | {"why"}:
        return ""  # a name is no reason, and neither yes nor no
    if order(query) and (expected == "date" or is_date(new)) and not asks_time(query):
        return ""  # "who ... earlier" wants one of two
    if asks_more(query) or _DENIED & set(predicate):
        return ""
    if not suits(expected, new) and not (expected == "thing" and states_asked(query, triple, new)):
        return ""
    role = _ROLE.match(new)
    if role and roots(role[1]) <= roots(query.text):
        new = new[role.end() :]
    elif not _leads_there(expected, triple, new) and not _does(query, triple, new):
        return ""
    noun = asked_noun(query).casefold()
    if query.words[0].text == "near" and "near" not in predicate:
        return ""
    new = asked_part(noun, new)
    if _counts_other(query, new) or (noun.endswith("country") and not is_country(new)):
        return ""
    return new


def states_asked(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether the predicate is what is asked for, so that any value answers: "phone number" in
    "What is the phone number of Brightway?".

    It has all the words of the noun that is asked by, or, where there is none, all that the query
    says besides the known side. A founder or a town is no value.
    """
    if query.words[0].text not in ("what", "which"):
        return False
    known_side = triple.subject if new == triple.object else triple.object
    asked_roots = roots(asked_noun(query) or query.text) - roots(known_side)
    named = all(kind_of_noun(word) for word in query.texts if root(word) in asked_roots)
    return bool(asked_roots) and not named and asked_roots <= roots(triple.predicate)


def _counts_other(query: Query, new: str) -> bool:
    """Whether a number of beds is given where the number of rooms is asked for."""
    question_words = [word.text for word in query.words]
    if question_words[:2] != ["how", "many"]:
        return False
    units = {root(word.text) for word in content(new) if not (word.digit or is_number(word.text))}
    return "than" in question_words or bool(
        units and not units & roots(" ".join(question_words[2:5]))
    )


def _does(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether the new side does what is asked for: "Which town lies on the Sel?"."""
    subject = new == triple.subject and query.words[0].text in ("which", "what")
    return subject and bool(roots(triple.predicate) & roots(query.text))


def _leads_there(kind: AnswerType, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for."""
    turn = direction(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0
