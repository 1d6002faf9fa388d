"""The local reader: rules over stored triples and sentence embeddings. It is not a language model. English only.

`read` selects bridge triples, `reason` follows them from the question's names and looks whether anything is left to
ask, `rewrite` asks for what is left (docs/decisions/0005-local-reader.md). It keeps nothing between calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Emit
from gear_app.reader.bridges import Bridge, bridges
from gear_app.reader.chain import Asks, Chain, follow, unasked
from gear_app.reader.clauses import side_by_side
from gear_app.reader.mentions import Query, rarity
from gear_app.reader.relations import asks_kin, related
from gear_app.reader.wording import chosen, near, path, uncovered
from gear_app.seams import Embedder
from gear_app.types import Passage, ProximalTriple, Reading, Rewriting, Triple, Verdict

SEEDS = 10  # proximal triples for the search; as many as the beam is wide
SHOWN = 10  # of those passed over
ENOUGH = 0.25  # a bridge that is less sure is not remembered: a noisy gist is worse than none
ENOUGH_ASIDE = 0.6  # the same where the chain came to an end and an earlier query is looked at again
FITS = 0.4  # cosine from which a predicate or an entity answers a phrase whose words it does not share


class LocalReader:
    """Reads by selecting stored triples (seams.Reader)."""

    name = "local reader"

    def __init__(self, embedder: Embedder) -> None:
        """Compare triples with queries by this embedder."""
        self._embedder = embedder

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        """Without memory the best ten bridges of the query, to start the search from.

        With memory, `query` is the question: the best bridge that carries on what the memory says about it, of a
        comparison one from each side, or nothing where none is sure enough. No triples give an empty reading.
        """
        if memory is None:
            return self._starts(_Page(passages, triples), query)
        return self._bridge(_Page(passages, triples), self._follow(memory, query))

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """Answerable when the chain's last triple fits the only thing left to ask, and its new side is of the kind."""
        chain = self._follow(memory, question)
        if chain.last.answer:
            return Verdict(True, f"{path(chain.last)} answers '{question.rstrip(' ?')}'.", chain.last.answer)
        return Verdict(False, uncovered(chain))

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        """The question with what was followed replaced by what was found.

        With an empty memory the question's innermost phrase is asked for alone; without one there is nothing to do.
        """
        last = self._follow(memory, question).last
        if last.substitutions:
            return Rewriting(last.query, last.substitutions)
        return Rewriting(unasked(Query(question, ())))

    def _starts(self, page: _Page, query: str) -> Reading:
        asked = page.query(query)
        found = [chosen(b, asked) for b in bridges(asked, page.passages, page.triples, self._embedder)]
        if found or not page.triples:
            return Reading(tuple(found[:SEEDS]), tuple(found[SEEDS : SEEDS + SHOWN]))
        vectors = self._embedder.embed([query, *(triple.text for triple in page.triples)])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        nearest = sorted(zip(page.triples, cosines, strict=True), key=lambda pair: (-round(pair[1], 6), pair[0].id))
        close = [near(triple, cosine) for triple, cosine in nearest[: SEEDS + SHOWN]]
        return Reading(tuple(close[:SEEDS]), tuple(close[SEEDS:]))

    def _bridge(self, page: _Page, chain: Chain) -> Reading:
        """From the latest query; where nothing there is sure enough, from an earlier one."""
        passed: list[ProximalTriple] = []
        for node in reversed(chain.nodes):
            asked = page.query(node.query)
            followed = len(node.substitutions)
            found = bridges(asked, page.passages, page.triples, self._embedder, seen=chain.seen, followed=followed)
            enough = ENOUGH if node is chain.last else ENOUGH_ASIDE
            taken = [bridge for bridge in _compared(asked, found) if bridge.score >= enough]
            shown = [chosen(bridge, asked, chain.nodes[0].query) for bridge in found if bridge not in taken]
            passed += shown
            if taken:
                return Reading(tuple(chosen(b, asked, chain.nodes[0].query) for b in taken), tuple(shown[:SHOWN]))
        return Reading((), tuple(passed[:SHOWN]))

    def _follow(self, memory: Sequence[ProximalTriple], question: str) -> Chain:
        return follow(memory, question, self._fits)

    def _fits(self, asks: Asks, predicate: str, new: str) -> bool:
        if related(asks.relation, predicate) or asks_kin(asks.relation):
            return related(asks.relation, predicate)
        relation, predicate_, head, new_ = self._embedder.embed([asks.relation, predicate, asks.head, new])
        return float(relation @ predicate_) >= FITS or (bool(asks.clause.head) and float(head @ new_) >= FITS)


class _Page:
    """What is read: passages in rank order and their triples."""

    def __init__(self, passages: Sequence[Passage], triples: Sequence[Triple]) -> None:
        self.passages, self.triples = passages, triples
        self._names = {name for t in triples for name in (t.subject, t.object)} | {p.title for p in passages}
        self._rarity = rarity(passage.indexed for passage in passages)

    def query(self, text: str) -> Query:
        return Query(text, self._names, self._rarity)


def _compared(query: Query, found: Sequence[Bridge]) -> list[Bridge]:
    """The best bridge, or the best from each of the names that the query compares."""
    sides = side_by_side(query)
    best = [next((bridge for bridge in found if bridge.mention.anchor == side), None) for side in sides]
    return [bridge for bridge in best if bridge] or list(found[:1])
