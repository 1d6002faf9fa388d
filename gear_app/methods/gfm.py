"""GFM-RAG: a trained network sends messages over the graph of entities, from those of the question,
and the entities that score best vote for passages (its authors' code, `gfm_rag_v1`; the paper is
not among ours).

Composes: dense search → the question's entities (reader), each linked to its node or the nearest
name → the network → votes: each of the best entities gives 1 / the number of passages that name it
to each of them. Where the question names nothing it is linked itself. Ours: entities are linked by
the embedder, not by ColBERTv2; the last triple of two entities, in the order of passages, gives
their relation; equal entities in the order of nodes; equal passages, and those without a vote, as
dense search has them. Left out: paths by gradients, and G-reasoner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gear_app.core.config import THRESHOLD, Config, setting
from gear_app.core.errors import NotReady
from gear_app.core.protocols import query_vectors
from gear_app.core.text import normalise_entity
from gear_app.core.types import Hit, Ranking
from gear_app.methods import lookup
from gear_app.methods.base import Dense
from gear_app.methods.method import READER, EntityMethod, PromptCall, declare_method
from gear_app.models.embedders.graph_model import GraphModel, RelationGraph, Wave
from gear_app.models.reader.roles import ENTITIES, ReaderRequest
from gear_app.trace.events import Activation, Emit, Propagated, ScorePart, Voted, Voter

SYNONYM, INVERSE = "equivalent", "inverse_"  # relations as the network was trained with them
ACTIVE = 10  # entities of a layer that are told


@dataclass(frozen=True, slots=True)
class GfmConfig(Config):
    """GFM-RAG, by its authors' code: no paper of it is among ours."""

    weights: str = setting(
        "none", "Weights", "The trained network, by name or folder; none: nothing can be asked"
    )
    voters: int = setting(
        20, "Voters", "So many entities that score best vote for passages", (1, 1_000), (5, 20, 50)
    )
    threshold: float = setting(0.8, *THRESHOLD)
    synonymy: bool = setting(True, "Synonymy edges", "Off: messages go along triples only")


