"""The local reader: rules over stored triples and sentence embeddings. It is not a language model. English only."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Emit
from gear_app.reader.bridges import Bridge, bridges
from gear_app.reader.clauses import clause, final, side_by_side, text_of
from gear_app.reader.chain import Asks, follow
from gear_app.reader.mentions import Query, rarity
from gear_app.reader.relations import related
from gear_app.seams import Embedder
from gear_app.types import Passage, ProximalTriple, Reading, Rewriting, Triple, Verdict

FITS = 0.4
ENOUGH = 0.1
ALT=1.1
FALL=0
STOP = 1
SEEDS = 10
BR = 0
SHOWN = 10


class LocalReader:
    """Reads by selecting stored triples (seams.Reader)."""

    name = "local reader"

    def __init__(self, embedder: Embedder) -> None:
        """Use the embedder to compare triples with queries."""
        self.embedder = embedder

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        """Without memory seeds for the beam search, with it the best new bridges."""
        if memory is None:
            return self._seeds(passages, triples, query)
        chain = follow(memory, query, self._fits)
        names = {n for t in triples for n in (t.subject, t.object)} | {p.title for p in passages}
        rare = rarity(passage.indexed for passage in passages)
        taken=[]
        for i,node in enumerate(reversed(chain.nodes)):
            asked = Query(node.query, names, rare)
            found = bridges(asked, passages, triples, chain.seen, self.embedder)
            taken = [bridge for bridge in _taken(asked, found) if bridge.score >= (ENOUGH if i==0 else ALT)]
            if taken: break
        left = [bridge for bridge in found if bridge not in taken]
        return Reading(tuple(map(_proximal, taken)), tuple(map(_proximal, left[:SHOWN])))

    def _seeds(self, passages: Sequence[Passage], triples: Sequence[Triple], query: str) -> Reading:
        if not triples:
            return Reading(())
        vectors = self.embedder.embed([query, *(triple.text for triple in triples)])
        fit = vectors[1:] @ vectors[0]
        order = sorted(range(len(triples)), key=lambda i: (-round(float(fit[i]), 6), triples[i].id))
        names = {n for t in triples for n in (t.subject, t.object)} | {p.title for p in passages}
        asked = Query(query, names, rarity(passage.indexed for passage in passages))
        found = bridges(asked, passages, triples, frozenset(), self.embedder) if BR else []
        found = [_proximal(b) for b in found[:BR]]
        ids = {t.triple_id for t in found}
        near = [
            ProximalTriple(t.subject, t.predicate, t.object, t.id, round(float(fit[i]), 6), f"near the query: {fit[i]:.2f}")
            for i in order[: SEEDS + SHOWN]
            for t in (triples[i],) if t.id not in ids
        ]
        found = found + near[:max(0, SEEDS - len(found))]
        return Reading(tuple(found), ())

    def _fits(self, asks: Asks, predicate: str, new: str) -> bool:
        """Whether the predicate answers the phrase, so that the whole phrase can give way to the new entity."""
        if related(asks.relation, predicate):
            return True
        relation, kind = self._cosines((asks.relation, predicate), (asks.head, new))
        return relation >= FITS or (asks.head != "thing" and kind >= FITS)

    def _cosines(self, *pairs: tuple[str, str]) -> list[float]:
        vectors = self.embedder.embed([text for pair in pairs for text in pair])
        return [float(vectors[i] @ vectors[i + 1]) for i in range(0, len(vectors), 2)]

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """Answerable when the last triple answers the only thing left to ask."""
        if not memory:
            return Verdict(False, "Nothing in memory yet.")
        last = follow(memory, question, self._fits).last
        if STOP and last.answer and len(last.substitutions) >= STOP:
            return Verdict(True, f"{last.query}", last.answer)
        return Verdict(False, f"Followed so far: {last.query}")

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        """The question with every followed mention replaced by what it led to."""
        last = follow(memory, question, self._fits).last
        return Rewriting(last.query, last.substitutions) if last.substitutions else Rewriting(inner(question) if FALL else "")


def _taken(query: Query, found: Sequence[Bridge]) -> list[Bridge]:
    """The best bridge, or the best from each of the names that the query compares."""
    compared = side_by_side(query)
    if not compared:
        return list(found[:1])
    best = [next((b for b in found if b.mention.anchor == anchor), None) for anchor in compared]
    return [bridge for bridge in best if bridge] or list(found[:1])


def _proximal(bridge: Bridge) -> ProximalTriple:
    """The bridge as the screen shows it, with its reason in words."""
    t = bridge.triple
    why = (
        f"'{bridge.known}' is in the question; '{t.predicate}' fits '{bridge.asks.relation}' "
        f"{bridge.evidence.relation:.2f}; new: {bridge.new}"
    )
    subject = bridge.known if bridge.evidence.implied else t.subject
    return ProximalTriple(subject, t.predicate, t.object, t.id, round(bridge.score, 6), why)


def inner(question):
    q = Query(question, ())
    if final(q): return ""
    for anchor in reversed(q.anchors):
        c = clause(q, anchor)
        if c.head: return text_of(q, c.first, c.last)
    return ""
