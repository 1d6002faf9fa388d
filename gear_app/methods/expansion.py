"""Graph expansion: NaiveGE and SyncGE (GEAR §4, §6.2, Alg. 1, Eq. 1 to 3).

Composes: base retrieval → initial triples → diverse triple beam search (Alg. 1) → RRF of the
passages that beams lead to and of the base's (Eq. 3). NaiveGE starts from every triple of the
base's passages, SyncGE from those that a reader selects (Eq. 1, tripleLink Eq. 2). Without initial
triples, or where the reply cannot be used, the ranking is C′q (ours).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gear_app.core.config import BaseConfig, Config
from gear_app.core.protocols import Index, Vectors, query_vectors
from gear_app.core.rows import StoredTriple
from gear_app.core.text import linearise, normalise_entity
from gear_app.core.types import Hit, ProximalTriple, Ranking, Reading
from gear_app.methods import lookup
from gear_app.methods.base import BaseQuery
from gear_app.methods.beam_search import (
    BeamConfig,
    Extension,
    Path,
    SearchStep,
    beam_search,
    flatten,
)
from gear_app.methods.fuse import rrf
from gear_app.methods.method import READER, Method, PromptCall, declare_method
from gear_app.models.reader.roles import READ, ReaderRequest
from gear_app.trace.events import (
    BeamCandidate,
    BeamStep,
    Emit,
    Expanded,
    Fused,
    Link,
    Linked,
    RankedPassage,
    ScorePart,
    ShownTriple,
)

PRUNED_IN_FULL = 3  # of each beam; the others are kept in the event as (id, score)


@dataclass(frozen=True, slots=True)
class GraphConfig(Config):
    """NaiveGE and SyncGE: a base retriever, a beam search and the fusion of both (GEAR Eq. 3)."""

    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@declare_method(
    over="search",
    links=True,
)
class GraphExpansion(Method):
    """The steps that NaiveGE and SyncGE share, from the initial triples on."""

    def expand(self, query: str, base: Ranking, starts: Sequence[int], emit: Emit) -> Ranking:
        """Cq = RRF(beam passages, C′q) (Eq. 3). No starts give C′q unchanged."""
        if not starts:
            return base
        rows = _MetTriples(self.index, starts)
        steps = self._search(query, starts, rows)
        reached = _passages(steps[-1], rows)
        emit(self._expanded(query, len(starts), steps, reached))
        lists = {"beams": reached, "base": base}
        fused, parts = rrf(lists, constant=self.config.base.constant)
        lines = lookup.ranked_passages(self.index, fused, parts)
        emit(Fused("iteration", tuple(lists), lines, "rrf"))
        return fused

    def _search(
        self, query: str, starts: Sequence[int], rows: _MetTriples
    ) -> tuple[SearchStep, ...]:
        vector = query_vectors(self.embedder, [query])[0]

        def neighbours(triples: Sequence[int]) -> list[list[int]]:
            """At most `neighbours` of each: those nearest to the query by stored vector (ours; the
            paper says 100).
            """
            around = self.index.nearest(triples, vector, self.config.beam.neighbours)
            for batch in around:
                rows.add(batch.rows)
            return [batch.ids for batch in around]

        return beam_search(
            starts,
            score=lambda paths: self._cosines(vector, paths, rows),
            estimate=lambda paths: self._estimates(vector, paths),
            neighbours=neighbours,
            fact=rows.fact,
            config=self.config.beam,
        )

    def _cosines(self, query: Vectors, paths: Sequence[Path], rows: _MetTriples) -> list[float]:
        """Cosine of the query and the embedding of each sequence's text; a single triple's vector
        is stored.
        """
        single = [path[0] for path in paths if len(path) == 1]
        stored = iter((self.index.vectors(single) @ query).tolist()) if single else iter(())
        texts = [rows.line(path) for path in paths if len(path) > 1]
        encoded = iter((self.embedder.embed(texts) @ query).tolist()) if texts else iter(())
        return [next(stored) if len(path) == 1 else next(encoded) for path in paths]

    def _estimates(self, query: Vectors, paths: Sequence[Path]) -> list[float]:
        """Cosine of the query and the mean of each sequence's stored vectors."""
        sums = self.index.vectors([path[0] for path in paths])
        for depth in range(1, max(map(len, paths))):
            rows = [row for row, path in enumerate(paths) if len(path) > depth]
            sums[rows] += self.index.vectors([paths[row][depth] for row in rows])
        return list((sums @ query / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)).tolist())

    def _expanded(
        self, query: str, starts: int, steps: tuple[SearchStep, ...], reached: Ranking
    ) -> Expanded:
        cut = [_in_full(step.pruned) for step in steps]
        ids = [
            e.path[-1]
            for step, (full, _) in zip(steps, cut, strict=True)
            for e in (*step.selected, *full)
        ]
        words = lookup.shown_triples(self.index, ids)
        drawn = tuple(
            BeamStep(
                tuple(_candidate(e, words, selected=True) for e in step.selected),
                tuple(_candidate(e, words, selected=False) for e in full),
                tuple((e.path[-1], e.score) for e in rest),
            )
            for step, (full, rest) in zip(steps, cut, strict=True)
        )
        passages: tuple[RankedPassage, ...] = lookup.ranked_passages(self.index, reached)
        return Expanded(query, starts, drawn, passages)


