"""The steps of a build that several processes work on: passages extracted and counted, and then
encoded with their triples and sent into the index. What is kept or there is done by neither again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.cluster.counts import BatchCounts, count_passages
from gear_app.cluster.engine import Shared, Tools, cluster_at
from gear_app.cluster.extraction import KeptExtraction, KeptExtractions
from gear_app.index.mentions import MentionArrays, found_arrays, sentence_texts
from gear_app.jobs.extraction_outcomes import Outcome, PassageSource, outcome_source, with_places
from gear_app.language.mentions import read
from gear_app.opensearch import load, schema
from gear_app.opensearch.documents import (
    IndexDocument,
    MentionRows,
    passage_document,
    triple_document,
)
from gear_app.opensearch.schema import IndexFacts
from gear_app.opensearch.words import WordHashes, counts_of
from gear_app.rows import StoredTriple
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage

NOTHING = Extraction((), ())


class ExtractedPassages(NamedTuple):
    """For how many passages there was nothing yet, and the counts of all of them."""

    extracted: int
    counts: BatchCounts


class ExtractionStep:
    """Extracts passages and keeps what came of each (engine.Worker)."""

    def __init__(self, addresses: str, index: str, make: Callable[[], Extractor]) -> None:
        """`make` is called when the first passage has to be extracted: an extractor, which computes
        on the processor alone.
        """
        self._kept = KeptExtractions(cluster_at(addresses), index)
        self._make = make
        self._extractor: Extractor | None = None

    def __call__(self, passages: Sequence[Passage]) -> ExtractedPassages:
        """Raises GearError where no more can be extracted, as when a model's server is gone."""
        there = dict(zip(passages, self._kept.get(passages), strict=True))
        waiting = [passage for passage, kept in there.items() if kept is None or kept.error]
        there.update(self._extract(waiting) if waiting else ())
        kept = [(passage, one) for passage, one in there.items() if one is not None]
        return ExtractedPassages(len(waiting), count_passages(kept))

    def _extract(self, waiting: Sequence[Passage]) -> list[tuple[Passage, KeptExtraction]]:
        """What came of each passage; kept as it comes."""
        if self._extractor is None:
            self._extractor = self._make()
        source = outcome_source(PassageSource(waiting), self._extractor)
        found: list[tuple[Passage, KeptExtraction]] = []
        going = True
        while going:
            going = source.gather(lambda at_once: False)
            some = kept_outcomes(source.take().outcomes)
            passages = [passage for passage, _ in some]
            found += zip(passages, self._kept.put(some), strict=True)
            if source.failure:
                raise source.failure
        return found


def kept_outcomes(outcomes: Sequence[Outcome]) -> list[tuple[Passage, KeptExtraction]]:
    """What is kept of outcomes: extractions with the sentences of their triples, and errors."""
    made, guessed = with_places(outcomes)
    kept = [(passage, KeptExtraction(extraction, guessed)) for passage, extraction in made]
    for passage, result, _ in outcomes:
        if isinstance(result, Exception):
            kept.append((passage, KeptExtraction(NOTHING, error=str(result) or repr(result))))
    return kept


class LoadCounts(NamedTuple):
    """What every process needs of all passages (counts.CorpusCounts)."""

    first_triples: NDArray[np.int64]
    holders: WordHashes
    common: WordHashes


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """What is loaded: the index, its facts, where the extractions and LoadCounts are, and whether
    some documents may be there already.
    """

    addresses: str
    facts: IndexFacts
    extractions: str
    counts: Shared
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
        cluster = cluster_at(order.addresses)
        self._kept = KeptExtractions(cluster, order.extractions)
        self._embedder = tools.make_embedder(order.facts.model, device)
        self._sending = load.Sending(cluster, order.facts.index, resumed=order.resumed)
        self._counts: LoadCounts = order.counts.get()

    def __call__(self, passages: Sequence[Passage]) -> LoadedPassages:
        """Raises ClusterFailed where the cluster does not take a document."""
        triples = self._triples(passages)
        ids = [schema.passage_id(passage.id) for passage in passages]
        ids += [schema.triple_id(stored.triple.id) for stored in triples]
        missing = self._sending.missing(ids)
        waiting = [one for one in passages if schema.passage_id(one.id) in missing]
        stored = [one for one in triples if schema.triple_id(one.triple.id) in missing]
        self._sending.send(self._documents(waiting, stored))
        self._sending.check(len(ids))
        return LoadedPassages(len(ids), len(waiting) + len(stored))

    def _triples(self, passages: Sequence[Passage]) -> list[StoredTriple]:
        """The triples of passages, numbered as in the order of all passages."""
        return [
            StoredTriple(
                one, passage, passage.text[one.span.start : one.span.end] if one.span else ""
            )
            for passage, kept in zip(passages, self._kept.of(passages), strict=True)
            for one in kept.triples(passage, int(self._counts.first_triples[passage.id - 1]) + 1)
        ]

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
            counts_of(self._counts.common, arrays.names) > 0,
        )
        for position, passage in enumerate(passages):
            yield passage_document(passage, vectors[position], rows.of(position))
        for stored, vector in zip(triples, vectors[of_triples:of_sentences], strict=True):
            yield triple_document(stored, vector)

    def _shared(self, arrays: MentionArrays) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        holders = counts_of(self._counts.holders, arrays.names)
        return (holders >= 2) & (holders <= self._order.facts.holders)
