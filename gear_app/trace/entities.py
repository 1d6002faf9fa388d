"""The names of a run's entities, and where they stand in its texts.

An entity is known by its normal form (`text.normalise_entity`): whatever has the same one is the
same entity, in a triple, a passage's title or a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.core.text import NAME_WORD, normalise_entity, title_and_section, without_part
from gear_app.core.types import EntityName, Span
from gear_app.language.words import FUNCTION_WORDS
from gear_app.trace.events import Event
from gear_app.trace.events.values import values

LONGEST = 12  # tokens; what is longer is a sentence, and is looked for nowhere
_QUALIFIER = re.compile(r"\s*\([^()]*\)$")  # "The Exorcist (film)" is about The Exorcist
_Tokens = tuple[str, ...]


class EntityPlace(NamedTuple):
    """Place of an entity's name in a text, and its normal form."""

    span: Span
    entity: str


@dataclass(frozen=True, slots=True)
class EntityNames:
    """Names by their first token, as tokens, the longest first."""

    by_first: Mapping[str, Sequence[_Tokens]]

    def places(self, text: str) -> list[EntityPlace]:
        """The names in a text from left to right, whole words only, none inside of another.

        Of several that begin at a word the longest is taken. Capitals do not matter.
        """
        words = [(word.span(), normalise_entity(word[0])) for word in NAME_WORD.finditer(text)]
        tokens = [token for _, token in words]
        places: list[EntityPlace] = []
        at = 0
        while at < len(words):
            name = self._at(tokens, at)
            if name:
                span = Span(words[at][0][0], words[at + len(name) - 1][0][1])
                places.append(EntityPlace(span, " ".join(name)))
            at += max(1, len(name))
        return places

    def _at(self, tokens: Sequence[str], at: int) -> _Tokens:
        names = self.by_first.get(tokens[at], ())
        return next((name for name in names if tuple(tokens[at : at + len(name)]) == name), ())


def entity_names(names: Iterable[str]) -> EntityNames:
    """Index of names for looking them up in texts, without those of function words alone."""
    by_first: dict[str, list[_Tokens]] = {}
    for tokens in {tuple(normalise_entity(name).split()) for name in set(names)}:
        if len(tokens) <= LONGEST and not FUNCTION_WORDS.issuperset(tokens):
            by_first.setdefault(tokens[0], []).append(tokens)
    return EntityNames({first: sorted(group, key=len)[::-1] for first, group in by_first.items()})


def names_of(events: Sequence[Event]) -> EntityNames:
    """Every name in the triples, walks, links and matches of a run, and in its passages' titles."""
    return entity_names(name for event in events for name in _names(event))


def _names(event: Event) -> Iterator[str]:
    for passage in getattr(event, "ranking", ()):
        yield _QUALIFIER.sub("", title_and_section(without_part(passage.title))[0])
    yield from values(event, EntityName)
