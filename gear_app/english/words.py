"""A question as words with places: what the local reader looks at. English only."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")


def word_set(text: str) -> frozenset[str]:
    """The words of a list written in one line, spaces between them."""
    return frozenset(text.split())


FUNCTION_WORDS = word_set(
    "a an and are as at be been being but by did do does for from had has have he her hers him his"
    " how i if in into is it its itself many much me more most my no nor not of off on once only or"
    " other our out over same she so some such than that the their them then there these they this"
    " those to too under until up very was we were what when where which while who whom whose why"
    " will with within would you your s t"
)
"""Words that name nothing: they never make a mention and never match a relation."""


class Word(NamedTuple):
    """One word of a text: its normal form, where it stands (end exclusive), and whether it looks
    like a name.
    """

    text: str
    start: int
    end: int
    capital: bool


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """Runs of letters and digits in order, case-folded and without accents; places are those of the
    original.
    """
    return tuple(
        Word(plain(m[0]), m.start(), m.end(), m[0][0].isupper() or m[0][0].isdigit())
        for m in _WORD.finditer(text)
    )


def plain(word: str) -> str:
    """Case-folded, accents removed: questions spell "Akinoshu" what passages spell "Akinoshū"."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[Word, ...]:
    """The words that are not function words; all words where nothing else is left ("The Who")."""
    found = words(text)
    return tuple(word for word in found if word.text not in FUNCTION_WORDS) or found


def stem(word: str) -> str:
    """A word without its commonest English endings, enough to see that "directed" and "director"
    belong together.
    """
    for ending in ("ings", "ing", "ers", "ors", "ed", "er", "or", "es", "e", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of the text's content words."""
    return frozenset(stem(word.text) for word in words(text) if word.text not in FUNCTION_WORDS)
