"""GRIEVER: hops without a language model and without a reader, in a few hundred milliseconds
(griever.txt).

Composes: relative clauses (§1) → conditional hybrid retrieval, from the second hop on among the
passages that name a join entity or a synonym (§2, §3) → partial triples shortlisted and matched
(§4) → rewriting in the query's own words (§5), at most `max_iterations` hops; RRF over the hops.
Ours: the matcher's arithmetic and threshold; a later hop brings
`hop_k` passages; a collection that the sparse retriever's candidates are half of is searched by RRF
of sparse and dense; what the first hop's sparse retriever finds beyond its candidates follows the
fused ranking.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gear_app.core.config import (
    CANDIDATES,
    FUSION_CONSTANT,
    ITERATIONS,
    MOST_K,
    THRESHOLD,
    BaseConfig,
    Config,
    setting,
)
from gear_app.core.rows import Search
from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import Ranking, Rewriting, Substitution
from gear_app.methods import lookup
from gear_app.methods.base import ALL, BaseQuery, BaseResult, Hybrid
from gear_app.methods.fuse import rrf
from gear_app.methods.iterative import REPEATED
from gear_app.methods.matcher import CandidateTriples, Matcher, asks_once
from gear_app.methods.method import READER, Method, declare_method
from gear_app.methods.split import split, substitute
from gear_app.trace.events import (
    Emit,
    Fused,
    Join,
    Match,
    Matched,
    Retrieved,
    Rewrote,
    Split,
    Stopped,
    during,
)

ASKS_ONCE = Stopped(
    "nothing to rewrite", "The query asks for one thing only, so nothing has to be found before it."
)
UNSURE = Stopped("nothing to rewrite", "No triple answers words of the query surely enough.")


@dataclass(frozen=True, slots=True)
class ComposedConfig(Config):
    """GRIEVER's conditional hybrid retrieval alone."""

    candidates: int = setting(5, *CANDIDATES)  # ours, the paper's c


@dataclass(frozen=True, slots=True)
class GrieverConfig(Config):
    """GRIEVER (griever.txt) and the ablations of its last table."""

    max_iterations: int = setting(4, *ITERATIONS)  # ours: hops
    # ours, the paper's c: dense ranks the sparse retriever's top k * c
    candidates: int = setting(5, *CANDIDATES)
    # ours: passages that a later hop brings into the final fusion
    hop_k: int = setting(10, "Passages a later hop", "So many enter the final fusion", (1, MOST_K))
    # of the RRF over hops, whose lists are short
    fusion_constant: int = setting(3, *FUSION_CONSTANT, paper=60)
    # ours: the score from which a match rewrites the query
    sure: float = setting(1.0, "Sure from score", "A match below it rewrites nothing", (0.0, 2.0))
    # ours: two names as near as this are the same
    threshold: float = setting(0.95, *THRESHOLD)
    # "w/ full_triples"
    triples: Literal["partial", "full"] = setting(
        "partial", "Triples matched", "partial leaves one side out, as the paper; full does not"
    )
    # "wo/ shortlisting"
    shortlist: bool = setting(
        True, "Shortlist", "Off: all triples of the passages found are matched"
    )
    # "wo/ composed_retriever": RRF of sparse and dense instead
    composed: bool = setting(
        True, "Composed retrieval", "Off: BM25 and dense are fused by rank instead"
    )
    # ours: without synonyms of the join entities
    same_as: bool = setting(
        True, "Synonyms of join entities", "Off: only the entity's own name joins"
    )
    base: BaseConfig = field(default_factory=BaseConfig)


@declare_method(
    name="composed",
    label="Composed",
    inline="first search",
    summary="BM25's first passages, ordered by nearness in meaning",
    step_purpose="The passages that share words with the query, ordered by nearness in meaning to"
    " it.",
    order=7,
    defaults=ComposedConfig(),
    single_step=True,
    triples=False,
    baseline=True,
    made_of=("bm25", "dense"),
)
class Composed(Method):
    """GRIEVER's conditional hybrid retrieval (§3), a row of its table."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank the k × candidates passages of BM25 by the cosine of their vectors."""
        result = self.search(query, k * self.config.candidates)
        lines = lookup.ranked_passages(self.index, result.ranking, depth=k)
        emit(Retrieved(query, self.name, lines, lucene=result.lucene))
        return result.ranking

    def search(
        self, query: str, candidates: int, among: Collection[int] | None = None
    ) -> BaseResult:
        """BM25's first `candidates` passages, ranked by the cosine of their vectors; `among` (ids)
        leaves out all others.

        Ours: where BM25 finds fewer, the nearest others fill up.
        """
        results = self.index.search([Search(query, candidates, "bm25", among=among)])
        (sparse,) = results.rankings
        chosen = sparse.ids
        if len(chosen) < candidates:
            (near,) = self.index.search([Search(query, candidates, "dense", among=among)]).rankings
            chosen = tuple(dict.fromkeys((*chosen, *near.ids)))[:candidates]
        (ranking,) = self.index.search([Search(query, candidates, "dense", among=chosen)]).rankings
        return BaseResult(ranking, {}, bool(results.lucene))


