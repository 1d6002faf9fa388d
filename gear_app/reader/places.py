"""Which of the places that lie in one another a noun asks for.

"Born in Appleton, Wisconsin, United States" is stored as three births. From the narrowest place the
wider ones can be found, and not the other way round: so a county or a region is sought from it,
too, but not a state or a country.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from gear_app.language.relations import names_place, tells_where
from gear_app.language.words import word_set, words
from gear_app.text import normalise_entity
from gear_app.types import Triple

_AT = word_set("in at near from to of")
_STATES = word_set("state province")
_COUNTRIES = word_set("country nation")
_CONTINENTS = word_set("africa antarctica asia europe oceania") | {"north america", "south america"}


class Places:
    """The triples whose objects lie in one another, told of one thing in one way."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Gather what is told to lie in what, and the places that are told of a thing alike."""
        around: dict[str, set[str]] = defaultdict(set)
        told: dict[tuple[int, str, str], dict[str, list[int]]] = defaultdict(dict)
        for triple in triples:
            subject, place = normalise_entity(triple.subject), normalise_entity(triple.object)
            if tells_where(triple.predicate):
                around[subject].add(place)
            if _AT.intersection(word.text for word in words(triple.predicate)[-1:]):
                alike = told[triple.passage_id, subject, triple.predicate]
                alike.setdefault(place, []).append(triple.id)
        self._narrower: dict[int, set[str]] = defaultdict(set)  # with the places told around it
        self._wider: set[int] = set()  # places that another one is told in
        for places in told.values():
            for place, ids in places.items():
                for outer in _all_around(place, around) & places.keys():
                    self._wider.update(places[outer])
                    for id_ in ids:
                        self._narrower[id_].add(outer)

    def conflict(self, noun: str, triple: Triple) -> bool:
        """Whether another of the places that a triple's object lies in, or that lie in it, is what
        a noun asks for, by its last word.

        Never where the place is called by the noun: "Canyon County" is a county. Of two places
        either may be a state, of three it is not the narrowest; no continent is a country.
        """
        asked = next((word.text for word in reversed(words(noun))), "thing")
        if asked in {word.text for word in words(triple.object)}:
            return False
        outer = self._narrower.get(triple.id, set())
        if asked == "continent":
            return bool(outer)
        if asked in _COUNTRIES:
            return bool(outer - _CONTINENTS)
        if asked in _STATES:
            return len(outer) > 1 and triple.id not in self._wider
        return (names_place(asked) or asked == "thing") and triple.id in self._wider


def _all_around(place: str, around: Mapping[str, set[str]]) -> set[str]:
    """What a place lies in, and what that lies in; nothing where it would lie in itself."""
    found: set[str] = set()
    waiting = [place]
    while waiting:
        new = around.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return set() if place in found else found
