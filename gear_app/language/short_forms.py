"""Short forms that a text explains: abbreviations, "WLC (wireless controller)", and people, whose
"P. Raman" and "P.R." are Priya Raman.

The explanation of an abbreviation is a mention of its own, `wlc=wireless controller`: an index
reads from it that what holds all words of the long form holds the short one, in every passage of
the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.text import MARKS, WORD, normal
from gear_app.types import Span

_SHORT_FIRST = re.compile(r"(?<!\w)([^\W\d_]{2,8})[ \u00a0]?\(([^()\n]{3,80})\)")
_LONG_FIRST = re.compile(r"\(([^\W\d_]{2,8})\)")
_SMALL = frozenset("of the and for in on to a an de la du des der die und y e".split())
_BEFORE = 100  # characters before a bracket in which the long form stands


def explanations(text: str) -> Iterator[tuple[str, Sequence[str], Span]]:
    """Short form, the words of the long one that say something, and the place of both. The letters
    must be the words' first letters, with a few from within; those of small words may be left out.
    """
    for match in _SHORT_FIRST.finditer(text):
        words = [word[0] for word in WORD.finditer(match[2])]
        if words and _capitals(match[1]) and _fits(match[1], words):
            yield normal(match[1]), _telling(words), Span(*match.span())
    for match in _LONG_FIRST.finditer(text):
        if not _capitals(match[1]):
            continue
        before = list(WORD.finditer(text, max(0, match.start() - _BEFORE), match.start()))
        tails = [before[-length:] for length in range(2, len(before) + 1)]
        fitting = [tail for tail in tails if _fits(match[1], [word[0] for word in tail])]
        if fitting:  # the longest: "Toronto Transit Commission (TTC)" begins with T twice
            words = [word[0] for word in fitting[-1]]
            yield normal(match[1]), _telling(words), Span(fitting[-1][0].start(), match.end())


def meanings(names: Iterable[str]) -> dict[str, list[str]]:
    """The words of the long form of every short one that has only one among a collection's
    mentions.
    """
    found: dict[str, set[str]] = {}
    for name in names:
        short, is_one, long = name.partition("=")
        if is_one:
            found.setdefault(short, set()).add(long)
    return {short: one.split() for short, (one, *others) in found.items() if not others}


def _capitals(short: str) -> bool:
    """Whether most of it is in capitals: "WLC", "PhD", not "see"."""
    return short[0].isupper() and 2 * sum(map(str.isupper, short)) > len(short)


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.casefold() not in _SMALL]


def _fits(short: str, words: Sequence[str]) -> bool:
    """Whether the first letters of at least two words, in order, are the short form; letters from
    within the words may stand among them, but not more than there are first ones.
    """
    if words[0].casefold() in _SMALL:
        return False
    telling = [normal(word) for word in _telling(words)]
    letters = normal(short)
    if letters == "".join(normal(word)[0] for word in words):
        return len(telling) > 1
    return 1 < len(telling) <= len(letters) <= 2 * len(telling) and _spelt(letters, telling)


def _spelt(letters: str, words: Sequence[str]) -> bool:
    """Whether every word gives its first letter, and perhaps later ones, in order."""
    if not words:
        return not letters
    word, rest = words[0], words[1:]
    place = 0
    for used, letter in enumerate(letters, start=1):
        place = word.find(letter, place) + 1
        if not place or (used == 1 and place > 1):
            return False
        if _spelt(letters[used:], rest):
            return True
    return False


# People: only with stops, and only where one person can be meant: bare initials are too many things

_LETTER = rf"[^\W\d_][{MARKS}]*+"
_MORE = rf"(?:[^\W\d_]|[{MARKS}])"
_NAME = rf"{_LETTER}{_MORE}+(?:['’-]{_MORE}+)?"
_ALONE, _AFTER = rf"(?<![\w{MARKS}.])", rf"(?![\w{MARKS}])"
_FULL = re.compile(rf"(?<![\w{MARKS}.'’-])(?=({_NAME}) (?:{_LETTER}\. ?)?({_NAME}){_AFTER})")
_LAST = re.compile(rf"{_ALONE}({_LETTER})\. ?(?:{_LETTER}\. ?)?({_NAME}){_AFTER}")
_INITIALS = re.compile(rf"(?<!the ){_ALONE}({_LETTER})\. ?({_LETTER})\.(?! ?{_LETTER}\.){_AFTER}")
_SURNAME_FOLLOWS = re.compile(r" ?[^\W\d_]")
_LETTERS = re.compile(rf"{_MORE}+")
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
    common = {normal(w) for w in _LETTERS.findall(text) if w.islower()} if pairs else set()
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