@declare_method(
    name="griever",
    label="GRIEVER",
    summary="hops that put what a triple says in the place of the question's own words",
    idea="GRIEVER takes the question hop by hop",
    order=19,
    defaults=GrieverConfig(),
    compared="with triples",
    links=True,
    baseline=True,
    version=4,
    made_of=("bm25", "dense", READER),  # it asks no reader, but goes by its rules of words,
)
class Griever(Method):
    """Retrieval, matching and rewriting in a loop."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question; each hop reads the triples of its first k passages."""
        emit(Split(query, split(query)))
        state = _State(query, query, [tokenise(query)])
        for n in range(1, self.config.max_iterations + 1):
            stopped = self._hop(state, n, k, during(emit, n))
            if stopped:
                during(emit, n)(stopped)
                break
        return state.ranking

    def _hop(self, state: _State, n: int, k: int, emit: Emit) -> Stopped | None:
        """One hop: search, match, fuse; then the next query in `state`, or why there is none."""
        ranking = self._search(state, k, emit)
        state.hops.append(ranking if n == 1 else ranking.top(self.config.hop_k))
        page = CandidateTriples(self.index, ranking.top(k).ids)
        last = n == self.config.max_iterations
        answered = n > 1 and asks_once(state.query, page.names)
        matches = self._match(state, page, emit, rewrites=not (last or answered))
        self._fuse(state, emit)
        if last:
            return Stopped("iteration limit", f"{n} hops are the limit set for this run.")
        rewriting = _rewritten(state.query, matches)
        emit(Rewrote(rewriting.query, rewriting.substitutions))
        if answered:
            return ASKS_ONCE
        if not rewriting.query:
            return UNSURE
        if tokenise(rewriting.query) in state.asked:
            return REPEATED
        state.query = rewriting.query
        state.asked.append(tokenise(rewriting.query))
        state.replaced |= {normalise_entity(match.known) for match in matches}
        return None

    def _search(self, state: _State, k: int, emit: Emit) -> Ranking:
        config, among = self.config, state.among
        if state.composes is None:
            state.composes = config.composed and self._shortens(state.query, k * config.candidates)
        if state.composes:
            result = Composed(self.parts).search(state.query, k * config.candidates, among)
        else:
            hybrid = Hybrid(self.parts, config.base)
            (result,) = hybrid.search([BaseQuery(state.query, ALL, among=among)])
        name = "composed" if state.composes else "hybrid"
        lines = lookup.ranked_passages(self.index, result.ranking, result.terms)
        emit(Retrieved(state.query, name, lines, lucene=result.lucene))
        return result.ranking

    def _shortens(self, query: str, candidates: int) -> bool:
        """Whether so many candidates are less than half of the passages. Of a smaller collection
        words would leave out next to nothing, and dense alone rank it.
        """
        (more,) = self.index.search([Search(query, 2 * candidates + 1, "dense")]).rankings
        return len(more) > 2 * candidates

    def _match(
        self, state: _State, page: CandidateTriples, emit: Emit, *, rewrites: bool
    ) -> list[Match]:
        """Match the page's triples to the query; those it is rewritten by, and in `state` what they
        join.
        """
        config, sure = self.config, self.config.sure
        threshold = config.threshold if config.same_as else None
        matcher = Matcher(
            self.index, self.embedder, threshold, config.triples == "full", not config.shortlist
        )
        matching = matcher.match(
            state.query, split(state.query), page, state.replaced, sure if rewrites else None
        )
        matches = [match for match in matching.matches if match.taken]
        new = dict.fromkeys(match.new for match in matches)
        joined = {name: matching.joins[name] for name in new}
        state.among = frozenset().union(*(entity.passages for entity in joined.values()))
        joins = tuple(
            Join(name, entity.synonyms, len(entity.passages)) for name, entity in joined.items()
        )
        emit(
            Matched(
                state.query, len(page.triples), matching.shortlisted, matching.matches, joins, sure
            )
        )
        return matches

    def _fuse(self, state: _State, emit: Emit) -> None:
        """RRF over the hops so far, and below it the rest of what the question's words find."""
        lists = {f"iteration {n}": hop for n, hop in enumerate(state.hops, start=1)}
        fused, parts = rrf(lists, constant=self.config.fusion_constant)
        if state.sparse is None:
            search = Search(state.question, lookup.DEPTH, "bm25")
            (ranking,) = self.index.search([search]).rankings
            state.sparse = ranking.ids
        state.ranking = lookup.followed_by(fused, state.sparse)
        lines = lookup.ranked_passages(self.index, state.ranking, parts)
        emit(Fused("final", tuple(lists), lines, "rrf", "bm25"))


def _rewritten(query: str, matches: Sequence[Match]) -> Rewriting:
    """The query with the words that were matched replaced by what they lead to; empty where nothing
    was taken.
    """
    if not matches:
        return Rewriting("")
    ordered = sorted(matches, key=lambda match: match.place)
    triples = [match.triple for match in ordered]
    done = tuple(
        Substitution(
            query[match.place.start : match.place.end],
            match.new,
            t.text,
        )
        for match, t in zip(ordered, triples, strict=True)
    )
    return Rewriting(substitute(query, [(match.place, match.new) for match in ordered]), done)


@dataclass(slots=True)
class _State:
    """State of the loop. `among` are the passages the next hop searches, None: all;
    `composes` says how, None: not known yet.

    `replaced` are the names, normalised, that gave way: a chain does not go back. `sparse` are the
    passages that BM25 finds for the question, once they were asked for.
    """

    question: str
    query: str
    asked: list[list[str]]
    among: frozenset[int] | None = None
    composes: bool | None = None
    sparse: tuple[int, ...] | None = None
    replaced: set[str] = field(default_factory=set)
    hops: list[Ranking] = field(default_factory=list)
    ranking: Ranking = field(default_factory=Ranking)
