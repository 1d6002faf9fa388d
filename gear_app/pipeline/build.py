"""A build from files to an index that is open: the order of its steps, and what is known after
each.

Run again it goes on: passages whose extraction is kept are not extracted again, and documents that
are in the index are not made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from gear_app.errors import BadInput
from gear_app.language.mentions import VERSION
from gear_app.opensearch import load
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.documents import (
    document_counts,
    entity_documents,
    question_documents,
    word_documents,
)
from gear_app.opensearch.extractions import KeptExtractions, kept_index
from gear_app.opensearch.fingerprint import counted_up, questions_digest
from gear_app.opensearch.load import CopyCheck
from gear_app.opensearch.schema import IndexFacts
from gear_app.pipeline.corpus_counts import CorpusCounts, CountTotals, FailedExtraction
from gear_app.pipeline.document_load import LoadedPassages, LoadOrder, SharedCounts, loading_step
from gear_app.pipeline.engine import BuildStep, Engine
from gear_app.pipeline.extraction import ExtractedPassages, extraction_step
from gear_app.pipeline.names import Ends, NameTable, synonyms
from gear_app.pipeline.parts import FilePart, parts_of
from gear_app.pipeline.passage_numbers import (
    LeftOut,
    NumberedPart,
    Numbering,
    PartContents,
    contents_of,
    passages_of,
)
from gear_app.pipeline.tools import Tools, cluster_at
from gear_app.rows import HubLimit
from gear_app.seams import Sparse
from gear_app.types import Passage

# Passages of a call. Those of an extraction are a multiple of what an extractor gets at once.
EXTRACTED_AT_ONCE, LOADED_AT_ONCE = 64, 32
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """What is built where. `triples` is the name of the triple set; `extractor` and `embedder` are
    fingerprints, and `maker` is the extractor's name.
    """

    files: tuple[str, ...]
    collection: str
    addresses: str
    triples: str
    maker: str
    extractor: str
    embedder: str
    shards: int = 1
    replicas: int = 0
    hnsw: bool = False


@dataclass(frozen=True, slots=True)
class Build:
    """What came of it: the index, how many passages and triples it has, how many passages were
    extracted and documents sent by this call, what failed and was left out, and the copies.
    """

    index: str
    passages: int
    triples: int
    extracted: int
    sent: int
    seconds: float
    failed: int
    failures: tuple[FailedExtraction, ...]
    left_out: LeftOut
    copies: Sequence[CopyCheck]


def build(order: BuildOrder, tools: Tools, engine: Engine, report: Report) -> Build:
    """Build an index from files, or what of it is missing, and open it.

    Raises BadInput, NotReady, ModelFailed or ClusterFailed, after each of which the same call goes
    on.
    """
    began, work = time.monotonic(), _Work(order, tools, engine, report)
    load.check_nodes(work.cluster, order.replicas)
    numbering, parts = work.number(parts_of(order.files))
    kept = KeptExtractions(work.cluster, kept_index(order.collection, order.extractor))
    kept.make()
    names = NameTable()
    totals = CountTotals(names)
    extracted = work.extract(kept, parts, totals, numbering.passages)
    counts = totals.counted()
    dimension = tools.embedder("cpu").embed([]).shape[1]
    facts = _facts(order, numbering, counts, names.ends(), dimension)
    there = load.begin(work.cluster, facts)
    sent = 0
    if not there.whole:
        sent = work.load(kept, parts, facts, counts, resumed=there.begun)
        sent += work.load_rest(facts, numbering, counts, names, resumed=there.begun)
    copies = load.finish(work.cluster, facts, report, loaded=there.whole, replicas=order.replicas)
    return Build(
        facts.index,
        numbering.passages,
        counts.triples.size,
        extracted,
        sent,
        time.monotonic() - began,
        totals.failed,
        tuple(totals.failures),
        numbering.left_out,
        copies,
    )


class _Work:
    """The steps of a build, one after another."""

    def __init__(self, order: BuildOrder, tools: Tools, engine: Engine, report: Report) -> None:
        self._order, self._tools = order, tools
        self._engine, self._report = engine, report
        self.cluster: Cluster = cluster_at(order.addresses)

    def number(self, parts: Sequence[FilePart]) -> tuple[Numbering, list[NumberedPart]]:
        """Number all passages. Raises BadInput where there are none."""
        numbering = Numbering()
        numbered: list[NumberedPart] = []
        step = BuildStep[PartContents, PartContents](lambda device: _only, 1)
        found = self._engine.run(parts, _contents, step)
        for part, contents in zip(parts, found, strict=True):
            numbered.append(numbering.number(part, contents))
            self._report("reading", len(numbered), len(parts))
        if not numbering.passages:
            raise BadInput("There is no passage in these files.")
        return numbering, numbered

    def extract(
        self,
        kept: KeptExtractions,
        parts: Sequence[NumberedPart],
        totals: CountTotals,
        passages: int,
    ) -> int:
        """Extract what is not kept, and count everything; how many passages were extracted."""
        order = self._order
        make = partial(extraction_step, order.addresses, kept.index, self._tools, order.extractor)
        step = BuildStep[Passage, ExtractedPassages](make, EXTRACTED_AT_ONCE, "extractor")
        done = extracted = 0
        for one in self._engine.run(parts, passages_of, step):
            totals.add(one.counts)
            extracted += one.extracted
            done += len(one.counts.triples)
            self._report("extracting", done, passages)
        return extracted

    def load(
        self,
        kept: KeptExtractions,
        parts: Sequence[NumberedPart],
        facts: IndexFacts,
        counts: CorpusCounts,
        *,
        resumed: bool,
    ) -> int:
        """Encode and send passages and triples; how many were sent."""
        share = self._engine.share
        shared = SharedCounts(
            share(counts.first_triples),
            (share(counts.holders.hashes), share(counts.holders.counts)),
            (share(counts.common.hashes), share(counts.common.counts)),
        )
        order = LoadOrder(self._order.addresses, facts, kept.index, shared, resumed)
        step = BuildStep[Passage, LoadedPassages](
            partial(loading_step, order, self._tools), LOADED_AT_ONCE, "embedder"
        )
        done = sent = 0
        total = facts.counts["passage"] + facts.counts["triple"]
        for one in self._engine.run(parts, passages_of, step):
            done, sent = done + one.documents, sent + one.sent
            self._report("loading", done, total)
        return sent

    def load_rest(
        self,
        facts: IndexFacts,
        numbering: Numbering,
        counts: CorpusCounts,
        names: NameTable,
        *,
        resumed: bool,
    ) -> int:
        """Send names with their synonyms, words and questions; how many documents were sent."""
        near = self._synonyms(names)
        ends = names.ends()
        documents = chain(
            entity_documents(ends, near),
            word_documents("passages", counts.passage_words),
            word_documents("triples", counts.triple_words),
            question_documents(numbering.questions),
        )
        total = sum(facts.counts[kind] for kind in ("entity", "words", "question"))
        report = partial(self._report, "loading names and words")
        return load.send(self.cluster, facts.index, documents, total, report, resumed=resumed)

    def _synonyms(self, names: NameTable) -> Sparse:
        return synonyms(names, self._engine, self._tools, self._order.embedder, self._report)


def _facts(
    order: BuildOrder,
    numbering: Numbering,
    counts: CorpusCounts,
    ends: Ends,
    dimension: int,
) -> IndexFacts:
    words = [len(counts.passage_words.hashes), len(counts.triple_words.hashes)]
    return IndexFacts(
        collection=order.collection,
        revision=1,
        triples=order.triples,
        content=counts.content,
        model=order.embedder,
        dimension=dimension,
        mentions=VERSION,
        holders=HubLimit().of(numbering.passages),
        hnsw=order.hnsw,
        counts=document_counts(
            passages=numbering.passages,
            triples=counts.triples.size,
            names=len(ends),
            vocabularies=words,
            questions=len(numbering.questions),
        ),
        passages=counts.passages,
        facts=counts.triples,
        maker=order.maker,
        max_iterations=numbering.max_iterations,
        stored=counts.stored.digest(counted_up(counts.triples.size), ends),
        questions=questions_digest(numbering.questions),
        shards=order.shards,
    )


def _contents(part: FilePart) -> list[PartContents]:
    return [contents_of(part)]


def _only(rows: Sequence[PartContents]) -> PartContents:
    (one,) = rows
    return one
