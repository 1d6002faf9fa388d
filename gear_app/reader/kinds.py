"""What kind of thing a name is, as far as the triples at hand tell, and what kind a noun asks for.

A label is no person and a person no label: what was born or married is a person, what things are
done *in* is a place, what was directed is a work. A name of which nothing is told fits everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from gear_app.language.answer_types import is_date
from gear_app.language.relations import names_agent, names_place
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


class Kinds:
    """The kinds of names that triples tell."""

    def __init__(self, triples: Iterable[Triple | ProximalTriple]) -> None:
        """Read every triple once."""
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
