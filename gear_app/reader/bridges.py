"""The choice of bridge triples: one side is mentioned in the query, the relation fits, the other
side is new.

Each reading of a triple as a bridge is weighed by a few plain observations (`Evidence`). The
weights are round numbers near those of a conditional logit model that told right bridges from wrong
ones on the first hops of questions with a published decomposition
(docs/decisions/0005-local-reader.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.english.clauses import side_by_side
from gear_app.english.mentions import Anchor, Mention, Query
from gear_app.english.relations import related, turned
from gear_app.english.slots import Kind, is_date, is_number, suits
from gear_app.english.words import content, stems, words
from gear_app.reader.chain import MENTIONED, NEW, Asks, wanted
from gear_app.seams import Embedder
from gear_app.text import normalise_entity
from gear_app.types import Passage, Triple

EMBEDDED = (
    14  # so many candidates have their parts embedded: a question must take less than a second
)
HEAVY = 2.0  # the mass of two rare words is as good as that of ten
EVEN, SLOPE = (
    12.0,
    2.0,
)  # the weighted evidence at which a best bridge is as often right as wrong, and how steep


class Evidence(NamedTuple):
    """What speaks for a bridge, about in [0, 1]."""

    quality: float  # how well the known side is mentioned
    mass: float  # how rare the words of the mention are, summed, at most HEAVY
    proper: float  # 1: the mention is written with a capital, or the whole query is without
    titled: float  # how well the title of the triple's passage is mentioned
    # 1: the known side is that title, and the triple's own side only stands for it ("the film")
    implied: float
    early: float  # 1 / the rank of the triple's passage
    # 1: the new side has a capital letter, is a passage's title, or is what the question asks for
    named: float
    timed: (
        float  # 1: the new side is a date or a number, and that is not what the question asks for
    )
    shared: float  # 1: predicate and query share a word's stem
    related: float  # 1: they belong to the same way of speaking (relations.py)
    turned: (
        float  # 1: the predicate leads to someone or somewhere as the query wants, -1: it does not
    )
    owned: float  # 1: the query says "X's …"
    whole: float = 0.0  # cosine of the triple and the query
    relation: float = 0.0  # cosine of the predicate and what the query asks about the known side
    kind: float = 0.0  # cosine of the new side and the noun the query has for it ("country")


WEIGHTS = Evidence(
    quality=0.8,
    mass=1.5,
    proper=0.7,
    titled=2.0,
    implied=-1.0,
    early=1.0,
    named=1.9,
    timed=-2.0,
    shared=1.2,
    related=1.2,
    turned=1.3,
    owned=0.5,
    whole=2.2,
    relation=1.3,
    kind=2.4,
)


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
        """How sure the bridge is, in (0, 1): about how often the best one of a query with this
        score was right.
        """
        weighted = sum(weight * value for weight, value in zip(WEIGHTS, self.evidence, strict=True))
        return 1 / (1 + math.exp((EVEN - weighted) / SLOPE))


def bridges(
    query: Query,
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    embedder: Embedder,
    *,
    seen: frozenset[str] = frozenset(),
    followed: int = 0,
) -> list[Bridge]:
    """The best bridges of the triples, best first, each new entity once; none leads to a name in
    `seen` (normalised).

    `followed` counts the substitutions that led to the query. Ties go to the smaller triple id.
    """
    found = candidates(query, passages, triples, seen, followed)
    if not found:
        return []
    vectors = embedder.embed([query.text, *(bridge.triple.text for bridge in found)])
    whole = (vectors[1:] @ vectors[0]).tolist()
    found = [
        replace(b, evidence=b.evidence._replace(whole=w)) for b, w in zip(found, whole, strict=True)
    ]
    return _one_each(_ordered(weighed(_shortlist(query, _ordered(found)), embedder)))


def candidates(
    query: Query,
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    seen: frozenset[str],
    followed: int = 0,
) -> list[Bridge]:
    """Every reading of a triple as a bridge, with the evidence that needs no embedding."""
    at = {passage.id: (passage.title, rank) for rank, passage in enumerate(passages, start=1)}
    asks: dict[Anchor, Asks] = {}
    kind = wanted(query, followed)
    titles = frozenset(normalise_entity(passage.title) for passage in passages)
    found = []
    for triple in triples:
        title, rank = at[triple.passage_id]
        for known, new, mention, implied in _readings(query, triple, title):
            if normalise_entity(new) in seen or _told(new, known, query):
                continue
            if mention.anchor not in asks:
                asks[mention.anchor] = Asks(query, mention.anchor)
            about = asks[mention.anchor]
            evidence = _evidence(query, triple, new, mention, about, title, rank, kind, titles)
            bridge = Bridge(
                triple, known, new, mention, about, evidence._replace(implied=float(implied))
            )
            found.append(bridge)
    return found


def weighed(found: Sequence[Bridge], embedder: Embedder) -> list[Bridge]:
    """The bridges with the evidence that needs their parts embedded."""
    texts = [
        text for b in found for text in (b.triple.predicate, b.asks.relation, b.new, b.asks.head)
    ]
    vectors = embedder.embed(texts)
    cosines = (vectors[0::2] * vectors[1::2]).sum(axis=1).tolist()
    return [
        replace(bridge, evidence=bridge.evidence._replace(relation=relation, kind=kind))
        for bridge, relation, kind in zip(found, cosines[0::2], cosines[1::2], strict=True)
    ]


def _shortlist(query: Query, ordered: Sequence[Bridge]) -> list[Bridge]:
    """The first of all, or of a comparison the first of each side."""
    sides = side_by_side(query)
    share = EMBEDDED // max(1, len(sides))
    each = [
        [bridge for bridge in ordered if bridge.mention.anchor == side][:share] for side in sides
    ]
    return [bridge for side in each for bridge in side] or list(ordered[:EMBEDDED])


def _readings(query: Query, triple: Triple, title: str) -> Iterable[tuple[str, str, Mention, bool]]:
    """(known, new, mention of the known side, whether it is only implied by the passage's
    title).
    """
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = subject.quality if subject else 0.0, object_.quality if object_ else 0.0
    if subject and left >= MENTIONED and right < NEW:
        yield triple.subject, triple.object, subject, False
    if object_ and right >= MENTIONED and left < NEW:
        yield triple.object, triple.subject, object_, False
    about = query.mention(title)
    if about and about.quality >= NEW and left < MENTIONED and right < MENTIONED:
        yield title, triple.object, about, True


def _told(new: str, known: str, query: Query) -> bool:
    """Whether the new side says nothing that the query or the known side does not say."""
    said = {word.text for word in words(known)}
    return all(word.text in query.said or word.text in said for word in content(new))


def _evidence(
    query: Query,
    triple: Triple,
    new: str,
    mention: Mention,
    about: Asks,
    title: str,
    rank: int,
    kind: Kind,
    titles: frozenset[str],
) -> Evidence:
    timed = is_date(new) or is_number(new)
    answers = kind in ("date", "number") and suits(kind, new)
    titled = query.mention(title)
    return Evidence(
        quality=mention.quality,
        mass=min(mention.mass, HEAVY),
        proper=float(query.proper(mention.anchor)),
        titled=titled.quality if titled else 0.0,
        implied=0.0,
        early=1 / rank,
        named=float(answers or any(c.isupper() for c in new) or normalise_entity(new) in titles),
        timed=float(timed and not answers),
        shared=float(bool(stems(about.relation) & stems(triple.predicate))),
        related=float(related(about.relation, triple.predicate)),
        turned=turned(about.head, triple.predicate, forward=new == triple.object),
        owned=float(about.clause.possessive),
    )


def _ordered(found: Sequence[Bridge]) -> list[Bridge]:
    return sorted(found, key=lambda bridge: (-round(bridge.score, 6), bridge.triple.id))


def _one_each(ordered: Sequence[Bridge]) -> list[Bridge]:
    first: dict[str, Bridge] = {}
    for bridge in ordered:
        first.setdefault(normalise_entity(bridge.new), bridge)
    return list(first.values())
