"""What the gist memory says about the question: mentions followed from triple to triple, and the query they leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.reader.mentions import mention
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution


@dataclass(frozen=True, slots=True)
class Chain:
    """The question with every followed mention replaced, and the names met on the way (normalised)."""

    query: str
    substitutions: tuple[Substitution, ...]
    seen: frozenset[str]


def follow(memory: Sequence[ProximalTriple], question: str) -> Chain:
    """Follow the memory's triples in order."""
    query, done = question, []
    seen = {normalise_entity(name) for triple in memory for name in (triple.subject, triple.object)}
    for triple in memory:
        for known, new in ((triple.subject, triple.object), (triple.object, triple.subject)):
            at, other = mention(known, query), mention(new, query)
            if at and at.quality >= 0.5 and not (other and other.quality >= 0.5):
                removed = query[at.start : at.end]
                query = re.sub(r"\s+", " ", query[: at.start] + new + query[at.end :]).strip()
                done.append(Substitution(removed, new, triple.text))
                break
    return Chain(query, tuple(done), frozenset(seen))
