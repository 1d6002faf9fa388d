"""What a fact that closes a query answers: the shortest span of the kind asked for, or nothing; and
what follows from the values of two compared names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.english.answer_types import (
    LARGER,
    SMALLER,
    AnswerType,
    answer_type,
    is_date,
    is_number,
    is_value,
    suits,
)
from gear_app.english.countries import is_country
from gear_app.english.query_mentions import Query
from gear_app.english.questions import asked_noun
from gear_app.english.relations import direction
from gear_app.english.verbs import is_past, root, roots
from gear_app.english.words import AUXILIARIES, word_set, words
from gear_app.mentions.find import singular
from gear_app.reader.kinds import kind_of_noun
from gear_app.reader.quantities import difference, quantity
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution, Triple

_EARLIER = word_set("first earlier older oldest earliest before")
_LATER = word_set("later last younger youngest latest recently newer")
_LIVES = {"die": "died", "older": "born", "oldest": "born", "younger": "born", "youngest": "born"}
_MEASURES = (
    # what is compared by numbers, and how facts name it
    (word_set("cost costs cheaper cheapest"), word_set("price prices priced cost costs fee")),
    (word_set("weigh weighs heavier heaviest lighter lightest"), word_set("weight weighs mass")),
    (word_set("taller tallest higher highest lower"), word_set("height tall high")),
    (word_set("longer"), word_set("length long")),
)
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_YEAR = re.compile(r"\b(\d{3,4})\b")
_FIGURE = re.compile(r"\d[\d,.]*")
_HOW_MANY = re.compile(r"\bhow many ([a-z]+)", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:more|fewer) ([a-z]+s|people|children)\b")
_ROLE = re.compile(r"^([a-z][a-z -]*?) of (?:the )?(?=[A-Z\d])")


def answer(query: Query, triple: ProximalTriple, new: str) -> str:
    """The new side of a fact that tells all that the query says, if it is of the kind asked for.

    Of "ambassador of Turkey" only "Turkey" answers "Of which country was X ambassador?".
    """
    expected = answer_type(query.text)
    if _order(query) and (expected == "date" or is_date(new)) and not _asks_time(query):
        return ""  # "who ... earlier" wants one of two
    if _measure(query):
        return ""  # "which costs more" wants one of two as well
    if not suits(expected, new) and not (expected == "thing" and tells_asked(query, triple, new)):
        return ""
    role = _ROLE.match(new)
    if role and roots(role[1]) <= roots(query.text):
        new = new[role.end() :]
    elif not _leads_there(expected, triple, new) and not _does(query, triple, new):
        return ""
    first, noun = query.words[0].text, asked_noun(query).casefold()
    if first == "near" and "near" not in [word.text for word in words(triple.predicate)]:
        return ""
    if noun.endswith("country") and not is_country(new):
        return ""
    return "" if _counts_others(query, triple, new) else new


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


def value(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact tells of a compared name what it is compared by."""
    told = {word.text for word in words(triple.predicate)}
    if _asks_same(query):
        verbs = {word.text for word in query.words if is_past(word.text)}
        return verbs <= told and not is_value(new)
    if _measure(query):
        return measured(query, triple, new)
    if not _order(query):
        return False
    lived = {_LIVES.get(word, word) for word in query.texts} & {"born", "died"}
    about = lived if lived else set()
    if about:
        return is_date(new) and about <= told
    return (is_date(new) and not told & {"born", "died"}) or (
        is_number(new) and answer_type(query.text) == "number"
    )


