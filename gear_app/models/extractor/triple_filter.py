"""Which relations become triples: two different names, at least one proper, without repeats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import ExtractedTriple, Span
from gear_app.language.words import DETERMINERS
from gear_app.models.extractor.words import PRONOUNS

LONGEST_PREDICATE = 10  # words
LONGEST_NAME = 25  # words, for a title; other phrases are cut to eight where they are made
_ORDINARY = " -–'’.,&/:+#"
EMPTY = frozenset(
    "time|year|years|day|days|way|part|parts|case|fact|number|lot|variety|order|result|addition|example|end|beginning|people|place|rest|majority|total|own|course|same"
    " name|same time|same year|same day|first time".split("|")
)


class Relation(NamedTuple):
    """A relation between two names, and the index of a token of its sentence."""

    subject: str
    predicate: str
    object: str
    at: int


class TripleFilter:
    """Collects triples in the order they are offered."""

    def __init__(self) -> None:
        self.triples: list[ExtractedTriple] = []
        self._positions: dict[tuple[str, ...], int] = {}

    def add(self, relation: Relation, span: Span | None) -> None:
        """Add a relation as a triple unless it cannot link passages or repeats one."""
        subject, _, object_, _ = relation
        predicate = " ".join(relation.predicate.split()[:LONGEST_PREDICATE])
        triple = ExtractedTriple(subject, predicate, object_, span)
        key = tuple(normalise_entity(side) for side in (subject, f"{predicate} {object_}"))
        if not normalise_entity(predicate) or normalise_entity(object_) == key[0]:
            return
        if key in self._positions:
            # "wants | logs of May" and "wants logs of | May" are one fact: the name links
            place = self._positions[key]
            if len(object_) < len(self.triples[place].object) and proper(object_):
                self.triples[place] = triple
        elif linkable(subject) and linkable(object_) and (proper(subject) or proper(object_)):
            self._positions[key] = len(self.triples)
            self.triples.append(triple)

    def entities(self, other_names: Iterable[str]) -> tuple[str, ...]:
        """Every side of a triple and every other name, the first form of each, in order."""
        names = [name for triple in self.triples for name in (triple.subject, triple.object)]
        forms: dict[str, str] = {}
        for name in [*names, *filter(linkable, other_names)]:
            forms.setdefault(normalise_entity(name), name)
        return tuple(forms.values())


def linkable(name: str) -> bool:
    """Whether a phrase can be an entity: of two characters or more, no article alone, not "the
    time", and not ending with a pronoun ("1 Mile to You" ends with a word of its name).

    Strings of symbols, as binary garbage gives, are none.
    """
    words = tokenise(name)
    is_article = set(name.lower().split()) <= DETERMINERS
    if name.lower() in EMPTY or not 0 < len(words) <= LONGEST_NAME or is_article:
        return False
    ordinary = sum(c.isalnum() or c in _ORDINARY for c in name)
    is_pronoun = words[-1] in PRONOUNS and (len(words) == 1 or name.split()[-1].islower())
    return len(name) > 1 and not is_pronoun and ordinary >= 0.9 * len(name)


def proper(name: str) -> bool:
    """Whether a phrase has a capital or a digit."""
    return any(character.isupper() or character.isdigit() for character in name)
