"""The English words by which a question hangs together: what GRIEVER's splitter and rewriter go
by.
"""

from __future__ import annotations

import re
from typing import NamedTuple


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONNECTORS = _set("who whom whose which that where when")
PREPOSITIONS = _set(
    "of in on at by for from to with about under after before during through into over between"
    " against within besides as than around near along"
)
AUXILIARIES = _set("is was are were be been being do does did has have had will would can could")
DETERMINERS = _set("the a an this these those his her its their my our")
WAITING = _set(
    "do does did will would can could"
)  # their verb comes after the subject and its clauses
FUNCTION = (
    CONNECTORS
    | PREPOSITIONS
    | AUXILIARIES
    | DETERMINERS
    | _set("and or but not he she it they what how")
)
JOINING = PREPOSITIONS | AUXILIARIES | _set("and or but not what how why")
SAYING = _set(
    "said say says show showed shown believe believed claim claimed know known find found prove"
    " proved so"
)
STATES = _set("located situated based set found born named called known")
_PARTICIPLES = STATES | _set(
    "built written made won held led sung drawn shot given sold bought taken"
)
_WORD = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """A word of a text, case-folded, with its place and whether it is written with a capital."""

    text: str
    start: int
    end: int
    capital: bool


def words(text: str) -> list[Word]:
    """Runs of letters and digits in order."""
    return [
        Word(m[0].casefold(), m.start(), m.end(), m[0][0].isupper()) for m in _WORD.finditer(text)
    ]


def participle(word: str) -> bool:
    """Whether the word looks like a past participle."""
    return word.endswith("ed") or word in _PARTICIPLES
