"""The answer type of a question: a date, a number, a person, a place, or any other thing."""

from __future__ import annotations

import re
from typing import Literal

from gear_app.english.numbers import begins_with_count
from gear_app.english.words import FUNCTION_WORDS, word_set, words

AnswerType = Literal["date", "number", "person", "place", "thing"]

_MONTHS = word_set(
    "january february march april may june july august september october november december"
)
_WEEKDAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday"
    " mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
_ERAS = word_set(
    "century centuries ad bc ce bce early late mid years year days months about circa decade"
)
_TIMES = _MONTHS | _WEEKDAYS | _ERAS
_FIGURE = re.compile(r"\d+(km|m|cm|mm|kg|g|mg|ms|ft|mi|mph|bn|k)?$")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th|s)$")

LARGER = word_set(
    "more heavier taller higher longer larger bigger most heaviest tallest highest longest"
)
SMALLER = word_set(
    "less fewer lighter shorter lower cheaper smaller least fewest lightest shortest lowest"
    " cheapest"
)
_SIZE = "|".join(sorted(LARGER | SMALLER))

# the first pattern that is found decides
_PATTERNS: tuple[tuple[AnswerType, str], ...] = (
    ("date", r"\b(older|younger|oldest|youngest)\b|\bwho\b.*\b(earlier|later)\b"),
    (
        "date",
        r"\b(born|died|lived|released|founded|published|opened) (first|earlier|later|longer)\b",
    ),
    ("date", r"^\W*(did|was|were)\b.*\b(before|after|(earlier|later) than)\b"),
    (
        "person",
        r"^\W*(who|whom|whose)\b|\b(what|which) (person|man|woman|actor|actress|author)\b",
    ),
    (
        "place",
        r"\bplace of (birth|death|burial|origin)\b|^\W*where\b"
        r"|\b(what|which) (city|country|state|county|place|town|region|continent)\b",
    ),
    (
        "number",
        r"\bhow (many|much|far|tall|high|large|big)\b|\b(population|enrollment|average)\b",
    ),
    (
        "date",
        r"\bwhen\b|\bdates? of\b"
        r"|\b(what|which) (years?|dates?|months?|(week)?days?|century|decades?)\b",
    ),
    ("date", r"\bhow (old|long)\b|\b(longer|earlier|later|first|recently)\b.*\bor\b"),
    ("number", rf"^\W*which\b.*\b({_SIZE})\b.*\bor\b"),
)


def answer_type(question: str) -> AnswerType:
    """The type of thing that answers the question, by its words; "thing" where they do not say."""
    matches = (type_ for type_, pattern in _PATTERNS if re.search(pattern, question, re.IGNORECASE))
    return next(matches, "thing")


def is_date(entity: str) -> bool:
    """Whether the words are a time: "30 July 1970", "the 12th century", "1991", "Fridays"."""
    texts = [word.text for word in words(entity) if word.text not in FUNCTION_WORDS]
    dated = [word for word in texts if word.isdigit() or word in _TIMES or _ORDINAL.match(word)]
    month_and_more = len(dated) >= 2 and bool(_MONTHS & set(texts))
    return bool(texts) and (len(dated) == len(texts) or month_and_more)


def is_number(entity: str) -> bool:
    """Whether the words begin with a figure, or a word that counts, and are not a date: "22,513
    students", "40km", "four rooms".

    A name with a figure in its first word is none: "17D vaccine", and neither is "Three Rivers".
    """
    first = words(entity)[:1]
    stated = bool(first) and bool(_FIGURE.match(first[0].text)) and not is_date(entity)
    return stated or begins_with_count(entity)


def is_value(entity: str) -> bool:
    """Whether the words are a date or a number, which names nothing."""
    return is_date(entity) or is_number(entity)


def suits(type_: AnswerType, entity: str) -> bool:
    """Whether the entity can be an answer of the type; persons, places and things are all names."""
    if type_ == "date":
        return is_date(entity)
    if type_ == "number":
        return any(character.isdigit() for character in entity) or is_number(entity)
    return not is_value(entity)
