"""The words of a question with their places, and closed lists of English function words."""

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

CONNECTORS = word_set("who whom whose which that where when")
PREPOSITIONS = word_set(
    "of in on at by for from to with about under after before during through into over between"
    " against within besides as than around near along"
)
AUXILIARIES = word_set(
    "is was are were be been being do does did has have had will would can could"
)
DETERMINERS = word_set("the a an this these those his her its their my our")
CLAUSE_WORDS = (
    CONNECTORS
    | PREPOSITIONS
    | AUXILIARIES
    | DETERMINERS
    | word_set("and or but not he she it they what how")
)
"""The function words by which a question is cut into clauses."""

STATES = word_set("located situated based set found born named called known")
_IRREGULAR_PARTICIPLES = word_set(
    "built written made won held led sung drawn shot given sold bought taken"
)


class Word(NamedTuple):
    """A word of a text: its normal form, its characters `start` to `end` (exclusive).

    `capital` and `digit` say what it begins with.
    """

    text: str
    start: int
    end: int
    capital: bool
    digit: bool


@lru_cache(maxsize=8192)
def words(text: str, *, accents: bool = False) -> tuple[Word, ...]:
    """Runs of letters and digits in order, case-folded; places are those in `text`.

    Accents are removed, since questions spell "Akinoshu" what passages spell "Akinoshū". With
    `accents` they stay: among function words the French "à" is not "a".
    """
    normal = str.casefold if accents else _plain
    return tuple(
        Word(normal(m[0]), m.start(), m.end(), m[0][0].isupper(), m[0][0].isdigit())
        for m in _WORD.finditer(text)
    )


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[Word, ...]:
    """The words that are not function words; all words where nothing else is left ("The Who")."""
    every = words(text)
    return tuple(word for word in every if word.text not in FUNCTION_WORDS) or every


def participle(word: str) -> bool:
    """Whether the word looks like a past participle."""
    return word.endswith("ed") or word in STATES or word in _IRREGULAR_PARTICIPLES


def stem(word: str) -> str:
    """The word without its commonest endings: "directed" and "director" have the same stem."""
    for ending in ("ings", "ing", "ers", "ors", "ed", "er", "or", "es", "e", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of the text's words that are not function words."""
    return frozenset(stem(word.text) for word in words(text) if word.text not in FUNCTION_WORDS)
