"""Communities: GraphRAG's local search (arXiv 2404.16130 and its authors' code; the paper is not
among ours).

Composes: dense search over passages and over facts → the entities nearest to the question → the
communities they belong to, each with a report by the reader → their passages, in the order of the
entities and of how many of an entity's facts they have. As there, communities and reports change no
rank: they are what a reader would be given besides. Ours: an entity's nearness is the mean of its
facts' cosines, in the place of a description that a language model writes; of communities with
equally many of the entities the nearer comes first; reports are written when they are asked for.
Leaves out: descriptions, ratings, claims, the global search over all reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import Config, setting
from gear_app.core.rows import Search, Sparse, StoredTriple
from gear_app.core.text import normalise_entity
from gear_app.core.types import Hit, Ranking, TripleWords
from gear_app.methods import lookup
from gear_app.methods.base import ALL, Dense
from gear_app.methods.method import READER, EntityMethod, PromptCall, cached, declare_method
from gear_app.models.reader.roles import REPORT, ReaderRequest
from gear_app.trace.events import (
    Community,
    Emit,
    Gathered,
    MappedEntity,
    ScorePart,
    ShownTriple,
)

LARGEST = 10  # nodes of a community that is not cut again (GraphRAG's max_cluster_size)
NAMES = 8  # entities of a community that an event has
FACTS = 20  # that an event has; that a report is written from
PART_IN_PASSAGE = "its facts here, {:.0f} / {:.0f}"  # what tells passages of one entity apart


@dataclass(frozen=True, slots=True)
class CommunitiesConfig(Config):
    """GraphRAG's local search, by its authors' code; `reports` is ours, there a limit of tokens."""

    entities: int = setting(
        10, "Entities", "So many of those nearest to the question", (1, 100), (1, 3, 5, 10, 20)
    )
    level: int = setting(
        2,
        "Level",
        "So often communities of more than 10 entities are cut again",
        (0, 5),
        (0, 1, 2),
    )
    reports: int = setting(
        3, "Reports", "On so many communities, those with most of the entities", (0, 20), (0, 1, 3)
    )


@declare_method(
    name="communities",
    label="Communities",
    inline="communities",
    summary="the entities nearest to the question, their communities and their passages",
    idea="Communities gathers what lies around the things asked about",
    order=16,
    defaults=CommunitiesConfig(),
    made_of=("dense", READER),
)
class Communities(EntityMethod):
    """A graph of entities, cut into communities."""

    @staticmethod
    def most_calls(config: CommunitiesConfig, k: int) -> Sequence[PromptCall]:
        """One call a report."""
        return [PromptCall("report")] * config.reports

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query: those that name one of the nearest entities, then by
        meaning.
        """
        near, depth = Dense(self.parts).rank_all(query, k, emit), max(k, lookup.DEPTH)
        nearness = self._nearness(query)
        order = np.lexsort((np.arange(len(nearness)), -nearness))
        nodes: list[int] = order[: self.config.entities].tolist()
        if not nodes:
            return near.top(depth)
        ranked, parts = self._passages(nodes, near)
        ranking = lookup.followed_by(ranked.top(depth), near.ids, depth)
        level = self.config.level
        groups = cached(
            self.entities, f"level {level}", lambda: communities(self.entities.facts, level)
        )
        group_of = {node: number for number, group in enumerate(groups) for node in group}
        most = Counter(group_of[node] for node in nodes).most_common(self.config.reports)
        reported = [groups[number] for number, _ in most]
        rows = self._rows([*nodes, *(node for group in reported for node in group)])
        reports = [self._report(group, rows, emit) for group in reported]
        mapped = (
            MappedEntity(self.entities.names[node], float(nearness[node]), group_of[node])
            for node in nodes
        )
        shown_communities = (
            self._community(number, groups[number], report)
            for (number, _), report in zip(most, reports, strict=True)
        )
        emit(
            Gathered(
                query,
                tuple(mapped),
                tuple(shown_communities),
                self._facts(nodes, rows),
                len(groups),
                lookup.ranked_passages(self.index, ranking, parts),
                below=len(ranking) - min(len(ranked), depth),
            )
        )
        return ranking

    @cached_property
    def _links(self) -> NDArray[np.float64]:
        """(entities,) how many edges an entity has."""
        return np.asarray(self.entities.facts.sum(axis=1)).ravel()

    def _nearness(self, query: str) -> NDArray[np.float64]:
        """(entities,) the mean of the cosines of all triples that name one, rounded to 1e-6."""
        (facts,) = self.index.search([Search(query, ALL, "dense", "triples")]).rankings
        ends: dict[int, set[int]] = cached(self.entities, "ends", dict)
        sums = np.zeros((2, len(self.entities.names)))
        new = [id_ for id_ in facts.ids if id_ not in ends]
        rows = self.index.rows((), new).triples if new else {}
        ends.update((id_, self._ends(rows[id_])) for id_ in new)
        for id_, cosine in sorted(facts.hits):
            for node in ends[id_]:
                sums[:, node] += cosine, 1
        return np.asarray(np.round(sums[0] / np.maximum(sums[1], 1), 6), np.float64)

    def _ends(self, row: StoredTriple) -> set[int]:
        """The entities that a triple names."""
        nodes = map(self.entities.find, (row.triple.subject, row.triple.object))
        return {node for node in nodes if node is not None}

    def _passages(
        self, nodes: Sequence[int], near: Ranking
    ) -> tuple[Ranking, dict[int, tuple[ScorePart, ...]]]:
        """The passages that name one of these entities, and what their scores are the sum of; equal
        ones by meaning.
        """
        counts, parts = self.entities.counts.tocsr(), dict[int, tuple[ScorePart, ...]]()
        for place, node in enumerate(nodes):
            places = float(len(nodes) - place)
            run = slice(counts.indptr[node], counts.indptr[node + 1])
            for column, number in zip(counts.indices[run], counts.data[run], strict=True):
                first = ScorePart(self.entities.names[node], 0, places)
                count_part = ScorePart(
                    PART_IN_PASSAGE.format(number, number + 1), 0, round(number / (number + 1), 6)
                )
                parts.setdefault(self.entities.passage_ids[column], (first, count_part))
        scores = {id_: round(sum(part.value for part in both), 6) for id_, both in parts.items()}
        hits = (Hit(id_, scores[id_]) for id_ in near.ids if id_ in scores)
        return Ranking(tuple(sorted(hits, key=lambda hit: -hit.score))), parts

    def _facts(self, nodes: Sequence[int], rows: Sequence[StoredTriple]) -> tuple[ShownTriple, ...]:
        """Facts of these entities: those between two of them first, then by the nearest."""
        place = {node: n for n, node in enumerate(nodes)}
        places = {
            row.triple.id: [place[node] for node in self._ends(row) if node in place]
            for row in rows
        }
        ids = [id_ for id_, between in places.items() if between]
        ids.sort(key=lambda id_: (len(places[id_]) < 2, min(places[id_])))
        return tuple(lookup.shown_triples(self.index, ids[:FACTS]).values())

    def _community(self, number: int, nodes: Sequence[int], report: str) -> Community:
        first = sorted(nodes, key=lambda node: (-self._links[node], node))[:NAMES]
        names = tuple(self.entities.names[node] for node in first)
        return Community(number, names, len(nodes), report)

    def _report(self, nodes: Sequence[int], rows: Sequence[StoredTriple], emit: Emit) -> str:
        """The report on a community, from its facts with the most linked ends; each once."""
        inside, links = set(nodes), self._links
        inner = [row for row in rows if set() < self._ends(row) <= inside]
        inner.sort(key=lambda row: -sum(links[node] for node in self._ends(row)))
        facts: dict[str, TripleWords] = {}
        for row in inner:
            facts.setdefault(normalise_entity(row.triple.text), row.triple)
        if not facts:
            return ""
        request = ReaderRequest(REPORT, facts=list(facts.values())[:FACTS])
        return self.usable(request, "gather", emit) or ""

    def _rows(self, nodes: Sequence[int]) -> Sequence[StoredTriple]:
        """All triples of the passages that name one of these entities."""
        columns = np.unique(self.entities.counts.tocsr()[nodes].indices).tolist()
        return self.index.triples_of([self.entities.passage_ids[column] for column in columns])


def communities(facts: Sparse, level: int) -> list[list[int]]:
    """The communities of a level, from 0, of a graph by its edges' weights, as ascending nodes, by
    their first node: Louvain's method as networkx has it. GraphRAG uses Leiden's, and like here
    cuts a community that is too large again; each such cut is a level.
    """
    import networkx
    from scipy import sparse

    graph = networkx.from_scipy_sparse_array(sparse.triu(facts, k=1, format="csr"))
    groups = [list(graph)] if len(graph) else []
    for cut in range(level + 1):
        parts: list[list[int]] = []
        for group in groups:
            small = cut and len(group) <= LARGEST
            subgraph = graph.subgraph(group)
            louvain = networkx.community.louvain_communities
            inside = [group] if small else louvain(subgraph, seed=0)
            parts += [sorted(part) for part in inside]
        groups = parts
    return sorted(groups)
