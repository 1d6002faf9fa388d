"""A workspace's collection as what an index in a cluster holds, in an order that is always the
same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from gear_app.cluster.facts import (
    CollectionCounts,
    CollectionOrigin,
    StoredRows,
    index_facts,
    passage_hash,
    triple_hash,
)
from gear_app.index.embedded import EmbeddedIndex
from gear_app.opensearch import load, words
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.documents import (
    EntityName,
    IndexDocument,
    MentionRows,
    other_documents,
    passage_document,
    triple_document,
)
from gear_app.opensearch.load import Report, StorageOptions
from gear_app.opensearch.schema import KIND_OF, IndexFacts, TextStatistics
from gear_app.rows import Over
from gear_app.types import Passage, Question, Triple

DEFAULT = StorageOptions()


@dataclass(frozen=True, slots=True)
class CollectionContents:
    """All that an index in this process has, with questions (load.IndexContents)."""

    index: EmbeddedIndex
    questions: Sequence[Question]
    facts: IndexFacts

    @classmethod
    def of(
        cls,
        index: EmbeddedIndex,
        origin: CollectionOrigin,
        questions: Sequence[Question] = (),
        storage: StorageOptions = DEFAULT,
    ) -> CollectionContents:
        """With the facts that follow from what is there."""
        counts = CollectionCounts(
            passages=_statistics(index, "passages"),
            triples=_statistics(index, "triples"),
            words=[len(index.statistics[over].frequency) for over in KIND_OF],
            names=len(index.entities().names),
            stored=_stored(index),
            dimension=index.passage_vectors([]).shape[1],
        )
        return cls(index, questions, index_facts(origin, counts, questions, storage))

    def send(self, cluster: Cluster, report: Report, *, resumed: bool) -> int:
        """Send what is not there."""
        total, told = sum(self.facts.counts.values()), partial(report, "loading")
        return load.send(cluster, self.facts.index, self.documents(), total, told, resumed=resumed)

    def documents(self) -> Iterator[IndexDocument]:
        """All of them; passages by id, then triples by id, names, words, questions."""
        vocabularies = [words.counted(self.index.statistics[over].frequency) for over in KIND_OF]
        synonymy = self.index.entities().synonymy
        others = other_documents(_names(self.index), synonymy, vocabularies, self.questions)
        return chain(self._passages(), self._triples(), others)

    def _passages(self) -> Iterator[IndexDocument]:
        mentions = self.index.mentions
        shared = (mentions.counts >= 2) & (mentions.counts <= self.facts.holders)
        rows = MentionRows(mentions.arrays, mentions.vectors, shared, mentions.arrays.common)
        for some in load.batches(_passages(self.index)):
            vectors = self.index.passage_vectors([passage.id for passage in some])
            for passage, vector in zip(some, vectors, strict=True):
                yield passage_document(passage, vector, rows.of(mentions.position[passage.id]))

    def _triples(self) -> Iterator[IndexDocument]:
        for some in load.batches(_triples(self.index)):
            ids = [triple.id for triple in some]
            stored = self.index.rows((), ids).triples
            for id_, vector in zip(ids, self.index.vectors(ids), strict=True):
                yield triple_document(stored[id_], vector)


def _passages(index: EmbeddedIndex) -> list[Passage]:
    return sorted(index.every_passage, key=lambda passage: passage.id)


def _triples(index: EmbeddedIndex) -> list[Triple]:
    return sorted(index.every_triple, key=lambda triple: triple.id)


def _names(index: EmbeddedIndex) -> list[EntityName]:
    graph = index.entities()
    return [EntityName(*name) for name in zip(graph.known, graph.names, strict=True)]


def _statistics(index: EmbeddedIndex, over: Over) -> TextStatistics:
    found = index.statistics[over]
    return TextStatistics(found.size, found.worded, found.words, found.floor)


def _stored(index: EmbeddedIndex) -> str:
    rows, triples = StoredRows(), _triples(index)
    rows.add(b"".join(map(passage_hash, _passages(index))), b"".join(map(triple_hash, triples)))
    return rows.digest([[triple.id for triple in triples]], _names(index))
