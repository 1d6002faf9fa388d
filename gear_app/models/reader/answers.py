"""What a fact that closes a query answers: a name or value of the kind asked for, or nothing."""

from __future__ import annotations

import re

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
from gear_app.language.relations import direction
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
