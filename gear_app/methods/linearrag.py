"""LinearRAG: from the question's names through sentences to other names, and a walk over names and
passages (its authors' code; the paper is not among ours). It needs no triples.

Composes: dense search → semantic bridging: names activate others by the sentences nearest to the
question, in rounds → Personalized PageRank. Ours: names are the collection's mentions that are
nowhere written small; a passage's count of a name is the number of its sentences with it, and one
more for the title; a sentence's vector says the title as well; a name of the question that no
passage has is compared with those that share a word with it. Edges between neighbouring parts of a
document are left out. Where the question names nothing that is known the ranking is the dense one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import RESTART, Config, setting
from gear_app.core.protocols import query_vectors
from gear_app.core.rows import MentionNetwork, Sparse
from gear_app.core.text import cut
from gear_app.core.types import Passage, Ranking
from gear_app.language import mentions as find
from gear_app.language.words import roots
from gear_app.methods import lookup
from gear_app.methods.base import Dense
from gear_app.methods.fuse import min_max
from gear_app.methods.method import Method, cached, declare_method
from gear_app.methods.passage_walk import PassageGraph, PassageWalk
from gear_app.trace.events import Activated, Activation, Emit

NAMES_SHOWN = 400  # names that an event has, in the order in which they were reached
EXCERPT = 400  # characters of a sentence there
LONGEST = 1_000  # characters of a sentence in which a name is looked for
Values = NDArray[np.float64]
Seed = tuple[int, tuple[float, str]]  # a name by position: its cosine, the words of the question


@dataclass(frozen=True, slots=True)
class LinearConfig(Config):
    """LinearRAG, by its authors' code (defaults of its command line)."""

    bridges: int = setting(
        2,
        "Rounds of bridging",
        "So often sentences lead from names to other names",
        (1, 10),
        (1, 2, 4),
    )
    sentences: int = setting(
        1,
        "Sentences a name",
        "The nearest to the question that a name leads on by",
        (1, 50),
        (1, 4),
    )
    # ours: cosines of the bundled model are lower; of 0.1 to 0.5 the best on two train sets
    delta: float = setting(
        0.3,
        "Least activation δ",
        "A name below it is not gone to",
        (0.0, 1.0),
        (0.1, 0.3, 0.5),
        paper=0.5,
    )
    nearness: float = setting(
        1.5, "Weight of nearness λ", "Of a passage's own nearness to the question", (0.0, 10.0)
    )
    passage_share: float = setting(
        0.05, "Weight of passages", "As the walk starts from passages too", (0.0, 10.0)
    )
    restart: float = setting(0.5, *RESTART)


@declare_method(
    name="linearrag",
    label="LinearRAG",
    summary="from the question's names through sentences to others, then a walk to passages",
    idea="LinearRAG walks from names to passages",
    version=4,
    order=17,
    defaults=LinearConfig(),
    single_step=True,
    triples=False,
    links=True,
    graph_first=True,
    baseline=True,
    compared="without triples",
    made_of=("dense",),
)
class LinearRAG(Method):
    """Names, sentences, and a walk."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; where names are known, 200 and not only those near them."""
        near, depth = Dense(self.parts).rank_all(query, k, emit), max(k, lookup.DEPTH)
        network = self.index.mention_network()
        graph = cached(network, "graph", lambda: MentionGraph(network))
        (question,) = query_vectors(self.embedder, [query])
        cosines = np.round((network.vectors @ question).astype(np.float64), 6)
        seeds = dict(self._seeds(query, network))
        values = {name: cosine for name, (cosine, _) in seeds.items()}
        bridging = Bridging.run(graph.in_sentences, cosines, self.config, values)
        first = bridging.reached[:NAMES_SHOWN]
        activations = tuple(
            graph.activation(reached_name, seeds.get(reached_name.name, (0, ""))[1])
            for reached_name in first
        )
        emit(Activated(query, self.config.delta, activations))
        if not seeds:
            return near.top(depth)
        nearness = dict(zip(near.ids, min_max(near), strict=True))
        near_passages = self.config.nearness * np.array(
            [nearness[id_] for id_ in network.passage_ids.tolist()]
        )
        passages = self.config.passage_share * (near_passages + bridging.bonus(graph.counts))
        starts = np.append(bridging.starts(), passages)
        walk = PassageWalk(query, graph.walked, starts, self.config.restart)
        return walk.rank(self.index, depth, self.parts.explained, emit)

    def _seeds(self, query: str, network: MentionNetwork) -> Iterator[Seed]:
        """Each name of the question that is no part of a longer one: the nearest of the
        collection's, by position, its cosine, and the question's words; ties go to the smaller
        position.
        """
        place = {name: n for n, name in enumerate(network.names) if not network.common[n]}
        names = [(name, span) for name, span, lower in find.mentions(query) if not lower]
        for name, span in names:
            if any(o.start <= span.start and span.end <= o.end and o != span for _, o in names):
                continue
            words = query[span.start : span.end]
            if name in place:
                yield place[name], (1.0, words)
                continue
            parts = roots(name)
            like = [other for other in place if roots(other) & parts]
            if like:
                vector, *vectors = self.embedder.embed(
                    [find.shown(like_name) for like_name in (name, *like)]
                )
                cosines = np.round(np.array(vectors) @ vector, 6)
                best = int(cosines.argmax())
                yield place[like[best]], (max(0.0, float(cosines[best])), words)


class Reached(NamedTuple):
    """A name by position, reached with an activation in a tier, from 1 for those of the question,
    through a sentence that its source is in; `kept`: it is at least δ.
    """

    name: int
    value: float
    tier: int
    source: int | None = None
    sentence: int | None = None
    cosine: float = 1.0
    kept: bool = True


