"""Bridge triples: one side is mentioned in the query, the relation fits, the other side is new.

Each reading of a triple as a bridge is scored by a few plain features (`BridgeFeatures`). The
weights are round numbers near those of a conditional logit model that told right bridges from
wrong ones on the first hops of questions with a published decomposition; fitted again, they were
no better on question sets that were left out (docs/results/bridges.csv).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.core.protocols import Embedder, query_vectors
from gear_app.core.text import normalise_entity, told_of
from gear_app.core.types import Passage, ScoreSum, ScoreTerm, Triple
from gear_app.language.noun_phrases import AskedRelation, asked_relation
from gear_app.language.query import Anchor, EntityMention, Query, compared_names
from gear_app.language.relations import (
    asks_kin,
    direction,
    is_alias,
    is_value,
    related,
    suits,
    tells_kin,
)
from gear_app.language.words import content, roots, word_set, words
from gear_app.models.reader.coverage import around_asked
from gear_app.models.reader.gist_memory import expected_type, readings

# so many candidates have their parts embedded: a question must take less than a second
EMBEDDED = 14
HEAVY = 2.0  # the mass of two rare words is as good as that of ten
# the weighted features at which a best bridge is as often right as wrong, and how steep
EVEN, SLOPE = 11.3, 2.0


_INDEFINITE = word_set(
    "somebody someone something anybody anyone anything nobody none nothing everybody everyone"
    " everything other others another own self themselves himself herself itself each one ones"
)


class BridgeFeatures(NamedTuple):
    """What speaks for or against a bridge, each feature about in [-1, 1]."""

    quality: float  # how well the known side is mentioned
    mass: float  # how rare the words of the mention are, summed, at most HEAVY
    titled: float  # how well the title of the triple's passage is mentioned
    early: float  # 1 / the rank of the triple's passage
    # 1: the new side has a capital letter, is a passage's title, or is what the question asks for
    named: float
    timed: float  # 1: the new side is a date or number that the question does not ask for
    shared: float  # 1: predicate and query share a word's root
    related: float  # 1: they have words of the same relation (language/relations.py)
    # 1: the predicate leads to an agent or a place as the query wants, -1: it does not
    direction: float
    owned: float  # 1: the query says "X's …"
    alias: float = 0.0  # 1: it says that the one is another name of the other
    # share of the words of the asked phrase that only the triple's sentence tells
    sentence: float = 0.0
    # share of the words around the asked phrase that the triple tells as well
    outer: float = 0.0
    # share of those that another triple of the new side tells: what would come next is at hand
    ahead: float = 0.0
    whole: float = 0.0  # cosine of the triple and the query
    relation: float = 0.0  # cosine of the predicate and what the query asks about the known side
    kind: float = 0.0  # cosine of the new side and the noun the query has for it ("country")


WEIGHTS = BridgeFeatures(
    quality=0.8,
    mass=1.5,
    titled=2.0,
    early=1.0,
    named=1.9,
    timed=-2.0,
    shared=1.2,
    related=1.2,
    direction=1.3,
    owned=0.5,
    alias=2.0,
    sentence=1.0,
    outer=1.5,
    ahead=1.0,
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
    mention: EntityMention
    relation: AskedRelation
    features: BridgeFeatures

    @property
    def score(self) -> float:
        """How sure the bridge is, in (0, 1); no probability (docs/results/README.md)."""
        weighted = sum(weight * value for weight, value in zip(WEIGHTS, self.features, strict=True))
        return 1 / (1 + math.exp((EVEN - weighted) / SLOPE))

    @property
    def sum(self) -> ScoreSum:
        """How the score came about, with the features that are not 0."""
        terms = (
            ScoreTerm(name, round(value, 6), weight)
            for name, value, weight in zip(
                BridgeFeatures._fields, self.features, WEIGHTS, strict=True
            )
        )
        return ScoreSum(tuple(term for term in terms if term.value), EVEN, SLOPE)


def bridges(
    query: Query,
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    embedder: Embedder,
    *,
    names_used: frozenset[str] = frozenset(),
    followed: int = 0,
) -> list[Bridge]:
    """The best bridges of the triples, best first, each new entity once.

    None leads to a name in `names_used` (normalised). `followed` counts the substitutions that led
    to the query. Ties go to the smaller triple id.
    """
    possible = candidates(query, passages, triples, names_used, followed)
    if not possible:
        return []
    (query_vector,) = query_vectors(embedder, [query.text])
    cosines = (embedder.embed([bridge.triple.text for bridge in possible]) @ query_vector).tolist()
    possible = [
        replace(bridge, features=bridge.features._replace(whole=cosine))
        for bridge, cosine in zip(possible, cosines, strict=True)
    ]
    shortlist = _shortlist(query, _ordered(possible))
    best: dict[str, Bridge] = {}
    for bridge in _ordered(_with_part_cosines(shortlist, embedder)):
        best.setdefault(normalise_entity(bridge.new), bridge)
    return list(best.values())


def candidates(
    query: Query,
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    names_used: frozenset[str],
    followed: int = 0,
) -> list[Bridge]:
    """Every reading of a triple as a bridge, with the features that need no embedding."""
    names = [told_of(passage.title, passage.text) for passage in passages]
    at = {passage.id: (names[n], n + 1) for n, passage in enumerate(passages)}
    asked: dict[Anchor, tuple[AskedRelation, str]] = {}  # about a name, and around that
    by_name = _by_name(triples)
    texts = {passage.id: passage.text for passage in passages}
    expected = expected_type(query, followed)
    titles = frozenset(map(normalise_entity, names))
    possible = []
    for triple in triples:
        title, rank = at[triple.passage_id]
        titled = query.mention(title)
        for fact, new, mention in readings(query, triple):
            if normalise_entity(new) in names_used or not _is_new(new, fact, query):
                continue
            if mention.anchor not in asked:
                asked[mention.anchor] = (
                    asked_relation(query, mention.anchor),
                    around_asked(query, mention.anchor),
                )
            about, around = asked[mention.anchor]
            told_kin = not asks_kin(about.head) or tells_kin(about.head, triple.predicate)
            alias = is_alias(triple.predicate)
            answers = expected in ("date", "number") and suits(expected, new)
            features = BridgeFeatures(
                quality=mention.quality,
                mass=min(mention.mass, HEAVY),
                titled=titled.quality if titled else 0.0,
                early=1 / rank,
                named=float(
                    answers or any(c.isupper() for c in new) or normalise_entity(new) in titles
                ),
                timed=float(is_value(new) and not answers),
                shared=float(bool(roots(about.relation) & roots(triple.predicate))),
                related=float(told_kin and related(about.relation, triple.predicate)),
                direction=(not alias)
                * direction(about.head, triple.predicate, forward=new == triple.object),
                owned=float(about.possessive),
                alias=float(alias),
                sentence=_share(
                    about.relation, texts[triple.passage_id][slice(*triple.span or (0, 0))]
                ),
                outer=told_kin * _share(around, triple.predicate),
                ahead=float(_ahead(around, triple, by_name[normalise_entity(new)])),
            )
            possible.append(Bridge(triple, fact, new, mention, about, features))
    return possible


def _by_name(triples: Sequence[Triple]) -> dict[str, list[Triple]]:
    by_name: dict[str, list[Triple]] = defaultdict(list)
    for triple in triples:
        for name in {normalise_entity(triple.subject), normalise_entity(triple.object)}:
            by_name[name].append(triple)
    return by_name


def _share(asked_words: str, text: str) -> float:
    """The share of the words that the text has in some form."""
    asked_roots = roots(asked_words)
    return len(asked_roots & roots(text)) / len(asked_roots) if asked_roots else 0.0


def _ahead(asked_words: str, triple: Triple, triples: Sequence[Triple]) -> bool:
    """Whether another triple of the new side tells what is asked next."""
    return bool(asked_words) and any(
        related(asked_words, other.predicate) or _share(asked_words, other.predicate) > 0
        for other in triples
        if other is not triple
    )


def _with_part_cosines(shortlist: Sequence[Bridge], embedder: Embedder) -> list[Bridge]:
    query_parts, triple_parts = list[str](), list[str]()
    for bridge in shortlist:
        query_parts += (bridge.relation.relation, bridge.relation.head)
        triple_parts += (bridge.triple.predicate, bridge.new)
    cosines = (
        (embedder.embed(triple_parts) * query_vectors(embedder, query_parts)).sum(axis=1).tolist()
    )
    return [
        replace(bridge, features=bridge.features._replace(relation=relation, kind=kind))
        for bridge, relation, kind in zip(shortlist, cosines[0::2], cosines[1::2], strict=True)
    ]


def _shortlist(query: Query, ordered: Sequence[Bridge]) -> list[Bridge]:
    """The first EMBEDDED of all, or of a comparison as many of all sides together."""
    sides = compared_names(query)
    share = EMBEDDED // max(1, len(sides))
    each = [
        [bridge for bridge in ordered if bridge.mention.anchor == side][:share] for side in sides
    ]
    return [bridge for side in each for bridge in side] or list(ordered[:EMBEDDED])


def _is_new(new: str, known: str, query: Query) -> bool:
    """Whether the new side has a content word that neither the query nor the known side has.

    Somebody and nothing are no names.
    """
    known_words = query.texts | {word.text for word in words(known)} | _INDEFINITE
    return any(word.text not in known_words for word in content(new))


def _ordered(unordered: Sequence[Bridge]) -> list[Bridge]:
    return sorted(unordered, key=lambda bridge: (-round(bridge.score, 6), bridge.triple.id))
