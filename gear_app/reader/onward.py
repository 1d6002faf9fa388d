"""What carries a chain on: the page that is read, and the bridge from the chain's latest query to
something new.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from gear_app.english.clauses import side_by_side
from gear_app.english.mentions import Query, rarity
from gear_app.english.relations import asks_kin, related
from gear_app.reader.bridges import Bridge, bridges
from gear_app.reader.chain import Asks, Chain, Fits
from gear_app.reader.wording import chosen
from gear_app.seams import Embedder
from gear_app.types import Passage, ProximalTriple, Reading, Triple

SHOWN = 10  # of the bridges passed over
ENOUGH = 0.25  # a bridge that is less sure is not remembered: a noisy gist is worse than none
ENOUGH_ASIDE = (
    0.6  # the same where the chain came to an end and an earlier query is looked at again
)
FITS = (
    0.4  # cosine from which a predicate or an entity answers a phrase whose words it does not share
)


class Page:
    """What is read: passages in rank order and their triples."""

    def __init__(self, passages: Sequence[Passage], triples: Sequence[Triple]) -> None:
        """Gather the names and the rarity of words once for all queries."""
        self.passages, self.triples = passages, triples
        self._names = {name for t in triples for name in (t.subject, t.object)} | {
            p.title for p in passages
        }
        self._rarity = rarity(passage.indexed for passage in passages)

    def without(self, facts: Sequence[ProximalTriple]) -> Page:
        """The page without the triples that these facts are; its names stay."""
        known = {fact.triple_id for fact in facts}
        page = copy(self)
        page.triples = [triple for triple in self.triples if triple.id not in known]
        return page

    def query(self, text: str) -> Query:
        """A query as this page's names see it."""
        return Query(text, self._names, self._rarity)


def onward(page: Page, chain: Chain, embedder: Embedder, enough: float = ENOUGH) -> Reading:
    """The best bridge from the chain's latest query, of a comparison one from each side.

    Where nothing there scores `enough`, from an earlier query, which must be surer; nothing where
    none is.
    """
    passed: list[ProximalTriple] = []
    for node in reversed(chain.nodes):
        asked = page.query(node.query)
        followed = len(node.substitutions)
        found = bridges(
            asked, page.passages, page.triples, embedder, seen=chain.seen, followed=followed
        )
        least = enough if node is chain.last else ENOUGH_ASIDE
        taken = [bridge for bridge in _compared(asked, found) if bridge.score >= least]
        there = {
            bridge.triple.id for bridge in taken
        }  # a triple can be a bridge from either of its sides
        shown = [
            chosen(bridge, asked, chain.nodes[0].query)
            for bridge in found
            if bridge.triple.id not in there
        ]
        passed += shown
        if taken:
            return Reading(
                tuple(chosen(b, asked, chain.nodes[0].query) for b in taken), tuple(shown[:SHOWN])
            )
    return Reading((), tuple(passed[:SHOWN]))


def fits(embedder: Embedder) -> Fits:
    """Whether a predicate and a new entity answer a phrase: by their words, or else by cosine; kin
    only by words.
    """

    def answers(asks: Asks, predicate: str, new: str) -> bool:
        if related(asks.relation, predicate) or asks_kin(asks.relation):
            return related(asks.relation, predicate)
        relation, predicate_, head, new_ = embedder.embed(
            [asks.relation, predicate, asks.head, new]
        )
        return float(relation @ predicate_) >= FITS or (
            bool(asks.clause.head) and float(head @ new_) >= FITS
        )

    return answers


def _compared(query: Query, found: Sequence[Bridge]) -> list[Bridge]:
    """The best bridge, or the best from each of the names that the query compares."""
    sides = side_by_side(query)
    best = [
        next((bridge for bridge in found if bridge.mention.anchor == side), None) for side in sides
    ]
    return [bridge for bridge in best if bridge] or list(found[:1])
