"""Facts in the brackets after a name: dates and places of birth and death, other names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
_YEAR = r"\d{3,4}(?: ?(?:BC|BCE|AD|CE))?"
_DATE = rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? {_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}|{_MONTH},? {_YEAR}|{_YEAR})"
_ABOUT = r"(?:c(?:irca|a)?\.? ?|about |around |before |after |bef\. ?|aft\. ?|probably |or |\? ?)?"
_PLACE = r"[^\W\d_a-z][^\d;()–]*?"
_SPAN = re.compile(
    rf"(?P<bword>born|b\.)?,? ?(?:in )?(?P<bplace1>{_PLACE})?,? ?(?:on )?{_ABOUT}(?P<born>{_DATE})(?:,? (?:in|at)? ?(?P<bplace>{_PLACE}))?,? ?(?:[–—-]|;|to|until|,? (?=died|d\.)) ?"
    rf"(?P<dword>died|d\.)?,? ?(?:in )?(?P<dplace1>{_PLACE})?,? ?(?:on )?{_ABOUT}(?:\d{{1,2}} or )?(?P<died>{_DATE})(?:,? (?:in|at)? ?(?P<dplace>{_PLACE}))?\.?$"
)
_BORN = re.compile(
    rf"(?:born|b\.) ?(?:(?:as )?(?P<name>[^\W\d_a-z][^\d,;]*?)(?:,|;| on| in|$))?,? ?(?:in (?P<place1>{_PLACE}),? ?)?(?:on )?{_ABOUT}(?P<date>{_DATE})?(?:,? ?(?:in|at) (?P<place>{_PLACE}))?,?(?: as .*)?$"
)
_DIED = re.compile(rf"(?:died|d\.) ?(?:in (?P<place1>{_PLACE}),? ?)?(?:on )?{_ABOUT}(?P<date>{_DATE})?(?:,? ?(?:in|at) (?P<place>{_PLACE}))?$")
_NAMED = re.compile(r"(?:also (?:known as|called|spelled)|(?:better )?known as|formerly(?: known as| called)?|née|nee|abbreviated(?: as| to)?|aka|a\.k\.a\.|personal name|real name|birth name) (?P<name>[^\W\d_a-z][^,;]*)")
_ABBREVIATION = re.compile(r"[A-Z][A-Z&.-]{1,9}$")


class Fact(NamedTuple):
    """What brackets say of the name before them."""

    predicate: str
    object: str


def tells_life(text: str) -> bool:
    """Whether brackets hold a birth or a death."""
    return any(fact.predicate.startswith(("was born", "died")) for fact in life(text))


def life(text: str) -> Iterator[Fact]:
    """Facts of one bracket, in the order birth, death, other names; nothing where it holds something else."""
    text = " ".join(text.split()).strip(" ,;")
    parts = [part.strip(" ,") for part in text.split(";")]
    for part in [text] if len(parts) > 1 and _SPAN.match(text) else parts:
        yield from _part(part)


def _part(part: str) -> Iterator[Fact]:
    span = _SPAN.match(part)
    if span is not None:
        yield from _event("was born", span["born"], span["bplace1"] or span["bplace"])
        yield from _event("died", span["died"], span["dplace1"] or span["dplace"])
        return
    born, died = _BORN.match(part), _DIED.match(part)
    if born is not None:
        if born["name"]:
            yield Fact("was born as", born["name"].strip())
        yield from _event("was born", born["date"], born["place1"] or born["place"])
    elif died is not None:
        yield from _event("died", died["date"], died["place1"] or died["place"])
    elif _ABBREVIATION.match(part):
        yield Fact("also known as", part)
    for named in _NAMED.finditer(part):
        yield Fact("also known as", named["name"].strip())


def _event(verb: str, date: str | None, place: str | None) -> Iterator[Fact]:
    if date:
        yield Fact(f"{verb} {'on' if len(date.split()) > 1 and not date.endswith(('BC', 'AD', 'BCE', 'CE')) else 'in'}", date)
    for name in (place or "").split(","):
        if name.strip():
            yield Fact(f"{verb} in", name.strip())
