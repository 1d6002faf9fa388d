"""BDTR: dual thoughts widen the pool, a verified reasoning chain puts bridges on top (BDTR §3, App.
A.3, Alg. 1).

Composes: the single-step method → pool → fast and slow thought → both as queries, `rounds` times
after the first retrieval; then reasoning chain → verifier → promotion → cut (Eq. 5 and 6).
Configurations: DTR alone (without what comes after the rounds), BGEC alone (one IRCoT thought a
round). Ours: the cut is an event for answering; the
ranking is the whole pool.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gear_app.core.config import MOST_ITERATIONS, MOST_K, BaseConfig, Config, setting
from gear_app.core.errors import ModelFailed
from gear_app.core.text import tokenise
from gear_app.core.types import DualThoughts, Hit, ProximalTriple, Ranking, ReasoningChain, Thinking
from gear_app.methods import lookup
from gear_app.methods.gear import remember
from gear_app.methods.iterative import (
    FIRST_K,
    LATER_POWER,
    NOTHING_NEW,
    POOL_K,
    PROMPT_K,
    REPEATED,
    UNSURE_WEIGHT,
    Next,
    Pool,
    Searches,
    Thinker,
    iterate,
)
from gear_app.methods.method import READER, SEARCH, Method, PromptCall, ask, declare_method
from gear_app.models.reader.roles import CHAIN, DUAL_THOUGHTS, VERIFY, Reader, ReaderRequest
from gear_app.trace.events import Chained, Emit, Move, Promoted, Stopped, Thought, Verified, during


class Cut(NamedTuple):
    """The ids `kept` for answering, in the ranking's order, and the arithmetic (BDTR Eq. 6)."""

    considered: int
    mean: float
    deviation: float
    threshold: float
    kept: tuple[int, ...]


def promote(ranking: Ranking, verified: Sequence[int]) -> Ranking:
    """The ranking with the verified ids first, in the verifier's order, then the others.

    The n-th verified id scores 1 + 1 / n, which is above every normalised score and says its place
    (ours); the others keep their score.
    """
    lead = [Hit(id_, round(1 + 1 / n, 6)) for n, id_ in enumerate(verified, start=1)]
    return Ranking((*lead, *(hit for hit in ranking.hits if hit.id not in verified)))


def cut(
    ids: Sequence[int],
    scores: Mapping[int, float],
    promoted: Sequence[int],
    *,
    first: int,
    least: int,
) -> Cut:
    """Keep the ids that score at least μ + σ, the promoted ones, and at least `least` (Eq. 6).

    μ and σ are those of the first `first` ids' scores. `ids` are in the order after promotion,
    `scores` those of the pool. σ is the population's; the promoted are exempt from the cut but
    count in μ and σ (ours). Where fewer than `least` remain, the best of the others fill up. No ids
    give an empty cut.
    """
    considered = [scores[id_] for id_ in ids[:first]]
    mean = round(statistics.fmean(considered), 6) if considered else 0.0
    deviation = round(statistics.pstdev(considered), 6) if considered else 0.0
    threshold = round(mean + deviation, 6)
    enough = [id_ for id_ in ids if id_ in promoted or scores[id_] >= threshold]
    enough += [id_ for id_ in ids if id_ not in enough][: max(0, least - len(enough))]
    confirmed = tuple(id_ for id_ in ids if id_ in enough)
    return Cut(len(considered), mean, deviation, threshold, confirmed)


