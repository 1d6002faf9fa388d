"""GEAR: the graph-enhanced agent (GEAR §5, Fig. 1).

Composes: SyncGE → read (Eq. 4) → remember (Eq. 5) → reason (Eq. 6) → rewrite (Eq. 7), at most
`max_iterations` times, counting retrievals; then passageLink of every gist triple (Eq. 8, 10) and
RRF with every Cq(n) (Eq. 9). Ours: Eq. 9 is also computed after every iteration as if it were the
last, which gives the recall per iteration; iterations after the first count from the first gist
triple on; and a ranking of fewer than k passages is followed by the base's for the question. A
reply that cannot be used ends the loop, is an event, and leaves the ranking of what was found so
far; so does a budget that allows no more. Where the model gave no reply at all before anything was
found, the run fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gear_app.core.config import FUSION_CONSTANT, ITERATIONS, MOST_K, BaseConfig, Config, setting
from gear_app.core.errors import ModelFailed
from gear_app.core.rows import StoredTriple
from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import Hit, ProximalTriple, Ranking
from gear_app.methods import lookup
from gear_app.methods.base import BaseQuery
from gear_app.methods.beam_search import BeamConfig
from gear_app.methods.expansion import SyncGE
from gear_app.methods.fuse import rrf
from gear_app.methods.iterative import REPEATED
from gear_app.methods.method import Method, PromptCall, ask, declare_method, retrieved, stop_after
from gear_app.models.reader.roles import READ_GIST, REASON, REWRITE, ReaderRequest
from gear_app.trace.events import (
    Emit,
    Fused,
    PassagesLinked,
    Reasoned,
    Remembered,
    Rewrote,
    Stopped,
    during,
)


class Memory(NamedTuple):
    """The memory after an iteration, what the iteration added to it and what it only repeated."""

    triples: tuple[ProximalTriple, ...]
    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]


def remember(memory: Sequence[ProximalTriple], triples: Sequence[ProximalTriple]) -> Memory:
    """Append the triples that are new; two are the same when their normalised words are equal."""
    facts_known = {_fact(triple) for triple in memory}
    added: list[ProximalTriple] = []
    repeated: list[ProximalTriple] = []
    for triple in triples:
        group = repeated if _fact(triple) in facts_known else added
        group.append(triple)
        facts_known.add(_fact(triple))
    return Memory((*memory, *added), tuple(added), tuple(repeated))


def _fact(triple: ProximalTriple) -> tuple[str, ...]:
    return tuple(normalise_entity(part) for part in triple.words)


@dataclass(frozen=True, slots=True)
class GearConfig(Config):
    """The agent (GEAR §5)."""

    # App. B.1: 4, and 2 for two-hop sets; a collection can hold its own
    max_iterations: int = setting(4, *ITERATIONS)
    # App. B.2: passages a round, before synchronisation
    round_k: int = setting(
        10,
        "Passages a round",
        "What the base retriever finds each iteration",
        (1, MOST_K),
        (5, 10, 20),
    )
    # App. B.2: passages each gist triple is linked to (Eq. 8)
    link_k: int = setting(
        10,
        "Passages a gist triple",
        "So many each triple of the gist memory is linked to",
        (1, MOST_K),
    )
    wait_for_memory: bool = setting(
        True,
        "Later rounds wait for a fact",
        "They count in the final ranking once something is remembered; off: always, as in the"
        " paper",
        paper=False,
    )
    # of Eq. 8 to 10's RRF, whose lists are short
    fusion_constant: int = setting(1, *FUSION_CONSTANT, paper=60)
    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@declare_method(
    name="gear",
    label="GEAR",
    summary="SyncGE in a loop that remembers, judges and asks again",
    idea="GEAR reads facts from passages and follows them",
    order=12,
    defaults=GearConfig(),
    over="search",
    compared="with triples",
    links=True,
    proximal=True,
    version=3,
    made_of=("sync_ge",),
)
class Gear(Method):
    """SyncGE in a loop with a gist memory."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question; each round retrieves `round_k` (App. B.2), whatever k
        is.
        """
        state = _State(query, k, [query])
        for n in range(1, self.config.max_iterations + 1):
            now = during(emit, n)
            try:
                stopped = self._iterate(state, n, now)
            except ModelFailed as error:
                if not state.rounds:
                    raise
                stopped = stop_after(error, now)
                self._rank(state, now)
            if stopped:
                now(stopped)
                break
        return state.ranking

    def _iterate(self, state: _State, n: int, emit: Emit) -> Stopped | None:
        """One iteration, which adds the next query; or why there is none."""
        question, queries = state.question, tuple(state.queries)
        sync_ge = SyncGE(self.parts, self.config, self.under)
        ranking, error = retrieved(sync_ge, queries[-1], self.config.round_k, emit)
        state.rounds.append(ranking)
        if error:
            raise error
        self._read(state, ranking, emit)
        self._rank(state, emit)
        memory, passed_over = state.memory, state.passed_over
        asks = ReaderRequest(REASON, question, memory=memory, passed_over=passed_over)
        verdict = ask(self.reader, asks, "reason", emit)
        emit(Reasoned(verdict.answerable, verdict.reason, verdict.answer))
        if verdict.answerable:
            return Stopped("answerable", "The gist memory answers the question.")
        if n == self.config.max_iterations:
            return Stopped("iteration limit", f"{n} iterations are the limit set for this run.")
        request = ReaderRequest(
            REWRITE,
            question,
            memory=memory,
            passed_over=passed_over,
            reason=verdict.reason,
            asked=queries,
        )
        rewriting = ask(self.reader, request, "rewrite", emit)
        emit(Rewrote(rewriting.query, rewriting.substitutions))
        if not rewriting.query.strip():
            return Stopped("nothing to rewrite", "The gist memory offers nothing new to ask for.")
        if tokenise(rewriting.query) in map(tokenise, queries):
            return REPEATED
        state.queries.append(rewriting.query)
        return None

    def _read(self, state: _State, ranking: Ranking, emit: Emit) -> None:
        """Read Cq(n) with the question and the memory, and remember what is new (Eq. 4 and 5)."""
        material = lookup.material(self.index, ranking.ids)
        request = ReaderRequest(READ_GIST, state.question, *material, state.memory)
        reading = ask(self.reader, request, "remember", emit)
        emit(lookup.read_event(self.index, "gist", state.question, material, reading))
        memory = remember(state.memory, reading.triples)
        state.memory, state.passed_over = memory.triples, reading.passed_over
        emit(Remembered(memory.added, memory.repeated, len(memory.triples)))

    def _rank(self, state: _State, emit: Emit) -> None:
        """Eq. 9: RRF of the passages of every gist triple and of every round, as of now.

        Ours: while nothing is remembered a later query was made of nothing that was found, and its
        round does not count (`wait_for_memory`).
        What follows a short ranking has score 0 and no parts.
        """
        self._link_passages(state, emit)
        waits = self.config.wait_for_memory and not state.memory
        counted = state.rounds[:1] if waits else state.rounds
        rounds = {f"iteration {n}": ranking for n, ranking in enumerate(counted, start=1)}
        lists = state.links | rounds
        state.ranking, parts = rrf(lists, constant=self.config.fusion_constant)
        if len(state.ranking) < state.k:
            state.ranking = lookup.followed_by(state.ranking, self._of_base(state))
        lines = lookup.ranked_passages(self.index, state.ranking, parts)
        emit(Fused("final", tuple(lists), lines, "rrf", self.under.name))

    def _of_base(self, state: _State) -> Sequence[int]:
        """The base's ranking for the question, to its whole depth."""
        if state.base is None:
            (result,) = self.under.search([BaseQuery(state.question, lookup.DEPTH)])
            state.base = result.ranking
        return state.base.ids

    def _link_passages(self, state: _State, emit: Emit) -> None:
        """Eq. 8 and 10: each triple that is new in the memory as a query, over passages and over
        triples' passages, fused, cut to link_k.
        """
        k = self.config.link_k
        new = state.memory[len(state.links) :]
        queries = [
            query
            for triple in new
            for query in (
                BaseQuery(triple.text, k),
                BaseQuery(triple.text, lookup.DEPTH, "triples"),
            )
        ]
        rankings = [result.ranking for result in self.under.search(queries)]
        direct, near = rankings[0::2], rankings[1::2]
        rows = self.index.rows((), [id_ for ranking in near for id_ in ranking.ids]).triples
        for triple, passages, nearest in zip(new, direct, near, strict=True):
            name = f"gist {len(state.links) + 1}"
            lists = {
                "passages": passages,
                "passages of triples": _passages_of(nearest, rows).top(k),
            }
            fused, parts = rrf(lists, constant=self.config.fusion_constant)
            lines = lookup.ranked_passages(self.index, fused, parts)
            emit(PassagesLinked(name, triple.text, lines, min(k, len(lines))))
            state.links[name] = fused.top(k)

    @staticmethod
    def most_calls(config: GearConfig, k: int) -> Sequence[PromptCall]:
        """Calls up to the iteration limit. The gist is read from Cq(n): the base's passages and
        those of the beams' triples, each perhaps of another passage.
        """
        synchronised = config.round_k + config.beam.width * config.beam.length
        calls: list[PromptCall] = []
        for n in range(1, config.max_iterations + 1):
            gist = (
                PromptCall("read_gist", synchronised, n - 1)
                if n > 1
                else PromptCall("read", synchronised)
            )
            calls += [
                PromptCall("read", config.round_k),
                gist,
                PromptCall("reason", 0, n),
                PromptCall("rewrite", 0, n),
            ]
        return calls[:-1]  # after the last verdict nothing is asked any more


def _passages_of(ranking: Ranking, rows: Mapping[int, StoredTriple]) -> Ranking:
    """The different passages of ranked triples, each with the score of its first triple."""
    hits: dict[int, Hit] = {}
    for id_, score in ranking.hits:
        passage = rows[id_].triple.passage_id
        hits.setdefault(passage, Hit(passage, score))
    return Ranking(tuple(hits.values()))


@dataclass(slots=True)
class _State:
    """State of the loop."""

    question: str
    k: int
    queries: list[str]
    memory: Sequence[ProximalTriple] = ()
    passed_over: Sequence[ProximalTriple] = ()
    rounds: list[Ranking] = field(default_factory=list)
    links: dict[str, Ranking] = field(default_factory=dict)  # by the names of Eq. 9's lists
    base: Ranking | None = None
    ranking: Ranking = field(default_factory=Ranking)