@declare_method(
    name="gfm",
    label="GFM-RAG",
    summary="a trained network sends messages along the triples, and its entities vote for"
    " passages",
    idea="GFM-RAG sends messages along facts",
    order=15,
    defaults=GfmConfig(),
    needs_weights=True,
    made_of=("dense", READER),
)
class GfmRAG(EntityMethod):
    """A graph of entities, a network, and votes."""

    @staticmethod
    def most_calls(config: GfmConfig, k: int) -> Sequence[PromptCall]:
        """One call, for the named entities."""
        return [PromptCall("query_entities")]

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages by votes, then the others as dense does; 200 in all. Raises NotReady or
        ModelFailed where the network is not here, or was trained with other vectors.
        """
        model = GraphModel.latest(self.config.weights)
        (question,) = query_vectors(self.embedder, [query])
        if model.dimensions != len(question):
            raise NotReady(
                f"GFM-RAG's weights were trained with vectors of {model.dimensions} numbers, and"
                f" those of {self.embedder.name} have {len(question)}. Set embedder to the encoder"
                " they were trained with."
            )
        near, depth = Dense(self.parts).rank_all(query, k, emit), max(k, lookup.DEPTH)
        if not len(self.entities.names):
            return near.top(depth)
        linked = self._link(query, emit)
        graph, relations = self._graph(near.ids)
        named_in = self.passages_naming.clip(1).tolist()
        starts = {node: 1 / named_in[node] for node in linked}
        wave = model.run(graph, question, self.embedder.embed(relations), starts)
        emit(Propagated(query, 0.0, tuple(self._layers(graph, relations, wave, linked))))
        voters = np.argsort(-wave.scores, kind="stable")[: self.config.voters].tolist()
        parts = self._votes(voters, named_in)
        votes = {
            id_: round(sum(part.value for part in votes_of), 6) for id_, votes_of in parts.items()
        }
        hits = [Hit(id_, votes[id_]) for id_ in near.ids if id_ in votes]
        voted = Ranking(tuple(sorted(hits, key=lambda hit: -hit.score))).top(depth)
        ranking = lookup.followed_by(voted, near.ids, depth)
        emit(
            Voted(
                query,
                model.fingerprint,
                tuple(
                    Voter(self.entities.names[node], float(wave.scores[node]), named_in[node])
                    for node in voters
                ),
                lookup.ranked_passages(self.index, ranking, parts),
                len(ranking) - len(voted),
            )
        )
        return ranking

    def _link(self, query: str, emit: Emit) -> dict[int, str]:
        """The nodes of the question's entities, each with the words that it has there; of several
        words for a node the first.
        """
        request = ReaderRequest(ENTITIES, query, names=self.entities.nodes.keys())
        entities = self.usable(request, "propagate", emit)
        linked: dict[int, str] = {}
        for words in entities or (query,):
            node = self.entities.find(words)
            if node is None:
                cosines = self.entities.vectors @ self.embedder.embed([words])[0]
                node = int(np.round(cosines.astype(np.float64), 6).argmax())
            linked.setdefault(node, words)
        return linked

    def _graph(self, passage_ids: Sequence[int]) -> tuple[RelationGraph, list[str]]:
        """The graph, and the words of its relations: those of the triples, as normalised, each also
        inverse. Synonyms take the place of what triples say of two entities.
        """
        between: dict[tuple[int, int], str] = {}
        for stored in self.index.triples_of(sorted(passage_ids)):
            triple = stored.triple
            ends = self.entities.find(triple.subject), self.entities.find(triple.object)
            relation = normalise_entity(triple.predicate)
            if ends[0] is not None and ends[1] is not None and relation:
                between[ends[0], ends[1]] = relation
        if self.config.synonymy:
            near = self.entities.synonymy.tocoo()
            near_enough = near.data >= self.config.threshold
            pairs = zip(near.row[near_enough].tolist(), near.col[near_enough].tolist(), strict=True)
            between |= dict.fromkeys(pairs, SYNONYM)
        words = list(dict.fromkeys(between.values()))
        place = {relation: n for n, relation in enumerate(words)}
        kinds = np.array([place[relation] for relation in between.values()], np.int64)
        heads, tails = np.array(list(between), np.int64).reshape(-1, 2).T
        graph = RelationGraph(
            len(self.entities.names),
            np.concatenate([heads, tails]),
            np.concatenate([tails, heads]),
            np.concatenate([kinds, kinds + len(words)]),
        )
        return graph, words + [INVERSE + word for word in words]

    def _votes(
        self, voters: Sequence[int], named_in: Sequence[int]
    ) -> Mapping[int, tuple[ScorePart, ...]]:
        """For each passage that one of them is in, what each gives."""
        ids, parts = self.entities.passage_ids, dict[int, tuple[ScorePart, ...]]()
        for node in voters:
            vote = ScorePart(self.entities.names[node], 0, round(1 / named_in[node], 6))
            for column in self.entities.counts[[node]].indices.tolist():
                parts[ids[column]] = (*parts.get(ids[column], ()), vote)
        return parts

    def _layers(
        self, graph: RelationGraph, relations: Sequence[str], wave: Wave, linked: Mapping[int, str]
    ) -> Iterator[Activation]:
        """The question's entities, then of each layer those that it has changed most."""
        names = self.entities.names
        for node, words in linked.items():
            yield Activation(names[node], float(wave.changes[0][node]), 1, words)
        for tier, changes in enumerate(wave.changes[1:], start=2):
            messages = wave.messages[tier - 2]
            for node in np.argsort(-changes, kind="stable")[:ACTIVE].tolist():
                edges = np.flatnonzero((graph.targets == node) & (messages > 0))
                source, relation = "", ""
                if len(edges):
                    best = int(edges[messages[edges].argmax()])
                    source = names[int(graph.sources[best])]
                    relation = relations[int(graph.relations[best])]
                if changes[node]:
                    change = float(changes[node])
                    yield Activation(names[node], change, tier, source, sentence=relation)
