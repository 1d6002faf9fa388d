"""What two names are compared by, their dates or their numbers, and which one these choose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gear_app.language.answer_types import LARGER, SMALLER, is_date, is_value
from gear_app.language.dates import ENGLISH
from gear_app.language.mentions import singular
from gear_app.language.query import Query
from gear_app.language.questions import asked_noun
from gear_app.language.verbs import is_past, root, roots
from gear_app.language.words import AUXILIARIES, word_set, words
from gear_app.reader.quantities import difference, quantity
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution, Triple

_EARLIER = word_set("first earlier older oldest earliest before")
_LATER = word_set("later last younger youngest latest recently newer")
_LIVES = {"die": "died", "older": "born", "oldest": "born", "younger": "born", "youngest": "born"}
_MEASURES = (
    # how a question compares by a number, whether it asks for the larger one, how facts name it
    (r"costs? (?:more|the most)", True, "price prices priced cost costs"),
    (
        r"(?:costs? (?:less|the least)|is (?:the )?cheap(?:er|est))",
        False,
        "price priced cost costs",
    ),
    (
        r"(?:weighs? (?:more|the most)|is (?:the )?heavi(?:er|est))",
        True,
        "weight weighs mass heavy",
    ),
    (r"(?:weighs? (?:less|the least)|is (?:the )?light(?:er|est))", False, "weight weighs mass"),
    (r"is (?:the )?(?:tall|high)(?:er|est)", True, "height tall high"),
    (r"is (?:the )?low(?:er|est)", False, "height high"),
    (r"is (?:the )?long(?:er|est)", True, "length long"),
    (r"is (?:the )?short(?:er|est)", False, "length long"),
    (r"is (?:the )?deep(?:er|est)", True, "depth deep"),
    (r"is (?:the )?wide(?:r|st)", True, "width wide"),
)
_COMPARES = tuple(
    (re.compile(rf"Which(?: [a-z]+)? {asks}(?:[,:] | or )", re.IGNORECASE), larger, word_set(names))
    for asks, larger, names in _MEASURES
)
_COUNTS = re.compile(
    r"[Ww]hich(?: [a-z]+)? ha[sd] (?:(more|the most)|fewer|the fewest) ([a-z]+(?: [a-z]+)?)[,:] "
)
_SAYING = word_set("is was are were has have had with a an the of at number contains contained")
_MONTHS = tuple(map(str.casefold, ENGLISH))
_YEAR = re.compile(r"\b([0-9]{3,4})\b")
_DAY = re.compile(r"[0-9]{1,2}")
_UNSURE = re.compile(r"centur|\bb\.?c\b|\d0'?s\b", re.IGNORECASE)


class Measure(NamedTuple):
    """The number by which a question compares two names: how facts name it ("price"), or what is
    counted ("guest room"), and whether the larger one is asked for.
    """

    names: frozenset[str]
    counted: str
    larger: bool


def value(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact tells of a compared name what it is compared by."""
    told = {word.text for word in words(triple.predicate)}
    if asks_same(query):
        verbs = {word.text for word in query.words if is_past(word.text)}
        return verbs <= told and not is_value(new)
    if measure(query):
        return measured(query, triple, new)
    if not order(query):
        return False
    lived = {_LIVES.get(word, word) for word in _said(query)} & {"born", "died"}
    if lived:
        return is_date(new) and lived <= told
    return is_date(new) and not told & {"born", "died"}


