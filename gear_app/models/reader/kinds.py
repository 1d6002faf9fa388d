"""The kind of thing that a noun asks for."""

from __future__ import annotations

from typing import Literal

from gear_app.language.relations import names_agent, names_place
from gear_app.language.words import word_set, words

Kind = Literal["person", "place", "organisation", "work"]

_PERSONS = word_set(
    "father mother son daughter brother sister wife husband uncle aunt nephew niece pupil student"
    " teacher mentor widow cousin grandson granddaughter grandfather grandmother child"
    " king queen prince princess emperor man woman boy girl pope saint president minister scientist"
    " chemist physicist astronomer novelist poet actor actress singer runner soldier sailor captain"
    " doctor engineer architect revolutionary colleague mayor governor ruler"
)
_PLACES = word_set(
    "lake river port harbour colony mountain sea ocean street house building bridge station airport"
    " depot republic"
)
_ORGANISATIONS = word_set(
    "company firm label band newspaper magazine studio college university school institute team"
    " squad club party agency publisher network orchestra group supplier"
)
_WORKS = word_set("film movie novel book song album series show play poem painting opera story")
_QUALITIES = word_set(
    "colour color size shape age height length width depth weight price nationality religion"
    " profession occupation job material brand make genre taste flavour smell temperature mood"
    " gender illness disease allergy hobby"
)


def is_quality(noun: str) -> bool:
    """Whether a noun asks for a quality ("what colour"), which no name of the thing states."""
    return bool({word.text for word in words(noun)[-1:]} & _QUALITIES)


def kind_of_noun(noun: str) -> Kind | None:
    """The kind that a noun asks for, by its last word; None where that is not known."""
    word = next((word.text for word in words(noun)[-1:]), "")
    if word in _ORGANISATIONS:
        return "organisation"
    if word in _PERSONS or word.endswith(("ist", "ian", "eer", "man")) or names_agent(word):
        return "person"
    if word in _PLACES or names_place(word):
        return "place"
    return "work" if word in _WORKS else None