class Bridging(NamedTuple):
    """The names that one question activates, in the order in which they were reached."""

    reached: list[Reached]
    names: int

    @classmethod
    def run(
        cls, in_sentences: Sparse, cosines: Values, config: LinearConfig, seeds: Mapping[int, float]
    ) -> Bridging:
        """Go from the names of the question, in this order, with their cosines, round by round.

        `in_sentences` (sentences, names) is 1 where one names the other, `cosines` (sentences,) are
        those with the question. In a round every name of the round before that is at least δ takes
        those of its sentences that nobody used yet and that are nearest to the question (ties: the
        earlier one), and activates all names in them, itself too, by its own activation times the
        sentence's cosine.
        """
        reached = [Reached(name, value, 1) for name, value in seeds.items()]
        named_in = in_sentences.T.tocsr()
        current, used = dict(seeds), set[int]()
        for tier in range(2, config.bridges + 2):
            before, current = current, {}
            for source, value in before.items():
                if value < config.delta:
                    continue
                unused = [place for place in _columns(named_in, source) if place not in used]
                unused.sort(key=lambda sentence: (-cosines[sentence], sentence))
                for sentence in unused[: config.sentences]:
                    used.add(sentence)
                    cosine = float(cosines[sentence])
                    carried = round(value * cosine, 6)
                    enough = carried >= config.delta
                    names = _columns(in_sentences, sentence)
                    reached += [
                        Reached(name, carried, tier, source, sentence, cosine, enough)
                        for name in names
                    ]
                    current |= dict.fromkeys(names, carried) if enough else {}
        return cls(reached, in_sentences.shape[1])

    def starts(self) -> Values:
        """(names,) what a walk starts with: the sum of all activations that reached a name."""
        sums = np.zeros(self.names)
        for name in self.reached:
            sums[name.name] += name.value if name.kept else 0.0
        return sums

    def bonus(self, counts: Sparse) -> Values:
        """(passages,) ln(1 + the sum over active names of activation × ln(1 + count) / tier).

        `counts` (passages, names): how often a passage names each. A name's activation and tier are
        the last that reached it.
        """
        last = {name.name: name.value / name.tier for name in self.reached if name.kept}
        weights = np.zeros(self.names)
        weights[list(last)] = list(last.values())
        logs = counts.copy()
        logs.data = np.log1p(logs.data)
        return np.asarray(np.log1p(logs @ weights), np.float64)


def _columns(matrix: Sparse, row: int) -> list[int]:
    columns: list[int] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()
    return sorted(columns)


class MentionGraph:
    """Names that are no ordinary words, sentences and passages by position, as in
    `rows.MentionNetwork`.
    """

    def __init__(self, network: MentionNetwork) -> None:
        """Count the names of passages and weigh the edges of the walk."""
        from scipy import sparse

        self.network = network
        passages, sentences = len(network.passage_ids), len(network.spans)
        self.in_sentences = self._named(network.in_sentences, sentences)
        self._named_in = self.in_sentences.T.tocsr()
        places = network.sentence_passages, np.arange(sentences)
        of_passage = sparse.csr_array((np.ones(sentences), places), shape=(passages, sentences))
        in_titles = self._named(network.in_titles, passages)
        # (passages, names): how many of its sentences have a name, and one more for the title
        self.counts: Sparse = sparse.csr_array(of_passage @ self.in_sentences + in_titles)
        # an edge weighs the name's part of all that the passage names
        totals = np.maximum(np.asarray(self.counts.sum(axis=1)).ravel(), 1.0)
        shares = sparse.csr_array((sparse.diags_array(1 / totals) @ self.counts).T)
        names, ids = len(network.names), network.passage_ids.tolist()
        among = sparse.csr_array((names, names))
        self.walked = PassageGraph.of(_WrittenNames(self), ids, among, shares)

    def activation(self, reached: Reached, words: str) -> Activation:
        """An activated name in words; `words` are the question's."""
        name = self.written(reached.name)
        if reached.sentence is None or reached.source is None:
            return Activation(name, reached.value, reached.tier, words)
        passage, text = self.sentence(reached.sentence)
        return Activation(
            name,
            reached.value,
            reached.tier,
            self.written(reached.source),
            passage.key,
            passage.title,
            cut(text, EXCERPT),
            reached.cosine,
            reached.kept,
        )

    def sentence(self, place: int) -> tuple[Passage, str]:
        """A sentence as it is written, and its passage."""
        id_ = int(self.network.passage_ids[self.network.sentence_passages[place]])
        passage = self.network.read_passages([id_])[id_]
        start, end = self.network.spans[place].tolist()
        return passage, passage.text[start:end]

    def written(self, name: int) -> str:
        """A name as its first sentence writes it."""
        normal, first = self.network.names[name], self._named_in.indptr[name]
        if first == self._named_in.indptr[name + 1]:
            return find.shown(normal)
        _, text = self.sentence(int(self._named_in.indices[first]))
        return find.written(normal, text) if len(text) <= LONGEST else find.shown(normal)

    def _named(self, pairs: NDArray[np.int64], rows: int) -> Sparse:
        """(rows, names): 1 where a row has a name that is no ordinary word."""
        from scipy import sparse

        proper = pairs[~self.network.common[pairs[:, 1]]]
        places, shape = (proper[:, 0], proper[:, 1]), (rows, len(self.network.names))
        return sparse.csr_array((np.ones(len(proper)), places), shape=shape)


class _WrittenNames(Sequence[str]):
    """The names as they are written, looked up for those that are shown."""

    def __init__(self, graph: MentionGraph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph.network.names)

    def __getitem__(self, name: int) -> str:  # type: ignore[override]
        return self._graph.written(name)
