"""Which of the places that a sentence names in a row a noun asks for.

"Born in Appleton, Wisconsin, United States" is stored as three births and as what lies in what.
Asked is the narrowest of them, as a rule, the widest where the noun asks for a country, and one
that another lies in where it asks for a state.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import permutations

from gear_app.english.words import word_set, words
from gear_app.text import normalise_entity
from gear_app.types import Triple

_LIES_IN = re.compile(r"((is|was|are|were) )?((located|situated|lies) )?in")
_STATES = word_set("state province")
_COUNTRIES = word_set("country nation nationality continent")


class Places:
    """The triples whose objects are places in one another, told of one thing in one way."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Read every triple twice: what lies in what, then what is told of several of these."""
        triples = list(triples)
        lies = {
            (normalise_entity(triple.subject), normalise_entity(triple.object))
            for triple in triples
            if _LIES_IN.fullmatch(triple.predicate)
        }
        told: dict[tuple[int, str, str], list[Triple]] = defaultdict(list)
        for triple in triples:
            told[triple.passage_id, triple.subject, triple.predicate].append(triple)
        self._narrower: set[int] = set()  # a place that another one is told around
        self._wider: set[int] = set()  # a place that another one is told in
        for alike in told.values():
            for inner, outer in permutations(alike, 2):
                if (normalise_entity(inner.object), normalise_entity(outer.object)) in lies:
                    self._narrower.add(inner.id)
                    self._wider.add(outer.id)

    def conflict(self, noun: str, triple: Triple) -> bool:
        """Whether another of the places that a triple is told of is the one that a noun asks for.

        Never where the place is called by the noun: "Canyon County" is a county.
        """
        asked = {word.text for word in words(noun)[-1:]}
        if asked & {word.text for word in words(triple.object)}:
            return False
        if asked & _COUNTRIES:
            return triple.id in self._narrower
        if asked & _STATES:
            return triple.id in self._narrower - self._wider
        return triple.id in self._wider
