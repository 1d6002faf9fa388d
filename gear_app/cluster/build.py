"""A build from files to an index that is open: the order of its steps, and what is known after
each.

Run again it goes on: passages whose extraction is kept are not extracted again, and documents that
are in the index are not made again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from gear_app.cluster.counts import CorpusCounts, CountTotals, FailedExtraction
from gear_app.cluster.engine import BuildStep, Engine, Tools, cluster_at
from gear_app.cluster.extraction import KeptExtractions, kept_index
from gear_app.cluster.facts import (
    CollectionCounts,
    CollectionOrigin,
    counted_up,
    index_facts,
)
from gear_app.cluster.files import (
    FilePart,
    LeftOut,
    NumberedPart,
    Numbering,
    PartContents,
    contents_of,
    parts_of,
    passages_of,
)
from gear_app.cluster.names import NameTable, synonyms
from gear_app.cluster.steps import (
    ExtractedPassages,
    ExtractionStep,
    LoadCounts,
    LoadedPassages,
    LoadingStep,
    LoadOrder,
)
from gear_app.errors import BadInput
from gear_app.opensearch import load
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.documents import other_documents
from gear_app.opensearch.load import CopyCheck, Report, StorageOptions
from gear_app.opensearch.schema import IndexFacts
from gear_app.types import Passage

# Passages of a call. Those of an extraction are a multiple of what an extractor gets at once.
EXTRACTED_AT_ONCE, LOADED_AT_ONCE = 64, 32


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
    storage: StorageOptions = field(default_factory=StorageOptions)


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
    began, cluster = time.monotonic(), cluster_at(order.addresses)
    load.check_nodes(cluster, order.storage.replicas)  # extraction may take hours
    corpus = FileCorpus(order, tools, engine)
    corpus.number(report)
    corpus.extract(cluster, report)
    contents = FileContents(corpus, corpus.totals.counted())
    pushed = load.push(cluster, contents, report, order.storage.replicas)
    return Build(
        pushed.index,
        corpus.numbering.passages,
        contents.facts.facts.size,
        corpus.extracted,
        pushed.sent,
        time.monotonic() - began,
        corpus.totals.failed,
        tuple(corpus.totals.failures),
        corpus.numbering.left_out,
        pushed.copies,
    )


class FileCorpus:
    """The passages of files: numbered first, then extracted and counted."""

    def __init__(self, order: BuildOrder, tools: Tools, engine: Engine) -> None:
        """Nothing is read yet."""
        self.order, self.tools, self.engine = order, tools, engine
        self.numbering, self.parts = Numbering(), list[NumberedPart]()
        self.kept = kept_index(order.collection, order.extractor)
        self.names = NameTable()
        self.totals = CountTotals(self.names)
        self.extracted = 0

    def number(self, report: Report) -> None:
        """Number all passages. Raises BadInput where there are none."""
        parts = parts_of(self.order.files)
        step = BuildStep[PartContents, PartContents](lambda device: _only, 1)
        read = self.engine.run(parts, _contents, step)
        for part, contents in zip(parts, read, strict=True):
            self.parts.append(self.numbering.number(part, contents))
            report("reading", len(self.parts), len(parts))
        if not self.numbering.passages:
            raise BadInput("There is no passage in these files.")

    def extract(self, cluster: Cluster, report: Report) -> None:
        """Extract what is not kept, and count everything."""
        order, tools, kept = self.order, self.tools, self.kept
        KeptExtractions(cluster, kept).make()
        step = BuildStep[Passage, ExtractedPassages](
            lambda device: ExtractionStep(
                order.addresses, kept, partial(tools.make_extractor, order.extractor)
            ),
            EXTRACTED_AT_ONCE,
            "extractor",
        )
        done = 0
        for batch in self.engine.run(self.parts, passages_of, step):
            self.totals.add(batch.counts)
            self.extracted += batch.extracted
            done += len(batch.counts.triples)
            report("extracting", done, self.numbering.passages)


class FileContents:
    """What an index of such a corpus holds (load.IndexContents)."""

    def __init__(self, corpus: FileCorpus, counts: CorpusCounts) -> None:
        """Everything is counted, and nothing encoded."""
        self._corpus, self._counts = corpus, counts
        order, numbering, ends = corpus.order, corpus.numbering, corpus.names.ends()
        origin = CollectionOrigin(
            order.collection,
            1,
            order.triples,
            counts.content,
            order.embedder,
            order.maker,
            numbering.max_iterations,
        )
        summary = CollectionCounts(
            passages=counts.passages,
            triples=counts.triples,
            words=(len(counts.passage_words.hashes), len(counts.triple_words.hashes)),
            names=len(ends),
            stored=counts.stored.digest(counted_up(counts.triples.size), ends),
            dimension=corpus.tools.embedder("cpu").embed([]).shape[1],
        )
        self.facts: IndexFacts = index_facts(origin, summary, numbering.questions, order.storage)

    def send(self, cluster: Cluster, report: Report, *, resumed: bool) -> int:
        """Encode and send passages and triples by several processes, then what is not a passage's
        alone.
        """
        sent = self._send_passages(report, resumed=resumed)
        corpus, counts = self._corpus, self._counts
        near = synonyms(corpus.names, corpus.engine, corpus.tools, corpus.order.embedder, report)
        vocabularies = counts.passage_words, counts.triple_words
        documents = other_documents(
            corpus.names.ends(), near, vocabularies, corpus.numbering.questions
        )
        total = sum(self.facts.counts[kind] for kind in ("entity", "words", "question"))
        told = partial(report, "loading names and words")
        return sent + load.send(cluster, self.facts.index, documents, total, told, resumed=resumed)

    def _send_passages(self, report: Report, *, resumed: bool) -> int:
        corpus, counts = self._corpus, self._counts
        tools = corpus.tools
        shared = corpus.engine.share(
            LoadCounts(counts.first_triples, counts.holders, counts.common)
        )
        order = LoadOrder(corpus.order.addresses, self.facts, corpus.kept, shared, resumed)
        step = BuildStep[Passage, LoadedPassages](
            lambda device: LoadingStep(order, tools, device), LOADED_AT_ONCE, "embedder"
        )
        done = sent = 0
        total = self.facts.counts["passage"] + self.facts.counts["triple"]
        for batch in corpus.engine.run(corpus.parts, passages_of, step):
            done, sent = done + batch.documents, sent + batch.sent
            report("loading", done, total)
        return sent


def _contents(part: FilePart) -> list[PartContents]:
    return [contents_of(part)]


def _only(rows: Sequence[PartContents]) -> PartContents:
    (one,) = rows
    return one
