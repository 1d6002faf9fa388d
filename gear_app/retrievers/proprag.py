"""PropRAG: a beam over propositions between two walks over entities and passages, as its authors'
code has it (the paper is not among ours). It needs no triples.

Composes: dense search → Personalized PageRank from the names of the sentences nearest to the
question → a beam over the sentences of its first passages → a second walk, among these, from the
names of the best paths. Ours: a proposition is a sentence, where theirs is written by a language
model; names are the collection's mentions that are nowhere written small, and those written
otherwise are not joined; a path goes on by a name of its last sentence. A passage outside the
second walk scores by the first, scaled to half of the lowest score within. Ties go to the earlier
sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.config import PropConfig
from gear_app.events import Emit, PathPassage, PathsExtended
from gear_app.language.mentions import sentence_text
from gear_app.retrievers import lookup
from gear_app.retrievers.base import all_by_meaning
from gear_app.retrievers.mention_graph import MentionGraph
from gear_app.retrievers.passage_walk import PassageGraph, PassageWalk
from gear_app.seams import Embedder, Index, query_vectors
from gear_app.steps.fuse import min_max
from gear_app.types import Hit, Ranking

Vector = NDArray[np.float32]


class _Path(NamedTuple):
    """Sentences by position, their score, and the place of the path before among its round's."""

    sentences: tuple[int, ...]
    score: float
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class PropRAG:
    """Two walks, and a beam between them."""

    index: Index
    embedder: Embedder
    config: PropConfig
    explained: int = lookup.DEPTH  # passages that have the parts of their scores in the events

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; 200 in all. The order of dense where no sentence near the
        question names anything.
        """
        config, depth = self.config, max(k, lookup.DEPTH)
        near = all_by_meaning(self.index, query, k, emit)
        graph = MentionGraph(self.index.mention_network())
        (question,) = query_vectors(self.embedder, [query])
        cosines = graph.nearness(question)
        naming = np.flatnonzero(np.diff(graph.in_sentences.indptr))
        best = _best(naming, cosines, config.propositions)
        sums: dict[int, float] = {}
        for sentence in best:
            for name in graph.named_in(sentence):
                sums[name] = sums.get(name, 0.0) + float(cosines[sentence])
        names = sorted(sums, key=lambda name: (-sums[name], name))[: config.names]
        if not names:
            return near.top(depth)
        nearness = dict(zip(near.ids, min_max(near), strict=True))
        own = {id_: config.passage_share * value for id_, value in nearness.items()}
        everywhere = _walk(query, graph, range(len(graph.ids)), own, config.restart)
        everywhere.starts[names] = 1.0
        first = everywhere.rank(self.index, depth, self.explained, emit)
        place = {id_: n for n, id_ in enumerate(graph.ids)}
        focus = sorted(place[id_] for id_ in first.ids[: config.focus])
        rounds = self._beam(question, graph, cosines, focus)
        emit(_told(self.index, query, graph, cosines, rounds))
        within = _walk(query, graph, focus, own, config.second_restart)
        paths = [path for round_ in rounds for path in round_]
        for all_ in (paths, rounds[0] if rounds else []):
            for name, weight in self._names(graph, all_).items():
                within.starts[name] = max(within.starts[name], weight)
        second = within.rank(self.index, depth, self.explained, emit)
        return _followed(second, first, depth)

    def _beam(
        self,
        question: Vector,
        graph: MentionGraph,
        cosines: NDArray[np.float64],
        focus: Sequence[int],
    ) -> list[list[_Path]]:
        """The paths that were kept, by round. A path is longer by a sentence that shares a name
        with its last, or by one of the best to start from; equal sets of sentences are one path.
        All are scored by the mean of their vectors, and the best of these anew by their whole text.
        """
        config, network = self.config, graph.network
        there = np.flatnonzero(np.isin(network.sentence_passages, focus))
        there = there[np.diff(graph.in_sentences.indptr)[there] > 0]
        begun = [_Path((n,), float(cosines[n])) for n in _best(there, cosines, config.width)]
        starts = [path.sentences[0] for path in begun[: config.starts_kept]]
        rounds = [begun]
        for _ in range(config.length - 1):
            longer: dict[frozenset[int], _Path] = {}
            for parent, path in enumerate(rounds[-1]):
                for sentence in _next(graph, there, path, starts):
                    whole = (*path.sentences, sentence)
                    longer.setdefault(frozenset(whole), _Path(whole, 0.0, parent))
            if not longer:
                break
            found = list(longer.values())
            means = np.stack([network.vectors[list(path.sentences)].mean(axis=0) for path in found])
            norms = np.maximum(np.linalg.norm(means, axis=1), 1e-12)
            nearest = np.argsort(-np.round(means @ question / norms, 6), kind="stable")
            again = [found[n] for n in nearest[: config.reencoded].tolist()]
            vectors = self.embedder.embed([_text(graph, path.sentences) for path in again])
            scores = np.round((vectors @ question).astype(np.float64), 6).tolist()
            scored = [p._replace(score=score) for p, score in zip(again, scores, strict=True)]
            rounds.append(sorted(scored, key=lambda path: -path.score)[: config.width])
        return rounds

    def _names(self, graph: MentionGraph, paths: Sequence[_Path]) -> Mapping[int, float]:
        """The names of the best paths, each with its best path's score, 0 to 1 over these."""
        best: dict[int, float] = {}
        for path in sorted(paths, key=lambda path: -path.score)[: self.config.paths]:
            for name in (name for one in path.sentences for name in graph.named_in(one)):
                best.setdefault(name, path.score)
        first = sorted(best, key=lambda name: (-best[name], name))[: self.config.paths]
        scores = min_max(Ranking(tuple(Hit(name, best[name]) for name in first)))
        return dict(zip(first, scores if any(scores) else (1.0,) * len(first), strict=True))


