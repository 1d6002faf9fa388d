"""Background jobs in small slices, each kept when it ends: a kill loses at most the passages in flight.

An extraction's slice either finds the triples of 16 passages and stores them in one transaction, which is one
revision of the collection, or encodes up to 64 texts of passages that are extracted already. A run asked between two
slices sees the triples of the slices before, and a replay at its revision sees the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from gear_app.errors import ModelFailed
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store
from gear_app.store.rows import JobInfo
from gear_app.types import Passage
from gear_app.workspace.extracting import extract
from gear_app.workspace.keeping import encode, keep_triples
from gear_app.workspace.models import ENCODED_AT_ONCE
from gear_app.workspace.sources import located

EXTRACTED_AT_ONCE = 16
LOOKED_AT_ONCE = 1000


class Job(Protocol):
    """Something that is done slice by slice."""

    def slice(self) -> bool:
        """Do a little; False when everything is done."""
        ...

    def summary(self) -> str:
        """What came of it, in a sentence."""
        ...


class ExtractionJob:
    """Entities and triples of every passage the set has not been made for, and the vectors to search them."""

    def __init__(self, store: Store, job: JobInfo, extractor: Extractor, embedder: Embedder) -> None:
        """Work on this thread's store."""
        assert job.set_id is not None
        self._store, self._job, self._set = store, job, job.set_id
        self._extractor, self._embedder = extractor, embedder
        self._waiting: list[Passage] = []

    def slice(self) -> bool:
        """Encode what waits for vectors, or else extract the next passages."""
        began = time.perf_counter()
        encoding = self._store.extractions.unsearchable(self._set, EXTRACTED_AT_ONCE)
        extracting = [] if encoding else self._next()
        if encoding:
            self._encode(encoding)
        elif extracting:
            self._extract(extracting)
        self._progress(time.perf_counter() - began)
        return bool(encoding or extracting)

    def summary(self) -> str:
        """What came of it, in a sentence."""
        counts = self._store.extractions.counts(self._set)
        triples = self._store.triples.count(self._set)
        parts = [f"{triples:,} triples from {counts.searchable + counts.extracted:,} passages"]
        parts += [f"{counts.empty:,} passages gave none"] if counts.empty else []
        parts += [f"{counts.failed:,} passages failed; extract again to retry them"] if counts.failed else []
        return "; ".join(parts) + "."

    def _next(self) -> list[Passage]:
        if not self._waiting:
            self._waiting = self._store.extractions.pending(self._job.collection_id, self._set, LOOKED_AT_ONCE)
        some, self._waiting = self._waiting[:EXTRACTED_AT_ONCE], self._waiting[EXTRACTED_AT_ONCE:]
        return some

    def _extract(self, passages: Sequence[Passage]) -> None:
        found, failed, gone = extract(self._extractor, passages)
        with self._store.transaction():
            alive = self._store.extractions.still_pending(self._set, passages)
            guessed = not any(triple.span for _, extraction in found for triple in extraction.triples)
            kept = [
                (passage.id, located(passage, extraction) if guessed else extraction)
                for passage, extraction in found
                if passage.id in alive
            ]
            fingerprint = self._extractor.fingerprint
            keep_triples(self._store, self._job.collection_id, self._set, kept, fingerprint, closest=guessed)
            for passage, error in failed:
                reply = error.reply if isinstance(error, ModelFailed) else ""
                self._store.extractions.failed(self._set, passage.id, str(error), fingerprint, reply)
        if gone:
            raise gone

    def _encode(self, passages: Sequence[Passage]) -> None:
        triples = self._store.triples.of_passages(self._set, [p.id for p in passages])
        texts = [*(p.indexed for p in passages), *(t.text for t in triples)]
        missing = self._store.embeddings.missing(self._embedder.fingerprint, texts)
        encode(self._store, self._embedder, missing[:ENCODED_AT_ONCE])
        if len(missing) <= ENCODED_AT_ONCE:
            self._store.extractions.searchable(self._set, [p.id for p in passages])

    def _progress(self, worked_s: float) -> None:
        counts = self._store.extractions.counts(self._set)
        total = self._store.passages.counts(self._job.collection_id).passages
        self._store.jobs.progress(
            self._job.id,
            done=counts.searchable,
            total=total,
            failed=counts.failed,
            worked_s=worked_s,
            message=f"{counts.searchable + counts.extracted:,} extracted, {counts.searchable:,} searchable",
        )
