"""Abbreviations that a text explains: "WLC (wireless controller)", "wireless controller (WLC)".

The explanation is a mention of its own, `wlc=wireless controller`: an index reads from it that what
holds all words of the long form holds the short one, in every passage of the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gear_app.letters import WORD, normal
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
