"""The next bridge of a chain: from its latest query to something new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gear_app.core.protocols import Embedder, query_vectors
from gear_app.core.text import tokenise
from gear_app.core.types import ProximalTriple, Reading
from gear_app.language.noun_phrases import AskedRelation
from gear_app.language.query import Anchor, Query, compared_names
from gear_app.language.relations import asks_kin, related, tells_kin
from gear_app.models.reader.bridges import Bridge, bridges
from gear_app.models.reader.coverage import Fits, stands_beside
from gear_app.models.reader.gist_memory import FactChain

if TYPE_CHECKING:
    from gear_app.models.reader.roles import ReaderRequest

SHOWN = 10  # bridges that were not selected
ENOUGH = 0.25  # a bridge that is less sure is not remembered: a noisy gist is worse than none
EARLIER = 0.6  # the same of a bridge from an earlier query, once the latest one leads nowhere
# a bridge may be less sure than a gist's where it costs one query if wrong, not all of them
UNSURE = 0.1
# cosine from which a predicate or an entity answers a phrase whose words it does not share
FITS = 0.4


def next_bridge(
    request: ReaderRequest[Any],
    chain: FactChain,
    embedder: Embedder,
    enough: float = ENOUGH,
    known: Sequence[ProximalTriple] = (),
) -> Reading:
    """The best bridge from the chain's latest query, of a comparison one from each side that has no
    value yet; none that scores less than `enough`, or starts from another name than that of the
    phrase that has to be found first, and none of the `known` facts. Without one the same of an
    earlier query that scores EARLIER.
    """
    known_ids = {fact.triple_id for fact in known}
    triples = [triple for triple in request.triples if triple.id not in known_ids]
    best: list[tuple[Bridge, Query]] = []
    rest: list[tuple[Bridge, Query]] = []
    for node in reversed(chain.nodes):
        query = Query(node.query, request.entities, request.rarity)
        possible = bridges(
            query,
            request.passages,
            triples,
            embedder,
            names_used=chain.names,
            followed=len(node.substitutions),
        )
        compared = {step.removed for step in node.values}
        possible = [bridge for bridge in possible if _name(bridge, query) not in compared]
        least = enough if node is chain.last else EARLIER
        fair = [b for b in possible if not stands_beside(query, b.mention.anchor)]
        best = [(b, query) for b in _of_each_side(query, fair) if b.score >= least]
        ids = {bridge.triple.id for bridge, _ in best}  # a triple can be a bridge from both sides
        rest += [(bridge, query) for bridge in possible if bridge.triple.id not in ids]
        if best:
            break
    bridges_and_queries = (*best, *rest[:SHOWN])
    question = chain.nodes[0].query
    facts = tuple(selected(bridge, query, question) for bridge, query in bridges_and_queries)
    sums = tuple(bridge.sum for bridge, _ in bridges_and_queries)
    return Reading(facts[: len(best)], facts[len(best) :], sums)


def is_unasked(query: str, asked: Sequence[str]) -> bool:
    """Whether a query has words, and other ones than each that was asked."""
    words = tokenise(query)
    return bool(words) and all(words != tokenise(other) for other in asked)


def selected(bridge: Bridge, query: Query, question: str | None = None) -> ProximalTriple:
    """A bridge as a proximal triple; its `why`: where it starts, how it fits, where it leads.

    Where `question` is given the name is either in it or was found since; else it is in `query`,
    for which the triples were read.
    """
    name = _name(bridge, query)
    place = "is in the query"
    if question is not None:
        place = "is in the question" if name in question else "was found before"
    triple = bridge.triple
    cosine = round(bridge.features.relation, 2) + 0.0  # never -0.00
    question_part = f"“{_around(bridge, query)}” is asked"
    fit = f"“{triple.predicate}” fits that with a cosine of {cosine:.2f}"
    reason = f"“{name}” {place}, and {question_part} of it; {fit}."
    reason += f" It leads to {bridge.new}, which is new."
    score = round(bridge.score, 6)
    return ProximalTriple(*triple.words, triple.id, score, reason)


def _name(bridge: Bridge, query: Query) -> str:
    start, end = query.place(bridge.mention.anchor)
    return query.text[start:end]


def _around(bridge: Bridge, query: Query) -> str:
    """What the query says around the name, with dots in the name's place."""
    query_words, (start, end) = bridge.relation, query.place(bridge.mention.anchor)
    first, last = 0, len(query.text.rstrip(" ?"))
    if query_words.inside:
        first, last = query.words[query_words.first].start, query.words[query_words.last].end
    return f"{query.text[first:start]}…{query.text[end:last]}".strip()


def fits(embedder: Embedder) -> Fits:
    """A check whether a predicate and an entity answer a phrase: by words, or else by cosine.

    Relatives are only told by words, since another relative is near in meaning.
    """

    def answers(relation: AskedRelation, predicate: str, new: str) -> bool:
        if asks_kin(relation.relation):
            return related(relation.relation, predicate) and tells_kin(relation.relation, predicate)
        if related(relation.relation, predicate):
            return True
        query_parts = query_vectors(embedder, [relation.relation, relation.head])
        triple_parts = embedder.embed([predicate, new])
        if float(query_parts[0] @ triple_parts[0]) >= FITS:
            return True
        return relation.inside and float(query_parts[1] @ triple_parts[1]) >= FITS

    return answers


def _of_each_side(query: Query, ordered: Sequence[Bridge]) -> list[Bridge]:
    best: dict[Anchor, Bridge] = {}
    for bridge in ordered:
        best.setdefault(bridge.mention.anchor, bridge)
    sides = [best[side] for side in compared_names(query) if side in best]
    return sides or list(ordered[:1])
