"""Comparison of two names by dates, or by whether both facts lead to the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple, Substitution, Triple
from gear_app.language.answer_types import LARGER, SMALLER, is_date, is_value
from gear_app.language.dates import ENGLISH
from gear_app.language.query import Query
from gear_app.language.questions import asked_noun
from gear_app.language.verbs import is_past, root, roots
from gear_app.language.words import AUXILIARIES, word_set, words

_EARLIER = word_set("first earlier older oldest earliest before")
_LATER = word_set("later last younger youngest latest recently newer")
_LIVES = {"die": "died", "older": "born", "oldest": "born", "younger": "born", "youngest": "born"}
_MONTHS = tuple(map(str.casefold, ENGLISH))
_YEAR = re.compile(r"\b([0-9]{3,4})\b")
_DAY = re.compile(r"[0-9]{1,2}")
_UNSURE = re.compile(r"centur|\bb\.?c\b|\d0'?s\b", re.IGNORECASE)


def value(query: Query, triple: Triple | ProximalTriple, new: str) -> bool:
    """Whether a fact states of a compared name what it is compared by."""
    stated = {word.text for word in words(triple.predicate)}
    if asks_same(query):
        verbs = {word.text for word in query.words if is_past(word.text)}
        return verbs <= stated and not is_value(new)
    if not order(query) or not is_date(new):
        return False
    lives = {_LIVES.get(word, word) for word in _common(query)} & {"born", "died"}
    return lives <= stated if lives else not stated & {"born", "died"}


def compared(question: str, done: Sequence[Substitution], values: Sequence[Substitution]) -> str:
    """The name that two dates choose, or yes or no; "" where the dates do not decide.

    `values` are the substitutions of the names by what they are compared by, `done` all of them.
    A question by "who" is answered by the name that a fact led to, another by its own name.
    """
    query = Query(question, ())
    if len(values) != 2:
        return ""
    left, right = values
    if asks_same(query):
        same_entity = normalise_entity(left.inserted) == normalise_entity(right.inserted)
        return "yes" if same_entity else "no"
    before, after = _moment(left.inserted), _moment(right.inserted)
    length = min(len(before), len(after))
    if not length or before[:length] == after[:length]:
        return ""
    earlier = before[:length] < after[:length]
    if _asks_whether(query):
        swapped = question.find(left.removed) > question.find(right.removed)
        return "yes" if (earlier != swapped) == (order(query) < 0) else "no"
    name = (left if earlier == (order(query) < 0) else right).removed
    if query.words[0].text in ("who", "whose"):
        return name
    for step in reversed(done):
        name = step.removed if step.inserted == name else name
    return name


def asks_same(query: Query) -> bool:
    """Whether yes or no answers a comparison: "Are X and Y from the same country?"."""
    return query.words[0].text in AUXILIARIES | {"are", "do"} and "same" in query.texts


def asks_time(query: Query) -> bool:
    """Whether a time is what answers: "when", "in which year"."""
    return query.words[0].text == "when" or root(asked_noun(query).casefold()) in roots(
        "year date month day century decade time"
    )


def order(query: Query) -> int:
    """-1 where the earlier of two is asked for, 1 where the later is, 0 for neither."""
    common = _common(query)
    if _asks_whether(query):
        return -1 if common & _EARLIER else 1
    if "or" not in common:
        return 0
    if common & _LATER:
        return 1
    return -1 if common & _EARLIER else 0


def asks_more(query: Query) -> bool:
    """Whether the one of two is asked for that has more or less of something."""
    common = _common(query)
    return query.words[0].text == "which" and "or" in common and bool(common & (LARGER | SMALLER))


def _common(query: Query) -> frozenset[str]:
    """The first word and the words without a capital."""
    first = {word.text for word in query.words[:1]}
    return frozenset(first | {word.text for word in query.words if not word.capital})


def _asks_whether(query: Query) -> bool:
    """Whether yes or no answers an order: "Did X die before Y?"."""
    first, common = query.words[0].text if query.words else "", _common(query)
    ordered = common & {"before", "after"} or ("than" in common and common & (_EARLIER | _LATER))
    return first in ("did", "was", "were") and bool(ordered)


def _moment(text: str) -> tuple[int, ...]:
    """Year, month and day of a date, as many as it states.

    Empty for a day without a year, a century, a decade, or a year before Christ.
    """
    year = _YEAR.search(text)
    if year is None or _UNSURE.search(text):
        return ()
    month = next((_MONTHS.index(w.text) + 1 for w in words(text) if w.text in _MONTHS), 0)
    day = next((int(w.text) for w in words(text) if _DAY.fullmatch(w.text)), 0)
    parts = (int(year[1]), month, day)
    return parts[: parts.index(0)] if 0 in parts else parts
