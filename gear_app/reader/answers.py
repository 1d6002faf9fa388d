"""What a fact that closes a query answers: the shortest span of the kind asked for, or nothing."""

from __future__ import annotations

import re

from gear_app.language.answer_types import (
    AnswerType,
    answer_type,
    asked_part,
    is_country,
    is_date,
    suits,
)
from gear_app.language.asking import asked_answer
from gear_app.language.mentions import singular
from gear_app.language.phrases import text_of
from gear_app.language.query import Anchor, Query
from gear_app.language.questions import asked_noun, counted_noun
from gear_app.language.relations import direction
from gear_app.language.verbs import root, roots
from gear_app.language.words import AUXILIARIES, word_set, words
from gear_app.reader.comparisons import asks_more, asks_time, order
from gear_app.reader.kinds import kind_of_noun
from gear_app.reader.quantities import Quantity, difference, quantity
from gear_app.types import ProximalTriple, Triple

_ANYBODY = word_set("people person soul")
_LIVING = _ANYBODY | word_set("inhabitant resident citizen")
_PEOPLE = _LIVING | word_set(
    "man woman men women adult child children boy girl guest visitor member passenger player voter"
    " employee worker student pupil staff engineer teacher doctor nurse soldier sailor farmer"
    " founder"
)
_MORE = word_set("more fewer less additional extra other others")
_BEHIND = re.compile(r"\s*(?:[,;(]|\b(?:of|in|with|for|at|on|per|a|an|each|every)\b)\s*")
_DENIED = word_set("not no never")
_STYLED = word_set("mr mrs ms miss dr prof professor sir lady lord dame the")
_ROLE = re.compile(r"^([a-z][a-z -]*?) of (?:the )?(?=[A-Z\d])")


def answer(query: Query, triple: ProximalTriple, new: str) -> str:
    """The new side of a fact that tells all that the query says, if it is of the kind asked for.

    Of "ambassador of Turkey" only "Turkey" answers "Of which country was X ambassador?".
    """
    expected = answer_type(query.text)
    if query.words[0].text in AUXILIARIES | {"why"}:
        return ""  # a name is no reason, and neither yes nor no
    if order(query) and (expected == "date" or is_date(new)) and not asks_time(query):
        return ""  # "who ... earlier" wants one of two
    if counted_noun(query) is not None and "than" in query.texts:
        return ""  # how many more is said of neither
    if asks_more(query) or _DENIED & {word.text for word in words(triple.predicate)}:
        return ""  # "which costs more" wants one of two as well
    if not suits(expected, new) and not (expected == "thing" and tells_asked(query, triple, new)):
        return ""
    if not _says_asked(query, triple):
        return ""
    role = _ROLE.match(new)
    if role and roots(role[1]) <= roots(query.text):
        new = new[role.end() :]
    elif not _leads_there(expected, triple, new) and not _does(query, triple, new):
        return ""
    first, noun = query.words[0].text, asked_noun(query).casefold()
    if first == "near" and "near" not in [word.text for word in words(triple.predicate)]:
        return ""
    new = asked_part(noun, new)
    if noun.endswith("country") and not is_country(new):
        return ""
    return "" if _counts_others(query, new) else new


def _says_asked(query: Query, triple: ProximalTriple) -> bool:
    """Whether a fact says what no kind of a name shows: the verb of "What does the waitress cook?",
    the box of "In which box is the comb?".
    """
    asked = asked_answer(query.text)
    if asked is None or asked.kind not in ("named", "thing"):
        return True
    told = roots(triple.text)
    if asked.noun:
        return not asked.before or bool(kind_of_noun(asked.noun)) or root(asked.noun) in told
    return bool(told.intersection(map(root, asked.heads)))


def is_about(query: Query, name: str, known: Anchor) -> bool:
    """Whether the query names this already, in some form, besides the `known` side of a fact: what
    is asked about is no answer. "Ms Brandt", "the Brandts" and "Nadia Ann Brandt" are forms of
    "Nadia Brandt"; "which Brandt" can be answered by one.
    """
    wanted = {part.text for part in words(asked_noun(query))}
    form = _name_words(name)
    for anchor in query.anchors:
        named = _name_words(text_of(query, anchor.first, anchor.last))
        if anchor == known or not query.proper(anchor) or named & wanted:
            continue
        if form and named and (form <= named or named <= form):
            return True
    return False


def _name_words(name: str) -> frozenset[str]:
    """The words of a name that tell it: with a capital or a figure, without titles, initials and a
    plural or possessive s.
    """
    found = [word for word in words(name) if word.capital or word.digit]
    told = [word.text for word in found if word.text not in _STYLED and len(word.text) > 1]
    return frozenset(text.removesuffix("s") for text in told)


def tells_asked(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether the predicate is what is asked for, so that any value answers: "phone number" in
    "What is the phone number of Brightway?".

    It has all the words of the noun that is asked by, or, where there is none, all that the query
    says besides the known side. A founder or a town is no value.
    """
    if query.words[0].text not in ("what", "which"):
        return False
    known = triple.subject if new == triple.object else triple.object
    told = roots(asked_noun(query) or query.text) - roots(known)
    named = all(kind_of_noun(word) for word in query.texts if root(word) in told)
    return bool(told) and not named and told <= roots(triple.predicate)


def leads_on(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether a fact says where a place is, of a query that was left with a place too small."""
    noun, told = asked_noun(query).casefold(), [word.text for word in words(triple.predicate)]
    if query.words[0].text == "near":
        return told[-1:] == ["near"]
    return noun.endswith("country") and is_country(new) and told[-1:] in (["in"], ["of"])


def _counts_others(query: Query, new: str) -> bool:
    """Whether a fact counts beds where rooms are asked for, or says how many more there are.

    Guest rooms are rooms, euros are asked for of "EUR 9" and minutes of "two hours"; of people a
    fact may say what they are.
    """
    asked = counted_noun(query)
    stated = None if asked is None else quantity(new)
    if asked is None or stated is None or not stated.unit:
        return False
    head = _BEHIND.split(stated.unit, maxsplit=1)[0]
    if _MORE & set(head.split()):
        return True
    wanted, counted = singular(asked.split(" ")[-1]), singular(head.split(" ")[-1])
    if wanted in _LIVING:
        return counted not in (_PEOPLE if wanted in _ANYBODY else _LIVING)
    one = quantity(f"1 {asked}") or Quantity(1, asked)
    return counted != wanted and difference(stated._replace(unit=head), one) is None


def _does(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether the new side does what is asked for: "Which town lies on the Sel?"."""
    subject = new == triple.subject and query.words[0].text in ("which", "what")
    return subject and bool(roots(triple.predicate) & roots(query.text))


def _leads_there(kind: AnswerType, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for."""
    turn = direction(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0
