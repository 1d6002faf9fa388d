"""What a question asks for: a date, a number, a person, a place, or something that only its own noun describes."""

from __future__ import annotations

import re
from typing import Literal

from gear_app.reader.words import FUNCTION_WORDS, words

Kind = Literal["date", "number", "person", "place", "thing"]

_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)  # fmt: skip
_ERAS = frozenset("century centuries ad bc ce bce early late mid years year days months about circa decade".split())
_ORDINAL = re.compile(r"\d+(st|nd|rd|th|s)$")

_ASKS_DATE = re.compile(
    r"\bwhen\b|\b(what|which) (year|date|month|day|century|decade)\b|\bdates? of\b|\bhow (old|long)\b"
    r"|\b(born|died|released|founded|established|made|came out|published|opened|formed|lived) (first|later|earlier|last|longer|more recently|most recently)\b"
    r"|\b(older|younger|oldest|youngest|longer|earlier|later|first|recently)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(r"\bhow (many|much|far|tall|high|large|big)\b|\b(population|enrollment|number|average)\b", re.I)
_ASKS_PERSON = re.compile(r"^\W*(who|whom|whose)\b|\bwhich (person|man|woman|actor|actress|author)\b", re.I)
_ASKS_PLACE = re.compile(r"^\W*where\b|\b(what|which) (city|country|state|county|place|town|region|continent)\b", re.I)


def asked(question: str) -> Kind:
    """The kind of thing that answers the question, by its own words; "thing" where they do not say."""
    for pattern, kind in _ASKED:
        if pattern.search(question):
            return kind
    return "thing"


_ASKED: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_ASKS_PERSON, "person"),
    (_ASKS_PLACE, "place"),
    (_ASKS_DATE, "date"),
    (_ASKS_NUMBER, "number"),
)


def is_date(entity: str) -> bool:
    """Whether the words are a point or stretch of time: "30 July 1970", "the 12th century", "1991"."""
    texts = [word.text for word in words(entity) if word.text not in FUNCTION_WORDS]
    dated = [word for word in texts if word.isdigit() or word in _MONTHS or word in _ERAS or _ORDINAL.match(word)]
    return bool(texts) and (len(dated) == len(texts) or (len(dated) >= 2 and bool(_MONTHS & set(texts))))


def is_number(entity: str) -> bool:
    """Whether the words begin with a figure and are not a date: "22,513 students"."""
    found = words(entity)
    return bool(found) and found[0].text[0].isdigit() and not is_date(entity)


def suits(kind: Kind, entity: str) -> bool:
    """Whether the entity can be an answer of the kind; names of persons, places and things are not told apart."""
    if kind == "date":
        return is_date(entity)
    if kind == "number":
        return any(character.isdigit() for character in entity)
    return not is_date(entity) and not is_number(entity)
