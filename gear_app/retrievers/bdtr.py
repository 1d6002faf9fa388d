"""BDTR: dual thoughts widen the pool, a verified reasoning chain puts bridges on top (BDTR §3, App.
A.3, Alg. 1).

Composes: the single-step method → pool → fast and slow thought → both as queries, `rounds` times
after the first retrieval; then reasoning chain → verifier → promotion → cut (Eq. 5 and 6).
Configurations: DTR alone (without what comes after the rounds), BGEC alone (one IRCoT thought a
round). Ours: the cut is an event for answering; the
ranking is the whole pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gear_app.config import BdtrConfig
from gear_app.errors import ModelFailed
from gear_app.events import Chained, Emit, Move, Promoted, Stopped, Thought, Verified, during
from gear_app.reader.roles import ChainRequest, DualThoughtsRequest, Reader, VerifyRequest
from gear_app.retrievers import lookup
from gear_app.retrievers.base import SingleStep
from gear_app.retrievers.iterative import NOTHING_NEW, REPEATED, Next, Searches, Thinker, iterate
from gear_app.retrievers.model_calls import SEARCH, PromptCall
from gear_app.seams import Index
from gear_app.steps.calibrate import cut, promote, verifier_choice
from gear_app.steps.pool import Pool
from gear_app.steps.remember import remember
from gear_app.text import tokenise
from gear_app.types import DualThoughts, ProximalTriple, Ranking, ReasoningChain, Thinking


@dataclass(frozen=True, slots=True)
class Bdtr:
    """A single-step method in rounds of thoughts, and the calibration of what they found."""

    index: Index
    step: SingleStep
    reader: Reader
    config: BdtrConfig = field(default_factory=BdtrConfig)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question: promoted, pool, then what else the first query found; k
        is not used.
        """
        searches = Searches(self.index, self.step, self.config, query)
        thinker = (
            _Dual(self.reader) if self.config.thoughts == "dual" else Thinker(self.reader, "ircot")
        )
        reached = Stopped(
            "iteration limit",
            f"That was round {self.config.rounds} after the first retrieval, the limit set for this"
            " run.",
        )

        def think(last: bool, now: Emit) -> Next:
            return Next(stopped=reached) if last else thinker.think(searches, now)

        n, stopped = iterate(searches, self.config.rounds + 1, think, emit)
        if not stopped:
            return searches.pool.ranking
        now = during(emit, n)
        try:
            ranking = (
                self._calibrate(searches, thinker.thoughts, now)
                if self.config.calibrate
                else searches.pool.ranking
            )
        except ModelFailed as error:
            searches.failed("calibration", error, now)
            return searches.pool.ranking
        now(stopped)
        return ranking

    def _calibrate(
        self, searches: Searches, thoughts: Sequence[DualThoughts] | Sequence[Thinking], emit: Emit
    ) -> Ranking:
        """The pool with the passages on top that the verifier chose for the chain (Eq. 5), and the
        cut (Eq. 6).
        """
        because: tuple[ProximalTriple, ...] = ()
        for thought in thoughts:
            because = remember(because, thought.because).triples
        material = searches.top(self.config.prompt_k)
        chain = self.reader.ask(ChainRequest(*material, searches.question, because), emit)
        emit(Chained(chain.nodes, chain.because))
        reasons = self._verify(searches, chain, emit) if chain.nodes else {}
        ranking = promote(searches.pool.ranking, tuple(reasons))
        emit(self._promotion(searches.pool, ranking, reasons))
        return ranking

    def _verify(self, searches: Searches, chain: ReasoningChain, emit: Emit) -> dict[int, str]:
        """The ids that the verifier chose of the pool's first `verify_k`, strongest first, each
        with its reason.
        """
        pool = searches.pool
        shown = pool.ids[: self.config.verify_k]
        material = searches.top(len(shown))
        reply = self.reader.ask(VerifyRequest(*material, searches.question, chain), emit)
        chose = verifier_choice(reply.indices, len(shown))
        said = dict(
            [*zip(reply.indices, reply.reasons, strict=False)][::-1]
        )  # the first of a repeated number
        reasons = {shown[position]: said.get(position + 1, "") for position in chose.positions}
        hits = Ranking(tuple(pool.ranking.hits[position] for position in chose.positions))
        lines = lookup.ranked_passages(self.index, hits, pool.terms)
        emit(Verified(len(shown), lines, tuple(reasons.values()), chose.ignored))
        return reasons

    def _promotion(self, pool: Pool, ranking: Ranking, reasons: Mapping[int, str]) -> Promoted:
        """What changed its rank, and the cut; the pool's own scores give μ and σ."""
        scores, before = (
            dict(pool.ranking.hits),
            {id_: rank for rank, id_ in enumerate(pool.ids, start=1)},
        )
        lines = lookup.ranked_passages(self.index, ranking, pool.terms)
        moves = tuple(
            Move(
                line.id,
                line.key,
                line.title,
                scores[line.id],
                before[line.id],
                after,
                reasons.get(line.id, ""),
            )
            for after, line in enumerate(lines[: pool.size], start=1)
            if before[line.id] != after
        )
        order, promoted = ranking.ids[: pool.size], tuple(reasons)
        handed = cut(order, scores, promoted, first=self.config.cut_k, least=self.config.least)
        return Promoted(moves, promoted, lines, *handed, max(0, len(lines) - pool.size))


def most_calls(config: BdtrConfig, k: int) -> list[PromptCall]:
    """The calls of a run that goes to its limit; k is not used."""
    prompt, queries = ("thoughts", 2) if config.thoughts == "dual" else ("ircot", 1)
    calls = [PromptCall(SEARCH, config.pool_k)]
    for n in range(config.rounds):
        calls += [
            PromptCall(prompt, config.prompt_k, n),
            *[PromptCall(SEARCH, config.pool_k)] * queries,
        ]
    last = [
        PromptCall("chain", config.prompt_k, config.rounds),
        PromptCall("verify", config.verify_k, 1),
    ]
    return [*calls, *last] if config.calibrate else calls


@dataclass(slots=True)
class _Dual:
    """Asks a reader for a fast and a slow thought after each other's results."""

    reader: Reader
    thoughts: list[DualThoughts] = field(default_factory=list)

    def think(self, searches: Searches, emit: Emit) -> Next:
        """Both thoughts as the next queries. One that is empty or was asked before is not asked
        (ours).
        """
        material, before = searches.top(searches.config.prompt_k), tuple(self.thoughts)
        dual = self.reader.ask(DualThoughtsRequest(*material, searches.question, before), emit)
        self.thoughts.append(dual)
        queries: tuple[str, ...] = ()
        both: tuple[tuple[Literal["fast", "slow"], str], ...] = (
            ("fast", dual.fast),
            ("slow", dual.slow),
        )
        for style, text in both:
            why = searches.repetition(text, queries)
            emit(
                Thought(
                    style,
                    text,
                    "" if why else text,
                    because=dual.because,
                    unasked=why.sentence if why else "",
                )
            )
            queries += () if why else (text,)
        if queries:
            return Next(queries, weight=searches.weight_of(dual))
        return Next(stopped=REPEATED if tokenise(dual.fast + " " + dual.slow) else NOTHING_NEW)
