"""Short forms of a person who is named in full in the same text: "P. Raman" and "P.R." are Priya
Raman. Only with stops, and only where one person can be meant: bare initials are too many things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gear_app.mentions.letters import normal
from gear_app.types import Span

_NAME = r"[^\W\d_][^\W\d_'’-]+(?:['’-][^\W\d_]+)?"
_FULL = re.compile(rf"(?<![\w.'’-])(?=({_NAME}) (?:[^\W\d_]\. ?)?({_NAME})(?!\w))")
_LAST = re.compile(rf"(?<![\w.])([^\W\d_])\. ?(?:[^\W\d_]\. ?)?({_NAME})(?!\w)")
_INITIALS = re.compile(r"(?<!the )(?<![\w.])([^\W\d_])\. ?([^\W\d_])\.(?! ?[^\W\d_]\.)(?!\w)")
_SURNAME_FOLLOWS = re.compile(r" ?[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_NOBODY = frozenset("us uk un eu dc ad bc pm am la ny nj sc nc nd sd ps eg ie".split())


class Person(NamedTuple):
    """A first and a last name, in normal form."""

    first: str
    last: str

    @property
    def name(self) -> str:
        """Both, as a mention."""
        return f"{self.first} {self.last}"


def people(text: str) -> frozenset[Person]:
    """Pairs of neighbouring capitalised words that the text never writes in lower case."""
    pairs = {match.groups() for match in _FULL.finditer(text) if _capital(*match.groups())}
    if not pairs:
        return frozenset()
    common = {word for word in _WORD.findall(text) if word.islower()}
    found = (Person(normal(first), normal(last)) for first, last in pairs)
    return frozenset(one for one in found if not common & {one.first, one.last})


def short_forms(text: str, known: frozenset[Person]) -> Iterator[tuple[str, Span]]:
    """The full names of the `known` people whose short forms a sentence has."""
    for match in _LAST.finditer(text) if known else ():
        initial, last = normal(match[1]), normal(match[2])
        meant = [one for one in known if one.last == last and one.first.startswith(initial)]
        if _capital(*match.groups()) and len(meant) == 1:
            yield meant[0].name, Span(*match.span())
    for match in _INITIALS.finditer(text) if known else ():
        first, last = normal(match[1]), normal(match[2])
        meant = [one for one in known if (one.first[0], one.last[0]) == (first, last)]
        following = _SURNAME_FOLLOWS.match(text, match.end())
        of_a_name = following is not None and following[0][-1].isupper()
        nobody = of_a_name or first + last in _NOBODY or not _capital(*match.groups())
        if len(meant) == 1 and not nobody:
            yield meant[0].name, Span(*match.span())


def _capital(*words: str) -> bool:
    return all(word[0].isupper() for word in words)
