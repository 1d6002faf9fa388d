"""What a fact that closes a query answers: a name or value of the kind that its noun
asks for, or nothing.
"""

from __future__ import annotations

import re
from typing import Literal

from gear_app.core.types import ProximalTriple
from gear_app.language.answer_types import (
    answer_type,
    asked_part,
    is_country,
    is_number,
    suits,
)
from gear_app.language.query import Query
from gear_app.language.questions import asked_noun
from gear_app.language.relations import direction, names_agent, names_place
from gear_app.language.verbs import root, roots
from gear_app.language.words import AUXILIARIES, content, word_set, words

_DENIED = word_set("not no never may might could")
_ROLE = re.compile(r"^([a-z][a-z -]*?) of (?:the )?(?=[A-Z\d])")


def answer(query: Query, triple: ProximalTriple, new: str) -> str:
    """The new side of a fact that covers the query, if it is of the kind asked for; else "".

    A name is no reason, neither yes nor no, and not one of two. Of "ambassador of Turkey" only
    "Turkey" answers "Of which country was X ambassador?".
    """
    asked_by, predicate = query.words[0].text, {word.text for word in words(triple.predicate)}
    if asked_by in AUXILIARIES | {"why"} or "or" in query.texts:
        return ""
    if asked_by == "near" and "near" not in predicate:
        return ""
    if _DENIED & predicate or not suits(answer_type(query.text), new):
        return ""
    role = _ROLE.match(new)
    if role and roots(role[1]) <= roots(query.text):
        new = new[role.end() :]
    elif not _leads_there(query, triple, new):
        return ""
    noun = asked_noun(query).casefold()
    new = asked_part(noun, new)
    is_other = noun.endswith("country") and not is_country(new)
    return "" if is_other or _counts_other(query, new) else new


def _leads_there(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for, or the new side
    does what is asked for: "Which town lies on the Sel?".
    """
    is_asked = new == triple.subject and query.words[0].text in ("which", "what")
    if is_asked and roots(triple.predicate) & roots(query.text):
        return True
    kind = answer_type(query.text)
    turn = direction(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0


def _counts_other(query: Query, new: str) -> bool:
    """Whether a number of beds is given where the number of rooms is asked for."""
    question_words = [word.text for word in query.words]
    if question_words[:2] != ["how", "many"]:
        return False
    units = {root(word.text) for word in content(new) if not (word.digit or is_number(word.text))}
    return "than" in question_words or bool(
        units and not units & roots(" ".join(question_words[2:5]))
    )


Kind = Literal["person", "place", "organisation", "work"]

_PERSONS = word_set(
    "father mother son daughter brother sister wife husband uncle aunt nephew niece pupil student"
    " teacher mentor widow cousin grandson granddaughter grandfather grandmother child"
    " king queen prince princess emperor man woman boy girl pope saint president minister scientist"
    " chemist physicist astronomer novelist poet actor actress singer runner soldier sailor captain"
    " doctor engineer architect revolutionary colleague mayor governor ruler"
)
_PLACES = word_set(
    "lake river port harbour colony mountain sea ocean street house building bridge station airport"
    " depot republic"
)
_ORGANISATIONS = word_set(
    "company firm label band newspaper magazine studio college university school institute team"
    " squad club party agency publisher network orchestra group supplier"
)
_WORKS = word_set("film movie novel book song album series show play poem painting opera story")
_QUALITIES = word_set(
    "colour color size shape age height length width depth weight price nationality religion"
    " profession occupation job material brand make genre taste flavour smell temperature mood"
    " gender illness disease allergy hobby"
)


def is_quality(noun: str) -> bool:
    """Whether a noun asks for a quality ("what colour"), which no name of the thing states."""
    return bool({word.text for word in words(noun)[-1:]} & _QUALITIES)


def kind_of_noun(noun: str) -> Kind | None:
    """The kind that a noun asks for, by its last word; None where that is not known."""
    word = next((word.text for word in words(noun)[-1:]), "")
    if word in _ORGANISATIONS:
        return "organisation"
    if word in _PERSONS or word.endswith(("ist", "ian", "eer", "man")) or names_agent(word):
        return "person"
    if word in _PLACES or names_place(word):
        return "place"
    return "work" if word in _WORKS else None
