"""The words of a question with their places, and closed lists of English function words."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from gear_app.core.text import WORD


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

RELATIVE = word_set("who whom whose which that where when")
ASKING = word_set("what which who whom whose where when how")
PREPOSITIONS = word_set(
    "of in on at by for from to with about under after before during through into over between"
    " against within besides as than around near along"
)
AUXILIARIES = word_set(
    "is was are were be been being do does did has have had will would can could"
)
MODALS = word_set("must should might shall may")
DETERMINERS = word_set("the a an this these those his her its their my our")
CLAUSE_WORDS = (
    RELATIVE
    | PREPOSITIONS
    | AUXILIARIES
    | DETERMINERS
    | word_set("and or but not he she it they what how")
)
"""The function words by which a question is cut into clauses."""

LIGHT_WORDS = word_set(
    # what stands for a name or a number
    "myself yourself himself herself itself ourselves yourselves themselves oneself anybody anyone"
    " anything everybody everyone everything nobody none nothing somebody someone something"
    " whatever whichever whoever hers ours yours theirs such many much less least several enough"
    " either neither else various whole half four five six seven eight nine ten eleven twelve"
    " second third"
    # what joins
    " above across against along although amid among amongst around because behind below beside"
    " besides between beyond despite except inside like near outside since though through"
    " throughout toward towards unless upon whereas whether within without"
    # when, how and how much
    " ago almost already also altogether always away back early even ever everywhere far further"
    " hardly however indeed instead just late later maybe meanwhile mostly nearly never"
    " nevertheless now nowhere often otherwise perhaps quite rather really seldom simply somehow"
    " sometimes somewhere soon still therefore thus today together tomorrow too usually very"
    " yesterday yet"
    # verbs that leave the saying to their object
    " am become becomes became becoming bring brings brought came cannot come comes coming does"
    " doing gave get gets getting give given gives giving go goes going gone got having keep"
    " keeping keeps kept knew know known knows let lets look looked looking looks made make makes"
    " making need needed needs put puts putting said say saying says see seeing seem seemed"
    " seems seen take taken takes taking tell tells think thinks thought told took tried tries try"
    " trying use used uses using want wanted wants went"
    # nouns for anything, and forms of address
    " mr mrs ms ok okay sort thing things time times way ways"
)
"""Words so common that two texts that share one need not be about the same. Units ("day", "part")
are not among them: with a number behind they name something.
"""

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
    """Runs of letters and digits, with marks, in order, case-folded; places are those in `text`.

    Accents are removed, since questions spell "Akinoshu" what passages spell "Akinoshū". With
    `accents` they stay: among function words the French "à" is not "a".
    """
    normal = str.casefold if accents else _plain
    return tuple(
        Word(normal(m[0]), m.start(), m.end(), m[0][0].isupper(), m[0][0].isdigit())
        for m in WORD.finditer(text)
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
