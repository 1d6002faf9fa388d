"""What a question asks for: a date, a number, a person, a place, or something that only its own
noun describes.
"""

from __future__ import annotations

import re
from typing import Literal

from gear_app.english.words import FUNCTION_WORDS, word_set, words

Kind = Literal["date", "number", "person", "place", "thing"]

_MONTHS = word_set(
    "january february march april may june july august september october november december"
)
_ERAS = word_set(
    "century centuries ad bc ce bce early late mid years year days months about circa decade"
)
_ORDINAL = re.compile(r"\d+(st|nd|rd|th|s)$")

_WORDED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\b(older|younger|oldest|youngest)\b|\bwho\b.*\b(earlier|later)\b", re.I)),
    (
        "date",
        re.compile(
            r"\b(born|died|lived|released|founded|published|opened) (first|earlier|later|longer)\b",
            re.I,
        ),
    ),
    (
        "person",
        re.compile(
            r"^\W*(who|whom|whose)\b|\b(what|which) (person|man|woman|actor|actress|author)\b", re.I
        ),
    ),
    (
        "place",
        re.compile(
            r"^\W*where\b|\b(what|which) (city|country|state|county|place|town|region|continent)\b",
            re.I,
        ),
    ),
    (
        "number",
        re.compile(
            r"\bhow (many|much|far|tall|high|large|big)\b|\b(population|enrollment|average)\b", re.I
        ),
    ),
    (
        "date",
        re.compile(
            r"\bwhen\b|\b(what|which) (year|date|month|day|century|decade)\b|\bdates? of\b", re.I
        ),
    ),
    ("date", re.compile(r"\bhow (old|long)\b|\b(longer|earlier|later|first|recently)\b", re.I)),
)  # the first that is found decides


def asked(question: str) -> Kind:
    """The kind of thing that answers the question, by its own words; "thing" where they do not
    say.
    """
    return next((kind for kind, pattern in _WORDED if pattern.search(question)), "thing")


def is_date(entity: str) -> bool:
    """Whether the words are a point or stretch of time: "30 July 1970", "the 12th century",
    "1991".
    """
    texts = [word.text for word in words(entity) if word.text not in FUNCTION_WORDS]
    dated = [
        word
        for word in texts
        if word.isdigit() or word in _MONTHS or word in _ERAS or _ORDINAL.match(word)
    ]
    return bool(texts) and (
        len(dated) == len(texts) or (len(dated) >= 2 and bool(_MONTHS & set(texts)))
    )


def is_number(entity: str) -> bool:
    """Whether the words begin with a figure and are not a date: "22,513 students"."""
    found = words(entity)
    return bool(found) and found[0].text[0].isdigit() and not is_date(entity)


def suits(kind: Kind, entity: str) -> bool:
    """Whether the entity can be an answer of the kind; names of persons, places and things are not
    told apart.
    """
    if kind == "date":
        return is_date(entity)
    if kind == "number":
        return any(character.isdigit() for character in entity)
    return not is_date(entity) and not is_number(entity)
