"""The choice of bridge triples: one side is mentioned in the query, the relation fits, the other side is new.

Each candidate is weighed by a few plain observations (`Evidence`); the weights are those that told right bridges from
wrong ones best on the first hops of questions with a published decomposition (docs/decisions).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.reader.chain import Asks
from gear_app.reader.clauses import final
from gear_app.reader.mentions import Anchor, Mention, Query
from gear_app.reader.relations import related
from gear_app.reader.slots import asked, is_date, is_number, suits
from gear_app.reader.words import content, stems, words
from gear_app.seams import Embedder
from gear_app.text import normalise_entity
from gear_app.types import Passage, Triple

EVEN, SLOPE = 10.4, 1.2  # the weighted evidence at which a bridge is as likely right as wrong, and how steep
MENTIONED = 0.3
NEW = 0.5
EMBEDDED = 16
LONGEST = 10
HEAVY = 2.0


class Evidence(NamedTuple):
    """What speaks for a bridge; all in about [0, 1] except `mass`."""

    quality: float  # how well the known side is mentioned
    mass: float  # how rare the words of the mention are, summed
    other: float  # how well the new side is mentioned: it should not be
    implied: float  # 1: the known side is not the triple's but its passage's title
    titled: float  # how well the passage's title is mentioned
    date: float  # 1: the new side is a date or a number and that is not what is left to ask
    named: float  # 1: the new side has a capital letter
    length: float  # words of the new side / 10
    shared: float  # 1: predicate and question share a word's stem
    related: float  # 1: they belong to the same way of speaking (relations.py)
    proper: float  # 1: the mention is written with a capital, or the whole query is without
    owned: float  # 1: the question says "X's …"
    whole: float = 0.0  # cosine of the triple and the query
    relation: float = 0.0  # cosine of the predicate and what the query asks about the known side
    kind: float = 0.0  # cosine of the new side and the noun the query has for it ("country")


WEIGHTS = Evidence(0.8, 1.5, 0.0, -1.0, 2.0, -2.0, 1.9, -0.8, 1.2, 1.2, 0.7, 0.5, 1.8, 1.3, 2.4)


@dataclass(frozen=True, slots=True)
class Bridge:
    """A triple that leads from `known`, mentioned in the query, to `new`."""

    triple: Triple
    known: str
    new: str
    mention: Mention
    asks: Asks
    evidence: Evidence

    @property
    def score(self) -> float:
        """How sure the bridge is, in (0, 1): about how often the best one of a query with this score was right."""
        weighted = sum(weight * value for weight, value in zip(WEIGHTS, self.evidence, strict=True))
        return 1 / (1 + math.exp((EVEN - weighted) / SLOPE))


def bridges(
    query: Query, passages: Sequence[Passage], triples: Sequence[Triple], seen: frozenset[str], embedder: Embedder
) -> list[Bridge]:
    """The best bridges of the triples, best first, each new entity once."""
    found = candidates(query, passages, triples, seen)
    if not found:
        return []
    vectors = embedder.embed([query.text, *(bridge.triple.text for bridge in found)])
    whole = (vectors[1:] @ vectors[0]).tolist()
    found = [replace(b, evidence=b.evidence._replace(whole=w)) for b, w in zip(found, whole, strict=True)]
    return _one_each(_ordered(weighed(_ordered(found)[:EMBEDDED], embedder)))


def candidates(
    query: Query, passages: Sequence[Passage], triples: Sequence[Triple], seen: frozenset[str]
) -> list[Bridge]:
    """Every reading of a triple as a bridge, with the evidence that needs no embedding."""
    titles = {passage.id: passage.title for passage in passages}
    asks: dict[Anchor, Asks] = {}
    wanted = asked(query.text) if final(query) else "thing"
    found = []
    for triple in triples:
        for known, new, mention, implied in _readings(query, triple, titles.get(triple.passage_id, "")):
            if normalise_entity(new) in seen or _told(new, known, query):
                continue
            if mention.anchor not in asks:
                asks[mention.anchor] = Asks(query, mention.anchor)
            about = asks[mention.anchor]
            title = query.mention(titles.get(triple.passage_id, ""))
            evidence = _evidence(query, triple, new, mention, about, implied, title.quality if title else 0.0)
            if wanted in ("date", "number") and suits(wanted, new):
                evidence = evidence._replace(date=0.0, named=1.0)
            found.append(Bridge(triple, known, new, mention, about, evidence))
    return found


def weighed(found: Sequence[Bridge], embedder: Embedder) -> list[Bridge]:
    """The bridges with the evidence that needs their parts embedded."""
    texts = [text for b in found for text in (b.triple.predicate, b.asks.relation, b.new, b.asks.head)]
    vectors = embedder.embed(texts)
    return [
        replace(
            bridge,
            evidence=bridge.evidence._replace(
                relation=float(vectors[i] @ vectors[i + 1]), kind=float(vectors[i + 2] @ vectors[i + 3])
            ),
        )
        for i, bridge in zip(range(0, len(texts), 4), found, strict=True)
    ]


def _told(new: str, known: str, query: Query) -> bool:
    """Whether the new side says nothing that the query or the known side does not say."""
    said = {word.text for word in (*query.words, *words(known))}
    return all(word.text in said for word in content(new))


def _readings(query: Query, triple: Triple, title: str) -> Iterable[tuple[str, str, Mention, bool]]:
    """(known, new, mention of the known side, whether it is only implied by the passage's title)."""
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = subject.quality if subject else 0.0, object_.quality if object_ else 0.0
    if subject and left >= MENTIONED and right < NEW:
        yield triple.subject, triple.object, subject, False
    if object_ and right >= MENTIONED and left < NEW:
        yield triple.object, triple.subject, object_, False
    about = query.mention(title)
    if about and about.quality >= NEW and left < MENTIONED and right < MENTIONED:
        yield title, triple.object, about, True


def _evidence(
    query: Query, triple: Triple, new: str, mention: Mention, about: Asks, implied: bool, titled: float
) -> Evidence:
    other = query.mention(new)
    return Evidence(
        quality=mention.quality,
        mass=min(mention.mass, HEAVY),
        other=other.quality if other else 0.0,
        implied=float(implied),
        titled=titled,
        date=float(is_date(new) or is_number(new)),
        named=float(any(c.isupper() for c in new)),
        length=min(len(words(new)), LONGEST) / LONGEST,
        shared=float(bool(stems(about.relation) & stems(triple.predicate))),
        related=float(related(about.relation, triple.predicate)),
        proper=float(query.proper(mention.anchor)),
        owned=float(about.clause.possessive),
    )


def _ordered(found: Sequence[Bridge]) -> list[Bridge]:
    return sorted(found, key=lambda bridge: (-round(bridge.score, 6), bridge.triple.id))


def _one_each(ordered: Sequence[Bridge]) -> list[Bridge]:
    first: dict[str, Bridge] = {}
    for bridge in ordered:
        first.setdefault(normalise_entity(bridge.new), bridge)
    return list(first.values())
