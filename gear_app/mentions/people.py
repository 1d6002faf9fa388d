"""Short forms of a person who is named in full in the same text: "P. Raman" and "P.R." are Priya
Raman. Only with stops, and only where one person can be meant: bare initials are too many things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.letters import MARKS, normal
from gear_app.types import Span

_LETTER = rf"[^\W\d_][{MARKS}]*+"
_MORE = rf"(?:[^\W\d_]|[{MARKS}])"
_NAME = rf"{_LETTER}{_MORE}+(?:['’-]{_MORE}+)?"
_BEFORE, _AFTER = rf"(?<![\w{MARKS}.])", rf"(?![\w{MARKS}])"
_FULL = re.compile(rf"(?<![\w{MARKS}.'’-])(?=({_NAME}) (?:{_LETTER}\. ?)?({_NAME}){_AFTER})")
_LAST = re.compile(rf"{_BEFORE}({_LETTER})\. ?(?:{_LETTER}\. ?)?({_NAME}){_AFTER}")
_INITIALS = re.compile(rf"(?<!the ){_BEFORE}({_LETTER})\. ?({_LETTER})\.(?! ?{_LETTER}\.){_AFTER}")
_SURNAME_FOLLOWS = re.compile(r" ?[^\W\d_]")
_WORD = re.compile(rf"{_MORE}+")
_NAMESAKES = 50
_NOBODY = frozenset("us uk un eu dc ad bc pm am la ny nj sc nc nd sd ps eg ie".split())


class Person(NamedTuple):
    """A first and a last name, in normal form."""

    first: str
    last: str

    @property
    def name(self) -> str:
        """Both, as a mention."""
        return f"{self.first} {self.last}"


class People(NamedTuple):
    """Those whom a text names in full, by last name and by both initials."""

    by_last: Mapping[str, Sequence[Person]]
    by_initials: Mapping[str, Sequence[Person]]


def people(text: str) -> People:
    """Pairs of neighbouring capitalised words that the text never writes in lower case."""
    pairs = {match.groups() for match in _FULL.finditer(text) if _capital(*match.groups())}
    common = {normal(w) for w in _WORD.findall(text) if w.islower()} if pairs else set()
    known = {Person(normal(first), normal(last)) for first, last in pairs}
    by_last: dict[str, list[Person]] = {}
    by_initials: dict[str, list[Person]] = {}
    for one in known:
        if not common & {one.first, one.last}:
            by_last.setdefault(one.last, []).append(one)
            by_initials.setdefault(one.first[0] + one.last[0], []).append(one)
    return People(by_last, by_initials)


def short_forms(text: str, known: People) -> Iterator[tuple[str, Span]]:
    """The full names of the `known` people whose short forms a sentence has."""
    for match in _LAST.finditer(text) if known.by_last else ():
        named = known.by_last.get(normal(match[2]), ())[:_NAMESAKES]
        meant = [one for one in named if one.first.startswith(normal(match[1]))]
        if _capital(*match.groups()) and len(meant) == 1:
            yield meant[0].name, Span(*match.span())
    for match in _INITIALS.finditer(text) if known.by_last else ():
        initials = normal(match[1]) + normal(match[2])
        meant = [*known.by_initials.get(initials, ())[:2]]
        following = _SURNAME_FOLLOWS.match(text, match.end())
        of_a_name = following is not None and following[0][-1].isupper()
        nobody = of_a_name or initials in _NOBODY or not _capital(*match.groups())
        if len(meant) == 1 and not nobody:
            yield meant[0].name, Span(*match.span())


def _capital(*words: str) -> bool:
    return all(word[0].isupper() for word in words)