def measured(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact tells the number that a query compares two names by, and nothing else of it:
    the price, where it asks which costs more, and not what the price rose by.
    """
    asked = measure(query)
    stated = quantity(new) if asked else None
    if asked is None or stated is None:
        return False
    told = {word.text for word in words(f"{triple.predicate} {stated.told}")} - _SAYING
    if not asked.counted:
        return bool(told) and told <= asked.names
    if stated.unit:
        return not told and _singular(stated.unit) == asked.counted
    return _singular(" ".join(sorted(told))) == asked.counted


def compared(question: str, done: Sequence[Substitution], values: Sequence[Substitution]) -> str:
    """Which of two compared names the values choose, or yes or no; "" where they do not tell.

    `values` are the substitutions of the names by what they are compared by, `done` those before.
    A question by "who" is answered by the name that was found, another by the one it has itself.
    """
    asked = Query(question, ())
    if len(values) != 2:
        return ""
    left, right = values
    if asks_same(asked):
        same = normalise_entity(left.inserted) == normalise_entity(right.inserted)
        return "yes" if same else "no"
    by = measure(asked)
    if by:
        return _larger_or_smaller(by, left, right)
    before, after = _moment(left.inserted), _moment(right.inserted)
    length = min(len(before), len(after))
    if not length or before[:length] == after[:length]:
        return ""
    earlier = before[:length] < after[:length]
    if _asks_whether(asked):
        swapped = question.find(left.removed) > question.find(right.removed)
        return "yes" if (earlier != swapped) == (order(asked) < 0) else "no"
    chosen = left if earlier == (order(asked) < 0) else right
    name = chosen.removed
    if asked.words[0].text in ("who", "whose"):
        return name
    for step in reversed(done):
        name = step.removed if step.inserted == name else name
    return name


def asks_same(query: Query) -> bool:
    """Whether yes or no is asked for: "Are X and Y from the same country?"."""
    return query.words[0].text in AUXILIARIES | {"are", "do"} and "same" in query.texts


def asks_time(query: Query) -> bool:
    """Whether a time is what answers: "when", "in which year"."""
    return query.words[0].text == "when" or root(asked_noun(query).casefold()) in roots(
        "year date month day century decade time"
    )


def order(query: Query) -> int:
    """-1 where the earlier one is asked for, 1 where the later one is, 0 for neither."""
    said = _said(query)
    if _asks_whether(query):
        return -1 if said & _EARLIER else 1
    if "or" not in said:
        return 0
    if said & _LATER:
        return 1
    return -1 if said & _EARLIER else 0


def asks_more(query: Query) -> bool:
    """Whether that one of two is asked for that has more or less of something, whatever it is."""
    said = _said(query)
    return query.words[0].text == "which" and "or" in said and bool(said & (LARGER | SMALLER))


def measure(query: Query) -> Measure | None:
    """What a query compares two names by in numbers; None for another question, among them all that
    say it in other words: "which is no longer in use", "which has the longer history".
    """
    if "or" not in query.texts:
        return None
    for pattern, larger, names in _COMPARES:
        if pattern.match(query.text):
            return Measure(names, "", larger)
    counts = _COUNTS.match(query.text)
    return Measure(frozenset(), _singular(counts[2]), bool(counts[1])) if counts else None


def _singular(text: str) -> str:
    return " ".join(map(singular, text.split()))


def _said(query: Query) -> frozenset[str]:
    """The words that are no name: the first one, and those without a capital."""
    first = {word.text for word in query.words[:1]}
    return frozenset(first | {word.text for word in query.words if not word.capital})


def _asks_whether(query: Query) -> bool:
    """Whether yes or no is asked for: "Did X die before Y?"."""
    first, said = query.words[0].text if query.words else "", _said(query)
    ordered = said & {"before", "after"} or ("than" in said and said & (_EARLIER | _LATER))
    return first in ("did", "was", "were") and bool(ordered)


def _larger_or_smaller(by: Measure, left: Substitution, right: Substitution) -> str:
    """The name with the number that is asked for; "" where they measure different things, or are
    the same.
    """
    one, other = quantity(left.inserted), quantity(right.inserted)
    more = difference(one, other) if one and other else None
    if not more:
        return ""
    return left.removed if (more > 0) == by.larger else right.removed


def _moment(text: str) -> tuple[int, ...]:
    """A date as numbers that can be compared, as far as it says: year, month, day.
    Nothing of a day without a year, a century, a decade, or a year before Christ.
    """
    year = _YEAR.search(text)
    if year is None or _UNSURE.search(text):
        return ()
    month = next((_MONTHS.index(w.text) + 1 for w in words(text) if w.text in _MONTHS), 0)
    day = next((int(w.text) for w in words(text) if _DAY.fullmatch(w.text)), 0)
    parts = (int(year[1]), month, day)
    return parts[: parts.index(0)] if 0 in parts else parts