def _best(among: NDArray[np.int64], cosines: NDArray[np.float64], most: int) -> list[int]:
    """The sentences nearest to the question; ties go to the earlier."""
    order = np.lexsort((among, -cosines[among]))[:most]
    best: list[int] = among[order].tolist()
    return best


def _next(
    graph: MentionGraph, there: NDArray[np.int64], path: _Path, starts: Sequence[int]
) -> Iterator[int]:
    """What a path can go on with, in the order of sentences, and then the starts."""
    names = graph.named_in(path.sentences[-1])
    shares = np.asarray(graph.in_sentences[there][:, names].sum(axis=1)).ravel() > 0
    for sentence in dict.fromkeys([*there[shares].tolist(), *starts]):
        if sentence not in path.sentences:
            yield sentence


def _text(graph: MentionGraph, sentences: Sequence[int]) -> str:
    """Sentences as one text, each with its title."""
    return " ".join(
        sentence_text(graph.passage_of(one).title, graph.words_of(one)) for one in sentences
    )


def _walk(
    query: str,
    graph: MentionGraph,
    passages: Sequence[int],
    own: Mapping[int, float],
    restart: float,
) -> PassageWalk:
    """A walk among passages, by position, that starts from them by their `own` weights. Two names
    are joined by 2 for each sentence that has both, a passage and a name in it by 1.
    """
    from scipy import sparse

    chosen = np.isin(graph.network.sentence_passages, passages)
    sentences = graph.in_sentences[np.flatnonzero(chosen)]
    among = sparse.csr_array((sentences.T @ sentences) * 2)
    among.setdiag(0)
    among.eliminate_zeros()
    named = sparse.csr_array((graph.counts[list(passages)] > 0).astype(np.float64).T)
    ids = [graph.ids[n] for n in passages]
    starts = np.append(np.zeros(len(graph.names)), [own[id_] for id_ in ids])
    return PassageWalk(query, PassageGraph.of(graph.names, ids, among, named), starts, restart)


def _told(
    index: Index,
    query: str,
    graph: MentionGraph,
    cosines: NDArray[np.float64],
    rounds: Sequence[Sequence[_Path]],
) -> PathsExtended:
    """The beam in words; its ranking is of the passages of the paths, the best first."""
    best: dict[int, float] = {}
    for path in sorted((path for one in rounds for path in one), key=lambda path: -path.score):
        for sentence in path.sentences:
            best.setdefault(graph.passage_of(sentence).id, path.score)
    ranking = Ranking(tuple(Hit(id_, score) for id_, score in best.items()))
    told = tuple(
        tuple(
            PathPassage(
                passage.id,
                passage.key,
                passage.title,
                path.parent,
                float(cosines[path.sentences[-1]]),
                path.score,
                kept=True,
                named=graph.words_of(path.sentences[-1]),
            )
            for path in one
            for passage in [graph.passage_of(path.sentences[-1])]
        )
        for one in rounds
    )
    return PathsExtended(query, "proposition", told, lookup.ranked_passages(index, ranking))


def _followed(second: Ranking, first: Ranking, depth: int) -> Ranking:
    """The second walk's passages, then the first's others by their scores there, scaled so that the
    best of them has half of the lowest.
    """
    there = set(second.ids)
    others = [hit for hit in first.hits if hit.id not in there]
    if not second.hits or not others:
        return second
    lowest, best = second.hits[-1].score / 2, others[0].score
    scaled = [Hit(hit.id, round(hit.score / best * lowest, 9)) for hit in others]
    return Ranking((*second.hits, *scaled)[:depth])
