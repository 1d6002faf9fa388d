"""The choice of bridge triples: one side is mentioned in the query, the relation fits, the other side is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.reader.mentions import Mention, mention
from gear_app.reader.words import content, words
from gear_app.seams import Embedder
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Triple

MENTIONED = 0.5
NEW_WORDS = 5
EMBEDDED = 60


@dataclass(frozen=True, slots=True)
class Bridge:
    """A triple that leads from `known`, mentioned in the query, to `new`."""

    triple: Triple
    known: str
    new: str
    at: Mention
    partial: str
    fit: float = 0.0
    score: float = 0.0


def nameable(entity: str) -> bool:
    """Whether an entity can be searched for by name: a capital or a digit, at most five words."""
    return 0 < len(words(entity)) <= NEW_WORDS and any(c.isupper() or c.isdigit() for c in entity)


def bridges(triples: Sequence[Triple], query: str, seen: frozenset[str], embedder: Embedder) -> list[Bridge]:
    """Every bridge of the triples, best first."""
    found = [bridge for triple in triples for bridge in _sides(triple, query, seen)]
    found.sort(key=lambda bridge: -bridge.at.quality)
    found = found[:EMBEDDED]
    if not found:
        return []
    vectors = embedder.embed([query, *(bridge.partial for bridge in found)])
    scored = [
        Bridge(b.triple, b.known, b.new, b.at, b.partial, float(fit), float(fit) * (0.5 + 0.5 * b.at.quality))
        for b, fit in zip(found, vectors[1:] @ vectors[0], strict=True)
    ]
    scored.sort(key=lambda bridge: (-round(bridge.score, 6), bridge.triple.id))
    return _one_each(scored)


def _sides(triple: Triple, query: str, seen: frozenset[str]) -> list[Bridge]:
    subject, object_ = mention(triple.subject, query), mention(triple.object, query)
    left = subject.quality if subject else 0.0
    right = object_.quality if object_ else 0.0
    if subject and left >= MENTIONED > right and _fresh(triple.object, seen):
        return [Bridge(triple, triple.subject, triple.object, subject, f"{triple.subject} {triple.predicate}")]
    if object_ and right >= MENTIONED > left and _fresh(triple.subject, seen):
        return [Bridge(triple, triple.object, triple.subject, object_, f"{triple.predicate} {triple.object}")]
    return []


def _fresh(entity: str, seen: frozenset[str]) -> bool:
    return nameable(entity) and normalise_entity(entity) not in seen


def _one_each(ordered: Sequence[Bridge]) -> list[Bridge]:
    seen: set[str] = set()
    kept = []
    for bridge in ordered:
        name = normalise_entity(bridge.new)
        if name not in seen:
            seen.add(name)
            kept.append(bridge)
    return kept


def as_proximal(bridge: Bridge) -> ProximalTriple:
    """The bridge as the screen shows it, with its reason in words."""
    t = bridge.triple
    known = " ".join(word.text for word in content(bridge.known)) or bridge.known
    why = f"'{bridge.known}' is in the question; '{t.predicate}' fits it {bridge.fit:.2f}; new: {bridge.new}"
    return ProximalTriple(t.subject, t.predicate, t.object, t.id, round(bridge.score, 6), why) if known else ProximalTriple(t.subject, t.predicate, t.object, t.id)
