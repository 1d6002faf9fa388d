"""The step that encodes passages and their triples and sends them into the index; what is there is
neither encoded nor sent again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gear_app.index.mentions import MentionArrays, found_arrays, sentence_texts
from gear_app.language.mentions import read
from gear_app.opensearch import load, schema
from gear_app.opensearch.documents import (
    IndexDocument,
    MentionRows,
    passage_document,
    triple_document,
)
from gear_app.opensearch.extractions import KeptExtractions
from gear_app.opensearch.schema import IndexFacts
from gear_app.opensearch.words import WordHashes, counts_of
from gear_app.pipeline.engine import Shared
from gear_app.pipeline.extraction import extracted
from gear_app.pipeline.tools import Tools, cluster_at
from gear_app.rows import StoredTriple
from gear_app.store.triples import without_repeats
from gear_app.types import Passage, Triple


@dataclass(frozen=True, slots=True)
class SharedCounts:
    """What every process needs of all passages (corpus_counts.CorpusCounts)."""

    first_triples: Shared
    holders: tuple[Shared, Shared]
    common: tuple[Shared, Shared]


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """What is loaded: the index, its facts, where the extractions are, and whether some documents
    may be there already.
    """

    addresses: str
    facts: IndexFacts
    extractions: str
    counts: SharedCounts
    resumed: bool


class LoadedPassages(NamedTuple):
    """How many documents there are of some passages, and how many of them were sent."""

    documents: int
    sent: int


class LoadingStep:
    """Encodes and loads passages with their triples (engine.Worker)."""

    def __init__(self, order: LoadOrder, tools: Tools, device: str) -> None:
        """The embedder is loaded with the first text."""
        self._order = order
        self._cluster = cluster_at(order.addresses)
        self._kept = KeptExtractions(self._cluster, order.extractions)
        self._embedder = tools.make_embedder(order.facts.model, device)
        self._sending = load.Sending(self._cluster, order.facts.index)
        self._first = order.counts.first_triples.get()
        self._holders = WordHashes(*(column.get() for column in order.counts.holders))
        self._common = WordHashes(*(column.get() for column in order.counts.common))

    def __call__(self, passages: Sequence[Passage]) -> LoadedPassages:
        """Raises ClusterFailed where the cluster does not take a document."""
        triples = self._triples(passages)
        ids = [schema.passage_id(passage.id) for passage in passages]
        ids += [schema.triple_id(stored.triple.id) for stored in triples]
        there: set[str] = set()
        if self._order.resumed:
            there = load.there_of(self._cluster, self._order.facts.index, ids)
        waiting = [one for one in passages if schema.passage_id(one.id) not in there]
        stored = [one for one in triples if schema.triple_id(one.triple.id) not in there]
        self._sending.send(self._documents(waiting, stored))
        self._sending.check(len(ids))
        return LoadedPassages(len(ids), len(waiting) + len(stored))

    def _triples(self, passages: Sequence[Passage]) -> list[StoredTriple]:
        """The triples of passages, numbered as in the order of all passages."""
        found = []
        for passage, kept in zip(passages, extracted(self._kept, passages), strict=True):
            first = int(self._first[passage.id - 1]) + 1
            for number, one in enumerate(without_repeats(kept.extraction.triples), start=first):
                span = one.span
                triple = Triple(
                    number,
                    passage.id,
                    one.subject,
                    one.predicate,
                    one.object,
                    span,
                    kept.closest and span is not None,
                )
                sentence = passage.text[span.start : span.end] if span else ""
                found.append(StoredTriple(triple, passage, sentence))
        return found

    def _documents(
        self, passages: Sequence[Passage], triples: Sequence[StoredTriple]
    ) -> Iterator[IndexDocument]:
        """All in one call of the embedder."""
        named = [read(passage.title, passage.text) for passage in passages]
        texts = [passage.indexed for passage in passages]
        texts += [stored.triple.text for stored in triples]
        texts += sentence_texts(passages, named)
        vectors = self._embedder.embed(texts) if texts else np.zeros((0, 0), np.float32)
        of_triples, of_sentences = len(passages), len(passages) + len(triples)
        arrays = found_arrays(passages, named, explained=False)
        rows = MentionRows(
            arrays,
            vectors[of_sentences:],
            self._shared(arrays),
            counts_of(self._common, arrays.names) > 0,
        )
        for position, passage in enumerate(passages):
            yield passage_document(passage, vectors[position], rows.of(position))
        for stored, vector in zip(triples, vectors[of_triples:of_sentences], strict=True):
            yield triple_document(stored, vector)

    def _shared(self, arrays: MentionArrays) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        holders = counts_of(self._holders, arrays.names)
        return (holders >= 2) & (holders <= self._order.facts.holders)


def loading_step(order: LoadOrder, tools: Tools, device: str) -> LoadingStep:
    """The step, in the process that works."""
    return LoadingStep(order, tools, device)
