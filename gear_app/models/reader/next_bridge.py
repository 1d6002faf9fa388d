"""The next bridge of a chain: from its latest query to something new."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from gear_app.core.protocols import Embedder, query_vectors
from gear_app.core.text import tokenise, told_of
from gear_app.core.types import Passage, ProximalTriple, Reading, ScoreSum, Triple
from gear_app.language.noun_phrases import AskedRelation
from gear_app.language.query import Anchor, Query, rarity
from gear_app.language.questions import compared_names
from gear_app.language.relations import asks_kin, related, tells_kin
from gear_app.language.verbs import root, roots
from gear_app.language.words import content
from gear_app.models.reader.bridges import Bridge, bridges
from gear_app.models.reader.coverage import Fits, asks_one_fact, covered, stands_beside
from gear_app.models.reader.gist_memory import FactChain

SHOWN = 10  # bridges that were not selected
ENOUGH = 0.25  # a bridge that is less sure is not remembered: a noisy gist is worse than none
ENOUGH_EARLIER = 0.6  # the same for an earlier query, once the latest one leads nowhere
# a bridge may be less sure than a gist's where it costs one query if wrong, not all of them
UNSURE = 0.1
# where no bridge is sure: the share of a query's words, by rarity, that a triple and its sentence
# must tell besides the known name, and how sure it must be at least
COVERS, LEAST = 0.4, 0.1
# cosine from which a predicate or an entity answers a phrase whose words it does not share
FITS = 0.4


class PassageTriples:
    """What a reader is given: passages in rank order and their triples."""

    def __init__(self, passages: Sequence[Passage], triples: Sequence[Triple]) -> None:
        """Gather the names and the rarity of words once for all queries."""
        self.passages, self.triples = passages, triples
        self._names = {name for triple in triples for name in (triple.subject, triple.object)}
        self._names |= {told_of(passage.title, passage.text) for passage in passages}
        self._rarity = rarity(passage.indexed for passage in passages)

    def without(self, facts: Sequence[ProximalTriple]) -> PassageTriples:
        """The same without the triples that these facts are; the names stay."""
        fact_ids = {fact.triple_id for fact in facts}
        rest = copy(self)
        rest.triples = [triple for triple in self.triples if triple.id not in fact_ids]
        return rest

    def query(self, text: str) -> Query:
        """A query with the anchors that these names give it."""
        return Query(text, self._names, self._rarity)


def next_bridge(
    given: PassageTriples, chain: FactChain, embedder: Embedder, enough: float = ENOUGH
) -> Reading:
    """The best bridge from the chain's latest query, of a comparison one from each side.

    Where none there scores `enough`, one from an earlier query that scores ENOUGH_EARLIER; an empty
    reading where there is none either. Where something has to be found first, a bridge from
    another name is none, and where names were replaced already and only one fact is left to ask,
    one that does not tell it: they would lead away.
    """
    rest: list[Selection] = []
    question = chain.nodes[0].query
    for node in reversed(chain.nodes):
        query = given.query(node.query)
        possible = bridges(
            query,
            given.passages,
            given.triples,
            embedder,
            seen=chain.seen,
            followed=len(node.substitutions),
        )
        least = enough if node is chain.last else ENOUGH_EARLIER
        names = [step.removed for step in node.values]
        possible = [bridge for bridge in possible if _name(bridge, query) not in names]
        fair = [bridge for bridge in possible if not stands_beside(query, bridge.mention.anchor)]
        best = [bridge for bridge in _of_each_side(query, fair) if bridge.score >= least]
        if not best and node is chain.last:
            best = _covering(query, given, fair)
        if node.substitutions and asks_one_fact(query):
            best = [bridge for bridge in best if _answers(bridge, query, question, embedder)]
        ids = {bridge.triple.id for bridge in best}  # a triple can be a bridge from both its sides
        remaining = [
            Selection(selected(bridge, query, question), bridge.sum)
            for bridge in possible
            if bridge.triple.id not in ids
        ]
        rest += remaining
        if best:
            selections = [
                Selection(selected(bridge, query, question), bridge.sum) for bridge in best
            ]
            return _reading(selections, remaining[:SHOWN])
    return _reading([], rest[:SHOWN])


class Selection(NamedTuple):
    """A fact that was selected, and how its score came about."""

    triple: ProximalTriple
    sum: ScoreSum


def _reading(selections: Sequence[Selection], left: Sequence[Selection]) -> Reading:
    return Reading(
        tuple(selection.triple for selection in selections),
        tuple(selection.triple for selection in left),
        tuple(selection.sum for selection in (*selections, *left)),
    )


def _covering(query: Query, given: PassageTriples, possible: Sequence[Bridge]) -> list[Bridge]:
    """Where no bridge is sure: the one whose triple and sentence tell most of the query, by the
    rarity of its words, if that is at least COVERS of them. The known name tells nothing, and what
    it leads to has to be a name. Of several that tell as much the surest.
    """
    texts = {passage.id: passage.text for passage in given.passages}
    asked_words = {root(w.text): query.weight(w.text) for w in content(query.text)}

    def told(bridge: Bridge) -> float:
        span = bridge.triple.span
        sentence = texts[bridge.triple.passage_id][span.start : span.end] if span else ""
        fact_roots = roots(f"{bridge.triple.text} {sentence}") - roots(bridge.known)
        return sum(weight for word, weight in asked_words.items() if word in fact_roots)

    fair = [bridge for bridge in possible if bridge.score >= LEAST and bridge.features.named]
    best = max(fair, key=told, default=None)
    enough = COVERS * sum(asked_words.values())
    return [best] if best and told(best) >= enough > 0 else []


def _answers(bridge: Bridge, query: Query, question: str, embedder: Embedder) -> bool:
    fact = selected(bridge, query, question)
    return covered(query, bridge.mention.anchor, fact, bridge.new, fits(embedder)).whole


def is_unasked(query: str, asked: Sequence[str]) -> bool:
    """Whether a query has words, and other ones than each that was asked."""
    words = tokenise(query)
    return bool(words) and all(words != tokenise(other) for other in asked)


def selected(bridge: Bridge, query: Query, question: str | None = None) -> ProximalTriple:
    """A bridge as a proximal triple; its `why`: where it starts, how it fits, where it leads.

    Where `question` is given the name is either in it or was found since; else it is in `query`,
    for which the triples were read.
    """
    start, end = query.place(bridge.mention.anchor)
    name = query.text[start:end]
    place = "is in the query"
    if question is not None:
        place = "is in the question" if name in question else "was found before"
    implied, triple = bridge.features.implied, bridge.triple
    cosine = round(bridge.features.relation, 2) + 0.0  # never -0.00
    question_part = f"“{_around(bridge, query)}” is asked"
    fit = f"“{triple.predicate}” fits that with a cosine of {cosine:.2f}"
    reason = f"“{name}” {place}, and {question_part} of it; {fit}."
    reason += f" It leads to {bridge.new}, which is new."
    if implied:
        reason += f" The passage on {bridge.known} stores it of “{triple.subject}”."
    subject = bridge.known if implied else triple.subject
    score = round(bridge.score, 6)
    return ProximalTriple(subject, triple.predicate, triple.object, triple.id, score, reason)


def _around(bridge: Bridge, query: Query) -> str:
    """What the query says around the name, with dots in the name's place."""
    query_words, (start, end) = bridge.asks, query.place(bridge.mention.anchor)
    first, last = 0, len(query.text.rstrip(" ?"))
    if query_words.inside:
        first, last = query.words[query_words.first].start, query.words[query_words.last].end
    return f"{query.text[first:start]}…{query.text[end:last]}".strip()


def fits(embedder: Embedder) -> Fits:
    """A check whether a predicate and an entity answer a phrase: by words, or else by cosine.

    Relatives are only told by words, since another relative is near in meaning.
    """

    def answers(asks: AskedRelation, predicate: str, new: str) -> bool:
        if asks_kin(asks.relation):
            return related(asks.relation, predicate) and tells_kin(asks.relation, predicate)
        if related(asks.relation, predicate):
            return True
        query_parts = query_vectors(embedder, [asks.relation, asks.head])
        triple_parts = embedder.embed([predicate, new])
        if float(query_parts[0] @ triple_parts[0]) >= FITS:
            return True
        return asks.inside and float(query_parts[1] @ triple_parts[1]) >= FITS

    return answers


def _name(bridge: Bridge, query: Query) -> str:
    start, end = query.place(bridge.mention.anchor)
    return query.text[start:end]


def _of_each_side(query: Query, ordered: Sequence[Bridge]) -> list[Bridge]:
    best: dict[Anchor, Bridge] = {}
    for bridge in ordered:
        best.setdefault(bridge.mention.anchor, bridge)
    sides = [best[side] for side in compared_names(query) if side in best]
    return sides or list(ordered[:1])