@declare_method(
    name="naive_ge",
    label="NaiveGE",
    summary="beam search over triples from every triple of the base's passages",
    idea="NaiveGE follows facts from passage to passage",
    order=10,
    defaults=GraphConfig(),
    single_step=True,
    by_rank=True,
    version=2,
)
class NaiveGE(GraphExpansion):
    """C′q, all of its triples, expansion, RRF (GEAR §6.2): no model selects triples."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; C′q has k passages."""
        first = self.under.begin(BaseQuery(query, k), emit)
        starts = [row.triple.id for row in self.index.triples_of(first.ids)]
        return self.expand(query, first, starts, emit)


@declare_method(
    name="sync_ge",
    label="SyncGE",
    summary="beam search over triples from those a reader chose",
    idea="SyncGE reads facts from passages and follows them",
    order=11,
    defaults=GraphConfig(),
    single_step=True,
    by_rank=True,
    proximal=True,
    version=2,
    made_of=(READER,),
)
class SyncGE(GraphExpansion):
    """Synchronised graph expansion (GEAR §4): a reader finds the triples to start from."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; C′q has k passages."""
        first = self.under.begin(BaseQuery(query, k), emit)
        material = lookup.material(self.index, first.ids)
        # Eq. 1
        request = ReaderRequest(READ, query, *material)
        reading = self.usable(request, "read", emit) or Reading(())
        emit(lookup.read_event(self.index, "sync", query, material, reading))
        starts = self._link(reading.triples, emit)
        return self.expand(query, first, starts, emit)

    def _link(self, triples: tuple[ProximalTriple, ...], emit: Emit) -> list[int]:
        """tripleLink: each proximal triple to its nearest stored one, h(t′, T, 1) (Eq. 2); ids,
        each once. One that the reader selected is linked to itself.
        """
        written = [BaseQuery(t.text, 1, "triples") for t in triples if t.triple_id is None]
        searched = iter(self.under.search(written))
        nearest: list[tuple[int | None, float | None, tuple[ScorePart, ...]]] = []
        for triple in triples:
            if triple.triple_id is not None:
                nearest.append((triple.triple_id, None, ()))
                continue
            result = next(searched)
            best = [(h.id, h.score, result.terms.get(h.id, ())) for h in result.ranking.hits[:1]]
            nearest += best or [(None, None, ())]
        ids = list(dict.fromkeys(id_ for id_, _, _ in nearest if id_ is not None))
        words = lookup.shown_triples(self.index, ids)
        links = tuple(
            Link(
                triple,
                None if id_ is None else words[id_],
                triple.triple_id is not None,
                score,
                parts,
            )
            for triple, (id_, score, parts) in zip(triples, nearest, strict=True)
        )
        emit(Linked(links))
        return ids

    @staticmethod
    def most_calls(config: GraphConfig, k: int) -> Sequence[PromptCall]:
        """One reading of the base's passages."""
        return [PromptCall("read", k)]


class _MetTriples:
    """The triples that a search has met, by id."""

    def __init__(self, index: Index, starts: Sequence[int]) -> None:
        self._rows: dict[int, StoredTriple] = {}
        self._facts: dict[int, tuple[str, ...]] = {}
        stored = index.rows((), starts).triples
        self.add(stored[id_] for id_ in starts)

    def add(self, rows: Iterable[StoredTriple]) -> None:
        self._rows.update((row.triple.id, row) for row in rows)

    def passage_id(self, triple_id: int) -> int:
        return self._rows[triple_id].triple.passage_id

    def line(self, path: Path) -> str:
        return linearise(self._rows[id_].triple.text for id_ in path)

    def fact(self, triple_id: int) -> tuple[str, ...]:
        """Equal for triples that say the same (`exists` of Alg. 1)."""
        if triple_id not in self._facts:
            words = self._rows[triple_id].triple.words
            self._facts[triple_id] = tuple(map(normalise_entity, words))
        return self._facts[triple_id]


def _passages(step: SearchStep, rows: _MetTriples) -> Ranking:
    """Beams of a step flattened breadth-first and mapped to passages, each once, with the score of
    its first beam.
    """
    scores: dict[int, float] = {}
    for beam in reversed(step.selected):
        scores.update(dict.fromkeys(beam.path, beam.score))
    hits: dict[int, Hit] = {}
    for triple in flatten([beam.path for beam in step.selected]):
        passage = rows.passage_id(triple)
        hits.setdefault(passage, Hit(passage, scores[triple]))
    return Ranking(tuple(hits.values()))


def _in_full(pruned: Sequence[Extension]) -> tuple[list[Extension], list[Extension]]:
    """Split into the best few of each beam (of the whole step, in the first) and the others."""
    full: list[Extension] = []
    rest: list[Extension] = []
    counts: dict[int | None, int] = {}
    for extension in pruned:
        counts[extension.parent] = counts.get(extension.parent, 0) + 1
        (full if counts[extension.parent] <= PRUNED_IN_FULL else rest).append(extension)
    return full, rest


def _candidate(e: Extension, words: dict[int, ShownTriple], *, selected: bool) -> BeamCandidate:
    return BeamCandidate(
        e.parent,
        e.path,
        words[e.path[-1]],
        e.previous,
        e.cosine,
        e.total,
        e.position,
        round(e.weight, 6),
        e.score,
        selected,
        e.encoded,
        e.carried,
    )