@dataclass(frozen=True, slots=True)
class BdtrConfig(Config):
    """BDTR (bdtr.txt §3, App. A.3) and its ablations DTR and BGEC (Table 5). Of the pool it has the
    settings of ThoughtConfig.
    """

    # ours, R: rounds after the first retrieval
    rounds: int = setting(2, "Rounds R", "After the first retrieval", (1, MOST_ITERATIONS))
    # single: one IRCoT query a round, as BGEC alone
    thoughts: Literal["dual", "single"] = setting(
        "dual", "Thoughts a round", "dual: a fast and a slow one; single: one, as IRCoT"
    )
    # False: DTR alone, without chain, verifier and promotion
    calibrate: bool = setting(
        True, "Calibrate", "Off: no chain, no verifier, no promotion", stops=(False, True)
    )
    # Fig. 9: passages the verifier sees
    verify_k: int = setting(
        30,
        "Passages verified",
        "So many of the pool the verifier sees",
        (1, MOST_K),
        (5, 10, 30, 50),
    )
    # Eq. 6: passages whose scores give μ and σ
    cut_k: int = setting(
        50, "Scores for the cut", "So many give its mean and deviation", (1, MOST_K)
    )
    # Eq. 6: passages handed on in any case
    least: int = setting(
        5, "Handed on at least", "Passages given to answering in any case", (1, MOST_K)
    )
    pool_k: int = setting(10, *POOL_K)
    first_k: int = setting(0, *FIRST_K, paper=0)
    later_power: float = setting(1.0, *LATER_POWER, paper=1.0)
    prompt_k: int = setting(10, *PROMPT_K)
    unsure_weight: float = setting(0.5, *UNSURE_WEIGHT, paper=1.0)
    base: Any = field(default_factory=BaseConfig)

    @property
    def pool_size(self) -> int:
        """The passages of the pool at most, all of which its cut can keep."""
        later = self.rounds * (2 if self.thoughts == "dual" else 1)
        return max(self.pool_k, self.first_k) + later * self.pool_k


@declare_method(
    name="bdtr",
    label="BDTR",
    summary="a fast and a slow thought a round, then a verified chain puts its passages on top",
    order=21,
    defaults=BdtrConfig(),
    over="step",
    version=4,
    made_of=(READER,),
)
class Bdtr(Method):
    """A single-step method in rounds of thoughts, and the calibration of what they found."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question: promoted, pool, then what else the first query found; k
        is not used.
        """
        searches = Searches(self, query, self.config)
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
            searches.failed(error, now)
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
        request = ReaderRequest(CHAIN, searches.question, *material, because)
        chain = ask(self.reader, request, "chain", emit)
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
        candidates = pool.ids[: self.config.verify_k]
        material = searches.top(len(candidates))
        request = ReaderRequest(VERIFY, searches.question, *material, chain=chain)
        reply = ask(self.reader, request, "verify", emit)
        chosen = dict.fromkeys(n for n in reply.indices if 1 <= n <= len(candidates))
        told_reasons = dict(
            [*zip(reply.indices, reply.reasons, strict=False)][::-1]
        )  # the first of a repeated number
        reasons = {candidates[number - 1]: told_reasons.get(number, "") for number in chosen}
        hits = Ranking(tuple(pool.ranking.hits[number - 1] for number in chosen))
        lines = lookup.ranked_passages(self.index, hits, pool.terms)
        emit(Verified(len(candidates), lines, tuple(reasons.values())))
        return reasons

    def _promotion(self, pool: Pool, ranking: Ranking, reasons: Mapping[int, str]) -> Promoted:
        """The passages that changed their rank, and the cut; the pool's scores give μ and σ."""
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

    @staticmethod
    def most_calls(config: BdtrConfig, k: int) -> Sequence[PromptCall]:
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
        request = ReaderRequest(DUAL_THOUGHTS, searches.question, *material, thoughts=before)
        dual = ask(self.reader, request, "think", emit)
        self.thoughts.append(dual)
        queries: tuple[str, ...] = ()
        both: tuple[tuple[Literal["fast", "slow"], str], ...] = (
            ("fast", dual.fast),
            ("slow", dual.slow),
        )
        for style, text in both:
            repetition = searches.repetition(text, queries)
            emit(
                Thought(
                    style,
                    text,
                    "" if repetition else text,
                    because=dual.because,
                    skip_reason=repetition.sentence if repetition else "",
                )
            )
            queries += () if repetition else (text,)
        if queries:
            return Next(queries, weight=searches.weight_of(dual))
        return Next(stopped=REPEATED if tokenise(dual.fast + " " + dual.slow) else NOTHING_NEW)


@declare_method(
    name="dtr",
    label="DTR",
    summary="BDTR without the chain: fast and slow thoughts alone",
    order=22,
    defaults=BdtrConfig(calibrate=False),
    version=1,
    made_of=("bdtr",),
)
class DTR(Bdtr):
    """Dual thoughts alone (BDTR Table 5)."""


@declare_method(
    name="bgec",
    label="BGEC",
    summary="BDTR with one thought a round, then the chain",
    order=23,
    defaults=BdtrConfig(thoughts="single"),
    version=1,
    made_of=("bdtr",),
)
class BGEC(Bdtr):
    """The chain alone, after one IRCoT thought a round (BDTR Table 5)."""
