"""Which relations become triples: two different names, at least one of them proper, said once."""

from __future__ import annotations

from collections.abc import Iterable

from gear_app.extract.clauses import Found
from gear_app.extract.words import PRONOUNS
from gear_app.text import normalise_entity, tokenise
from gear_app.types import ExtractedTriple, Span

EMPTY = frozenset(
    "time|year|years|day|days|way|part|parts|case|fact|number|lot|variety|order|result|addition|example|end|beginning|people|place|"
    "rest|majority|total|same name|same time|same year|same day|first time".split("|")
)
LONGEST_PREDICATE = 10
LONGEST_TITLE = 25  # words; other phrases are cut to eight where they are made


class Kept:
    """Collects triples in the order they are offered."""

    def __init__(self) -> None:
        """Empty."""
        self.triples: list[ExtractedTriple] = []
        self._seen: set[tuple[str, str, str]] = set()

    def add(self, found: Found, span: Span | None) -> None:
        """Keep a relation unless it cannot link or was said before."""
        subject, object_ = found.subject.strip(), found.object.strip()
        predicate = " ".join(found.predicate.split()[:LONGEST_PREDICATE])
        key = normalise_entity(subject), normalise_entity(predicate), normalise_entity(object_)
        if not (linkable(subject) and linkable(object_)) or not predicate or key[0] == key[2] or key in self._seen:
            return
        if not (proper(subject) or proper(object_)):
            return
        self._seen.add(key)
        self.triples.append(ExtractedTriple(subject, predicate, object_, span))

    def entities(self, others: Iterable[str]) -> tuple[str, ...]:
        """Every side of a triple and every other name, first form seen, in order."""
        names = [name for triple in self.triples for name in (triple.subject, triple.object)]
        forms: dict[str, str] = {}
        for name in [*names, *(other for other in others if linkable(other))]:
            forms.setdefault(normalise_entity(name), name)
        return tuple(forms.values())


def linkable(name: str) -> bool:
    """Whether a phrase can be an entity: some letters or digits, more than one character, short, no pronoun."""
    words = tokenise(name)
    length = len("".join(words))
    if name.lower() in EMPTY:
        return False
    return 0 < len(words) <= LONGEST_TITLE and length > 1 and words[-1] not in PRONOUNS


def proper(name: str) -> bool:
    """Whether a phrase has a capital or a digit."""
    return any(character.isupper() or character.isdigit() for character in name)
