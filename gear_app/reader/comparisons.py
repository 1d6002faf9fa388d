"""What two names are compared by, their dates or their numbers, and which one these choose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gear_app.english.answer_types import LARGER, SMALLER, is_date, is_value
from gear_app.english.query_mentions import Query
from gear_app.english.questions import asked_noun
from gear_app.english.verbs import is_past, root, roots
from gear_app.english.words import AUXILIARIES, FUNCTION_WORDS, word_set, words
from gear_app.mentions.find import singular
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
_COUNTED = re.compile(r"\b(?:more|fewer|most|fewest) (?:[a-z]+ )??([a-z]+s|people|children)\b")
_QUALITY = ("ous", "less", "ss", "us")  # "more famous" counts nothing
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_YEAR = re.compile(r"\b(\d{3,4})\b")
_FIGURE = re.compile(r"\d[\d,.]*")


class Measure(NamedTuple):
    """The number by which a question compares two names: how facts name it ("price"), or what is
    counted ("room"), and whether the larger one is asked for.
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
    lived = {_LIVES.get(word, word) for word in query.texts} & {"born", "died"}
    if lived:
        return is_date(new) and lived <= told
    return is_date(new) and not told & {"born", "died"}


def measured(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact tells the number that a query compares two names by: the price, where it asks
    which costs more; the rooms in "has four rooms", where it asks which has more rooms.
    """
    asked = measure(query)
    stated = quantity(new) if asked else None
    if asked is None or stated is None:
        return False
    if asked.names:
        return bool(
            asked.names & {word.text for word in words(f"{triple.predicate} {stated.told}")}
        )
    if stated.unit:
        return singular(stated.unit.split()[-1]) == asked.counted
    told = {word.text for word in words(triple.predicate)} - FUNCTION_WORDS - {"number"}
    return set(map(singular, told)) == {asked.counted}


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


def measure(query: Query) -> Measure | None:
    """What a query compares two names by in numbers; None for another question.

    "Which was released first, More Tales or The Fewer?" compares times: a word of a name compares
    nothing, and what asks for the earlier or the later one does not ask for more.
    """
    said = _said(query)
    larger, smaller = bool(said & LARGER), bool(said & SMALLER)
    if "or" not in said or query.words[0].text != "which" or larger == smaller or order(query):
        return None
    names = [names for words_, names in _MEASURES if words_ & said]
    counted = [noun for noun in _COUNTED.findall(query.text) if not noun.endswith(_QUALITY)]
    if not names and len(counted) != 1:
        return None
    return Measure(names[0] if names else frozenset(), singular("".join(counted)), larger)


def _said(query: Query) -> frozenset[str]:
    """The words that are no name: the first one, and those without a capital."""
    first = {word.text for word in query.words[:1]}
    return frozenset(first | {word.text for word in query.words if not word.capital})


def _asks_whether(query: Query) -> bool:
    """Whether yes or no is asked for: "Did X die before Y?"."""
    first = query.words[0].text if query.words else ""
    ordered = query.texts & {"before", "after"} or (
        "than" in query.texts and query.texts & (_EARLIER | _LATER)
    )
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
    """A date as numbers that can be compared, as far as it says: year, month, day; or a figure."""
    year = _YEAR.search(text)
    if year is None:
        figure = _FIGURE.search(text)
        return (int(re.sub(r"\D", "", figure[0])),) if figure else ()
    month = next((_MONTHS.index(w.text) + 1 for w in words(text) if w.text in _MONTHS), 0)
    day = next((int(w.text) for w in words(text) if w.text.isdigit() and len(w.text) < 3), 0)
    parts = (int(year[1]), month, day)
    return parts[: parts.index(0)] if 0 in parts else parts
