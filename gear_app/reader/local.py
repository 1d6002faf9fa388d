"""The local reader: rules over stored triples and sentence embeddings. It is not a language model. English only."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Emit
from gear_app.reader.bridges import as_proximal, bridges
from gear_app.reader.chain import follow
from gear_app.seams import Embedder
from gear_app.types import Passage, ProximalTriple, Reading, Rewriting, Triple, Verdict

SEEDS = 10
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
            return self._seeds(triples, query)
        chain = follow(memory, query)
        found = [as_proximal(bridge) for bridge in bridges(triples, chain.query, chain.seen, self.embedder)]
        return Reading(tuple(found[:1]), tuple(found[1 : 1 + SHOWN]))

    def _seeds(self, triples: Sequence[Triple], query: str) -> Reading:
        if not triples:
            return Reading(())
        vectors = self.embedder.embed([query, *(triple.text for triple in triples)])
        fit = vectors[1:] @ vectors[0]
        order = sorted(range(len(triples)), key=lambda i: (-round(float(fit[i]), 6), triples[i].id))
        found = [
            ProximalTriple(t.subject, t.predicate, t.object, t.id, round(float(fit[i]), 6), f"near the query: {fit[i]:.2f}")
            for i in order[: SEEDS + SHOWN]
            for t in (triples[i],)
        ]
        return Reading(tuple(found[:SEEDS]), tuple(found[SEEDS:]))

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """Conservative: never answerable yet."""
        if not memory:
            return Verdict(False, "Nothing in memory yet.")
        return Verdict(False, f"Followed so far: {follow(memory, question).query}")

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        """The question with every followed mention replaced by what it led to."""
        chain = follow(memory, question)
        return Rewriting(chain.query, chain.substitutions) if chain.substitutions else Rewriting("")