def measured(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact tells the number that a query compares two names by: the price, where it asks
    which costs more; the rooms in "has four rooms", where it asks which has more rooms.
    """
    stated = quantity(new)
    if stated is None:
        return False
    told = {word.text for word in words(f"{triple.predicate} {stated.unit}")}
    return bool(_measure(query) & (told | set(map(singular, told))))


def compared(question: str, done: Sequence[Substitution], values: Sequence[Substitution]) -> str:
    """Which of two compared names the values choose, or yes or no; "" where they do not tell.

    `values` are the substitutions of the names by what they are compared by, `done` those before.
    A question by "who" is answered by the name that was found, another by the one it has itself.
    """
    asked = Query(question, ())
    if len(values) != 2:
        return ""
    left, right = values
    if _asks_same(asked):
        same = normalise_entity(left.inserted) == normalise_entity(right.inserted)
        return "yes" if same else "no"
    if _measure(asked):
        return _larger_or_smaller(asked, left, right)
    before, after = _moment(left.inserted), _moment(right.inserted)
    length = min(len(before), len(after))
    if not length or before[:length] == after[:length]:
        return ""
    earlier = before[:length] < after[:length]
    if _asks_whether(asked):
        swapped = question.find(left.removed) > question.find(right.removed)
        return "yes" if (earlier != swapped) == (_order(asked) < 0) else "no"
    chosen = left if earlier == (_order(asked) < 0) else right
    name = chosen.removed
    if asked.words[0].text in ("who", "whose"):
        return name
    for step in reversed(done):
        name = step.removed if step.inserted == name else name
    return name


def _asks_same(query: Query) -> bool:
    return query.words[0].text in AUXILIARIES | {"are", "do"} and "same" in query.texts


def _asks_time(query: Query) -> bool:
    return query.words[0].text == "when" or root(asked_noun(query).casefold()) in roots(
        "year date month day century decade time"
    )


def _order(query: Query) -> int:
    """-1 where the earlier one is asked for, 1 where the later one is, 0 for neither."""
    if _asks_whether(query):
        return -1 if query.texts & _EARLIER else 1
    if "or" not in query.texts:
        return 0
    if query.texts & _LATER:
        return 1
    return -1 if query.texts & _EARLIER else 0


def _asks_whether(query: Query) -> bool:
    """Whether yes or no is asked for: "Did X die before Y?"."""
    first = query.words[0].text if query.words else ""
    ordered = query.texts & {"before", "after"} or (
        "than" in query.texts and query.texts & (_EARLIER | _LATER)
    )
    return first in ("did", "was", "were") and bool(ordered)


def _measure(query: Query) -> frozenset[str]:
    """How facts name the number that two are compared by; nothing for another question."""
    if "or" not in query.texts or query.words[0].text != "which":
        return frozenset()
    if not query.texts & (LARGER | SMALLER):
        return frozenset()
    named = [told for asked, told in _MEASURES if asked & query.texts]
    counted = _COUNTED.findall(query.text.casefold())
    return named[0] if named else frozenset(map(singular, counted))


def _larger_or_smaller(asked: Query, left: Substitution, right: Substitution) -> str:
    """The name with the number that is asked for; "" where they measure different things, or are
    the same.
    """
    one, other = quantity(left.inserted), quantity(right.inserted)
    more = difference(one, other) if one and other else None
    if not more:
        return ""
    larger = not asked.texts & SMALLER
    return left.removed if (more > 0) == larger else right.removed


def _moment(text: str) -> tuple[int, ...]:
    """A date as numbers that can be compared, as far as it says: year, month, day; or a figure."""
    year = _YEAR.search(text)
    if year is None:
        figure = _FIGURE.search(text)
        return (int(re.sub(r"\D", "", figure[0])),) if figure else ()
    month = next((_MONTHS.index(w.text) + 1 for w in words(text) if w.text in _MONTHS), 0)
    day = next((int(w.text) for w in words(text) if w.text.isdigit() and len(w.text) < 3), 0)
    parts = (int(year[1]), month, day)
    return parts[: parts.index(0)] if 0 in parts else parts


def _counts_others(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether a fact counts beds where rooms are asked for. Of people it may say what they are."""
    asked, stated = _HOW_MANY.search(query.text), quantity(new)
    if not asked or asked[1].casefold() == "people" or stated is None or not stated.unit:
        return False
    return root(asked[1].casefold()) not in roots(f"{triple.predicate} {stated.unit}")


def _does(query: Query, triple: ProximalTriple, new: str) -> bool:
    """Whether the new side does what is asked for: "Which town lies on the Sel?"."""
    subject = new == triple.subject and query.words[0].text in ("which", "what")
    return subject and bool(roots(triple.predicate) & roots(query.text))


def _leads_there(kind: AnswerType, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for."""
    turn = direction(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0
