"""Facts in the brackets after a name: dates and places of birth and death, other names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_YEAR = r"(?:\d{1,4} ?(?:BCE?|AD|CE|B\.C\.(?:E\.)?|A\.D\.|C\.E\.)|\d{3,4}\b)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?:{_DAY} (?:of )?{_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}|{_MONTH},? {_YEAR}|\b{_YEAR})"
)
_DASH = re.compile(r" ?[–—] ?| ?-- ?| - |(?<=\d)- ?(?=\D|\d{3,4}\b)|; (?=died|d\.)|,? (?=died\b)")
_BORN = re.compile(r"\b(?:born|b\.|née|né)(?!\w)", re.IGNORECASE)
_DIED = re.compile(r"\b(?:died|d\.)(?!\w)|†", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:c\.|ca\.|circa|about|around|before|after|bef\.|aft\.|probably|possibly|either|baptised|baptized|"
    r"approximately|on|born|died|b\.|d\.)(?!\w)|[?†]"
)
_PLACE = re.compile(r"[^\W\d_a-z][^\d;:/]*")
_BIRTH_NAME = re.compile(r"\bborn(?: as)? (?!in\b|on\b)([^\W\d_a-z][^\d,;]*?)(?=,|;| on | in |$)")
_NAMED = re.compile(
    r"\b(?:(?:also|better|formerly|originally|later|commonly)? ?(?:known"
    r" as|called|spelled|spelt)|formerly|née|"
    r"abbreviated(?: as| to)?|aka|a\.k\.a\.|(?:personal|real|birth|full) name|nicknamed|short"
    r" for|or(?: simply)?) "
    r"(?:the )?([^\W\d_a-z][^,;]*)"
)
_BY = re.compile(r"(?:(?:both|all|also|again|originally) )?(\w+(?:ed|en|ten)|sung) by (.+)$")
_ABBREVIATION = re.compile(r"[A-Z][A-Z&.-]{1,9}$")
_NAME = re.compile(
    r"(?:[^\W\d_a-z][\w.'’-]*)(?: (?:of|de|von|van|the|la|al)? ?[^\W\d_a-z][\w.'’-]*){0,4}$"
)


class BracketFact(NamedTuple):
    """What brackets say of the name before them."""

    predicate: str
    object: str


def is_abbreviation(text: str) -> bool:
    """Whether brackets hold an abbreviation."""
    return bool(_ABBREVIATION.match(text))


def has_life_dates(text: str) -> bool:
    """Whether brackets hold a birth or a death."""
    return any(fact.predicate.startswith(("was born", "died")) for fact in life_facts(text))


def life_facts(text: str) -> list[BracketFact]:
    """Facts of one bracket: birth, death, other names; none where it holds something else.

    A single year says nothing ("Film (1998)"); two dates with a dash are a life.
    """
    text = " ".join(text.replace('"', " ").split()).strip(" ,;")
    of_parts = (list(_dates(part.strip())) for part in (text, *text.split(";")))
    dates = next((facts for facts in of_parts if facts), [])
    return list(dict.fromkeys([*dates, *other_names(text)]))


def makers(text: str) -> list[BracketFact]:
    """Makers in brackets ("voiced by Andrews and Cleese"): the participle and each name."""
    match = _BY.match(text)
    return [BracketFact(f"{match[1]} by", name) for name in only_names(match[2])] if match else []


def only_names(text: str) -> list[str]:
    """The names in brackets that hold nothing else: an actor, or a cast separated by commas."""
    parts = [part.strip() for part in re.split(r", and |, | and ", text) if part.strip()]
    return parts if parts and all(_NAME.match(part) for part in parts) else []


def _dates(text: str) -> Iterator[BracketFact]:
    parts = _DASH.split(text)
    dated = [part for part in parts if _DATE.search(part)]
    born, died = _BORN.search(text), _DIED.search(text)
    if len(dated) == 2 and not (born is None and died is None and _too_much(text)):
        yield from _event("was born", dated[0])
        yield from _event("died", dated[1])
    elif dated and died is not None:
        first = text[: died.start()]
        if born is not None and born.start() < died.start():
            yield from _event("was born", first)
        yield from _event("died", text[died.start() :])
    elif born is not None:
        yield from _event("was born", text[born.start() :])


def _too_much(text: str) -> bool:
    """Whether other words stand around two dates, as in "reigned 1901 - 1910"."""
    rest = _UNSURE.sub(" ", _DATE.sub(" ", text)).replace(" in ", " ")
    return any(
        word[:1].islower() and word not in ("or", "and", "of", "to", "the")
        for word in re.findall(r"[^\W\d_]+", rest)
    )


def _event(verb: str, text: str) -> Iterator[BracketFact]:
    """The last date of a half and the places around it; a name at birth is not a place."""
    name = _BIRTH_NAME.search(text)
    if name is not None:
        yield BracketFact("was born as", name[1].strip())
        text = text[: name.start(1)] + text[name.end(1) :]
    dates = _DATE.findall(text)
    if dates:
        yield BracketFact(f"{verb} {'on' if _has_day(dates[-1]) else 'in'}", dates[-1])
    rest = _UNSURE.sub(" ", _DATE.sub(";", text))
    for piece in re.split(r";|\b(?:in|at|near)\b", rest):
        place = _PLACE.match(piece.strip(" ,.–-"))
        for part in (place[0] if place else "").split(","):
            if part.strip(" .") and _NAME.match(part.strip(" .")):
                yield BracketFact(f"{verb} in", part.strip(" ."))


def _has_day(date: str) -> bool:
    return bool(re.search(r"(?<!\d)\d{1,2}(?!\d)", date))


def other_names(text: str) -> Iterator[BracketFact]:
    """Abbreviations and other names in brackets."""
    if is_abbreviation(text):
        yield BracketFact("also known as", text)
    for match in _NAMED.finditer(text):
        first = re.split(r" (?:until|from|since|before|after|in|on|or|by|and) ", match[1])[0]
        name = first.strip(" .\"'")
        if _NAME.match(name):
            yield BracketFact("also known as", name)
