"""What facts that close a query answer: a name or value of the kind that its noun asks for, one of
two compared names, yes or no, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple, Substitution
from gear_app.language.dates import MONTH
from gear_app.language.query import Query, asked_noun
from gear_app.language.relations import (
    AGENTS,
    PLACES,
    answer_type,
    asked_part,
    direction,
    is_country,
    is_date,
    is_number,
    is_value,
    suits,
)
from gear_app.language.words import AUXILIARIES, content, is_past, root, roots, word_set, words

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


_EARLIER = word_set("first earlier older oldest earliest before")
_LATER = word_set("later last younger youngest latest recently newer after")
_EVENTS = {"die": "died", "older": "born", "oldest": "born", "younger": "born", "youngest": "born"}
_YEAR, _DAY = re.compile(r"\b\d{3,4}\b"), re.compile(r"\b\d{1,2}\b")
_VAGUE = re.compile(r"centur|\bb\.?c\b|\d0'?s\b", re.IGNORECASE)


def is_compared(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether a fact states what a query compares two names by: a date of the event that it asks
    about, or what may be the same for both.
    """
    predicate, common = {word.text for word in words(triple.predicate)}, _common(query)
    if _asks_same(query):
        verbs = {word.text for word in query.words if is_past(word.text)}
        return verbs <= predicate and not is_value(new)
    events = {_EVENTS.get(word, word) for word in common} & {"born", "died"}
    fits = events <= predicate if events else not predicate & {"born", "died"}
    return fits and is_date(new) and bool(common & (_EARLIER | _LATER))


def choice(question: str, path: Sequence[Substitution], values: Sequence[Substitution]) -> str:
    """The compared name that two values choose, or yes or no; "" where they do not decide.

    `values` are the substitutions of the names by what they are compared by, `path` those that led
    to the names: a question by "who" is answered by the last name, another by its own.
    """
    if len(values) != 2:
        return ""
    query = Query(question, ())
    left, right = values
    if _asks_same(query):
        same = normalise_entity(left.inserted) == normalise_entity(right.inserted)
        return "yes" if same else "no"
    moments = list(zip(_moment(left.inserted), _moment(right.inserted), strict=False))
    order = next((one < other for one, other in moments if one != other), None)
    if order is None:
        return ""
    chosen, other = values if order == (not _common(query) & _LATER) else values[::-1]
    if query.words[0].text in ("who", "whose"):
        return chosen.removed
    name, other_name = (_compared_name(step.removed, path) for step in (chosen, other))
    if query.words[0].text in AUXILIARIES:  # "Did X die before Y?"
        return "yes" if question.find(name) < question.find(other_name) else "no"
    return name


def _compared_name(name: str, path: Sequence[Substitution]) -> str:
    """The name in the question that led to a name."""
    for step in reversed(path):
        name = step.removed if step.inserted == name else name
    return name


def _asks_same(query: Query) -> bool:
    return query.words[0].text in AUXILIARIES | {"are", "do"} and "same" in query.texts


def _common(query: Query) -> frozenset[str]:
    return frozenset(
        word.text for word in query.words if word is query.words[0] or not word.capital
    )


def _moment(text: str) -> tuple[int, ...]:
    """Year, month and day of a date, as many as it states; none of a century or a decade."""
    year = _YEAR.search(text)
    if year is None or _VAGUE.search(text):
        return ()
    month = [MONTH[word.text] for word in words(text) if word.text in MONTH]
    day = [int(digits) for digits in _DAY.findall(text)]
    return (int(year[0]), *month[:1], *(day[:1] if month else ()))


Kind = Literal["person", "place", "organisation", "work"]

_KINDS: dict[Kind, frozenset[str]] = {
    "organisation": word_set(
        "company firm label band newspaper magazine studio college university school institute team"
        " squad club party agency publisher network orchestra group supplier"
    ),
    "person": AGENTS
    | word_set(
        "father mother son daughter brother sister wife husband uncle aunt nephew niece pupil"
        " student teacher mentor widow cousin grandson granddaughter grandfather grandmother child"
        " king queen prince princess emperor man woman boy girl pope saint president minister"
        " scientist chemist physicist astronomer novelist poet actor actress singer runner soldier"
        " sailor captain doctor engineer architect revolutionary colleague mayor governor ruler"
    ),
    "place": PLACES
    | word_set(
        "lake river port harbour colony mountain sea ocean street house building bridge station"
        " airport depot republic"
    ),
    "work": word_set("film movie novel book song album series show play poem painting opera story"),
}
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
    kind = next((kind for kind, nouns in _KINDS.items() if word in nouns), None)
    return "person" if kind is None and word.endswith(("ist", "ian", "eer", "man")) else kind
