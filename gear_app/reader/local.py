"""The local reader: rules over stored triples and sentence embeddings. It is not a language model.
English only.

`read` selects bridge triples, `reason` follows them from the question's names and looks whether
anything is left to ask, `rewrite` asks for what is left (docs/decisions/0005-local-reader.md). The
roles of the other methods put the same bridges into words, into a row, or look where they stand
(0012-what-the-local-reader-thinks.md). It keeps nothing between calls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gear_app.english.mentions import Query
from gear_app.events import Emit
from gear_app.reader.bridges import bridges
from gear_app.reader.chain import Chain, follow, unasked
from gear_app.reader.naming import named_entities
from gear_app.reader.onward import SHOWN, Page, fits, onward
from gear_app.reader.thinking import answer, dual_thoughts, think
from gear_app.reader.verifying import reasoning_chain, verified
from gear_app.reader.wording import chosen, near, path, uncovered
from gear_app.seams import Embedder
from gear_app.types import (
    DualThoughts,
    Passage,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Thinking,
    Triple,
    Verdict,
    Verification,
)

SEEDS = 10  # proximal triples for the search; as many as the beam is wide


class LocalReader:
    """Reads by selecting stored triples (seams.Reader)."""

    name = "local reader"
    version = 1  # of its rules, and of those it shares with GRIEVER; raise it when a reply changes

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

        With memory, `query` is the question: the best bridge that carries on what the memory says
        about it, of a comparison one from each side, or nothing where none is sure enough. No
        triples give an empty reading.
        """
        if memory is None:
            return self._starts(Page(passages, triples), query)
        return onward(Page(passages, triples), self._follow(memory, query), self._embedder)

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """Answerable when the chain's last triple fits the only thing left to ask, and its new side
        is of the kind.
        """
        chain = self._follow(memory, question)
        if chain.last.answer:
            return Verdict(
                True, f"{path(chain.last)} answers '{question.rstrip(' ?')}'.", chain.last.answer
            )
        return Verdict(False, uncovered(chain))

    def rewrite(
        self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit
    ) -> Rewriting:
        """The question with what was followed replaced by what was found.

        With an empty memory the question's innermost phrase is asked for alone; without one there
        is nothing to do.
        """
        last = self._follow(memory, question).last
        if last.substitutions:
            return Rewriting(last.query, last.substitutions)
        return Rewriting(unasked(Query(question, ())))

    def named_entities(self, question: str, known: Collection[str], emit: Emit) -> tuple[str, ...]:
        """What the graph has a node for, longest first, and what is written with capitals; none
        where there is none.
        """
        return named_entities(question, known)

    def think(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[Thinking],
        style: Style,
        emit: Emit,
    ) -> Thinking:
        """The best bridge put into words and what it leaves open; an empty text where no bridge is
        sure enough.
        """
        return think(Page(passages, triples), question, thoughts, style, self._embedder)

    def dual_thoughts(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[DualThoughts],
        emit: Emit,
    ) -> DualThoughts:
        """What the best bridge leaves open, asked directly and after the bridge put into words."""
        return dual_thoughts(Page(passages, triples), question, thoughts, self._embedder)

    def chain(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        because: Sequence[ProximalTriple],
        emit: Emit,
    ) -> ReasoningChain:
        """The bridges in order; fewer than a language model's four nodes where there are no
        more.
        """
        return reasoning_chain(Page(passages, triples), question, because, self._embedder)

    def verify(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        chain: ReasoningChain,
        emit: Emit,
    ) -> Verification:
        """The passages whose triples are on the chain; the reason is the fact, in words."""
        return verified(passages, triples, chain)

    def answer(
        self, passages: Sequence[Passage], triples: Sequence[Triple], question: str, emit: Emit
    ) -> str:
        """What the best chain through the triples comes to, or nothing; without passages it knows
        nothing.
        """
        return answer(Page(passages, triples), question, self._embedder)

    def _starts(self, page: Page, query: str) -> Reading:
        asked = page.query(query)
        found = [
            chosen(b, asked) for b in bridges(asked, page.passages, page.triples, self._embedder)
        ]
        if found or not page.triples:
            return Reading(tuple(found[:SEEDS]), tuple(found[SEEDS : SEEDS + SHOWN]))
        vectors = self._embedder.embed([query, *(triple.text for triple in page.triples)])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        nearest = sorted(
            zip(page.triples, cosines, strict=True),
            key=lambda pair: (-round(pair[1], 6), pair[0].id),
        )
        close = [near(triple, cosine) for triple, cosine in nearest[: SEEDS + SHOWN]]
        return Reading(tuple(close[:SEEDS]), tuple(close[SEEDS:]))

    def _follow(self, memory: Sequence[ProximalTriple], question: str) -> Chain:
        return follow(memory, question, fits(self._embedder))
