"""What kind of thing a name is, as far as the triples at hand tell, and what kind a noun asks for.

A label is no person and a person no label: what was born or married is a person, what things are
done *in* is a place, what was directed is a work. A name of which nothing is told fits everything.

And which of the places that lie in one another a noun asks for. "Born in Appleton, Wisconsin,
United States" is stored as three births. From the narrowest place the wider ones can be found, and
not the other way round: so a county or a region is sought from it, too, but not a state or a
country.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from gear_app.language.answer_types import is_date
from gear_app.language.relations import names_agent, names_place, tells_where
from gear_app.language.verbs import root
from gear_app.language.words import word_set, words
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Triple

Kind = Literal["person", "place", "organisation", "work", "time"]

_PERSONAL = frozenset(
    map(root, word_set("born died married studied educated graduated nicknamed buried raised"))
)
_RELATIVES = word_set(
    "father mother son daughter brother sister wife husband uncle aunt nephew niece pupil student"
    " teacher mentor widow cousin grandson granddaughter grandfather grandmother child"
)
_WORKED = frozenset(map(root, word_set("directed written composed released filmed published")))
_LIES = word_set("located situated lies stands flows crosses")
_PERSONS = word_set(
    "king queen prince princess emperor man woman boy girl pope saint president minister scientist"
    " chemist physicist astronomer novelist poet actor actress singer runner soldier sailor captain"
    " doctor engineer architect revolutionary colleague mayor governor ruler"
)
_PLACES = word_set(
    "lake river port harbour colony mountain sea ocean street house building bridge station airport"
    " depot republic"
)
_AREAS = word_set("county state province country city town village")
_WAY = re.compile(
    r".*\s(route|road|street|avenue|highway|motorway|interstate|railway|railroad)"
    r"|(.*\s)?(route|highway|motorway|interstate)\s\w*\d\w*",
    re.IGNORECASE,
)
_ORGANISATIONS = word_set(
    "company firm label band newspaper magazine studio college university school institute team"
    " squad club party agency publisher network orchestra group supplier"
)
_WORKS = word_set("film movie novel book song album series show play poem painting opera story")
_NAMED_SO = word_set(
    "records company companies university college inc ltd corporation institute society museum"
    " studios pictures press association orchestra committee"
)


_QUALITIES = word_set(
    "colour color size shape age height length width depth weight price nationality religion"
    " profession occupation job material brand make genre taste flavour smell temperature mood"
    " gender illness disease allergy hobby"
)
_AT = word_set("in at near from to of")
_STATES = word_set("state province")
_COUNTRIES = word_set("country nation")
_CONTINENTS = word_set("africa antarctica asia europe oceania") | {"north america", "south america"}


class Kinds:
    """The kinds of names that triples tell."""

    def __init__(self, triples: Iterable[Triple | ProximalTriple]) -> None:
        self._kinds: dict[str, set[Kind]] = {}
        for triple in triples:
            self._learn(triple)

    def conflict(self, noun: str, name: str) -> bool:
        """Whether the name is known to be of another kind than the noun asks for: a road is no
        county, and is called so.
        """
        if noun.casefold().rpartition(" ")[2] in _AREAS and _WAY.fullmatch(name):
            return True
        wanted, known = kind_of_noun(noun), self.of(name)
        return bool(wanted and known) and wanted not in known

    def of(self, name: str) -> frozenset[Kind]:
        """The kinds a name was seen as; none where nothing tells."""
        if is_date(name):
            return frozenset(("time",))
        found = set(self._kinds.get(normalise_entity(name), ()))
        if {word.text for word in words(name)[-1:]} & _NAMED_SO:
            found = {"organisation"}
        return frozenset(found)

    def _learn(self, triple: Triple | ProximalTriple) -> None:
        told = [word.text for word in words(triple.predicate)]
        if not told:
            return
        stems = {root(word) for word in told}
        if stems & _PERSONAL and told[0] not in ("made", "gave"):
            self._add(triple.subject, "person")
            if told[-1] in ("in", "at", "near"):
                self._add(triple.object, "place")
        if set(told) & _RELATIVES:
            self._add(triple.subject, "person")
            self._add(triple.object, "person")
        if set(told) & _LIES and not stems & _PERSONAL:
            self._add(triple.subject, "place")
        if stems & _WORKED and told[-1] == "by":
            self._add(triple.subject, "work")
        contained = kind_of_noun(told[-1]) if told[-1] in _WORKS else None
        if contained:
            self._add(triple.object, contained)  # "contains the song"
        said = kind_of_noun(triple.object) if told[0] in ("is", "was") else None
        if said and len(told) == 1 and triple.object.islower():
            self._add(triple.subject, said)

    def _add(self, name: str, kind: Kind) -> None:
        self._kinds.setdefault(normalise_entity(name), set()).add(kind)


def is_quality(noun: str) -> bool:
    """Whether a noun asks what something is like, which no name of it tells: "what colour"."""
    return bool({word.text for word in words(noun)[-1:]} & _QUALITIES)


def kind_of_noun(noun: str) -> Kind | None:
    """The kind that a noun asks for, by its last word; None where that is not known."""
    last = [word.text for word in words(noun)][-1:]
    word = last[0] if last else ""
    if word in _ORGANISATIONS:
        return "organisation"
    person = word in _PERSONS | _RELATIVES or word.endswith(("ist", "ian", "eer", "man"))
    if person or (names_agent(word) and word not in ("band", "group", "company")):
        return "person"
    if word in _PLACES or names_place(word):
        return "place"
    return "work" if word in _WORKS else None


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
