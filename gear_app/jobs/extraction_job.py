"""What a background job does, in small slices, and the job that extracts: a kill loses at most the
passages in flight.

The triples of a slice are stored in one transaction, which is one revision of the collection. A run
asked between two slices sees the triples of the slices before, and a replay at its revision sees
the same.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from gear_app.corpus.provenance import refused_words
from gear_app.corpus.vectors import encode
from gear_app.jobs.extraction_outcomes import (
    PendingPassages,
    outcome_source,
    store_outcomes,
)
from gear_app.language.english import NOT_ENGLISH
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store
from gear_app.store.rows import JobInfo, Spent
from gear_app.text import count

MOST_NAMED = 3  # documents that are not English
LOOKED_AT = 16  # passages that wait for vectors


class Job(ABC):
    """Something that is done slice by slice. Unless a job says otherwise nothing is under way
    between two slices, and nothing comes after it.
    """

    @abstractmethod
    def slice(self) -> bool:
        """Do a little; False when everything is done."""

    @abstractmethod
    def summary(self) -> str:
        """What came of it, in a sentence."""

    def stop(self) -> None:  # noqa: B027
        """The job ends before everything is done: end what is under way, and keep what was made."""

    def follow_up(self) -> None:  # noqa: B027
        """Everything is done, and that is stored: tidy up, and ask for what comes next."""


class ExtractionJob(Job):
    """Entities and triples of every passage the set has not been made for, and the vectors to
    search them.
    """

    def __init__(
        self, store: Store, job: JobInfo, extractor: Extractor, embedder: Embedder
    ) -> None:
        assert job.set_id is not None
        self._store, self._job, self._set = store, job, job.set_id
        self._embedder = embedder
        self._source = outcome_source(PendingPassages(store, job), extractor)
        self._refused = 0

    def slice(self) -> bool:
        """Let outcomes come in, encode what waits for vectors, and store what came. Raises why no
        more will come.
        """
        began = time.perf_counter()
        more = self._source.gather(self._encode)
        self._store_outcomes()
        self._progress(time.perf_counter() - began)
        if self._source.failure:
            raise self._source.failure
        return more

    def stop(self) -> None:
        """End what is under way, and store what came in."""
        self._source.stop()
        self._store_outcomes()
        self._progress(0.0)

    def follow_up(self) -> None:
        """Ask for the vectors of names and of partial triples."""
        self._store.jobs.ensure("vectors", self._job.collection_id, self._set)

    def summary(self) -> str:
        """What came of it, in a sentence."""
        counts = self._store.extractions.counts(self._set)
        triples = self._store.triples.count(self._set)
        parts = [
            f"{count(triples, 'triple')} from"
            f" {count(counts.searchable + counts.extracted, 'passage')}"
        ]
        parts += [f"{count(counts.empty, 'passage')} gave none"] if counts.empty else []
        if counts.short:
            parts.append(f"the replies about {count(counts.short, 'passage')} were used in part")
        if counts.failed:
            parts.append(f"{count(counts.failed, 'passage')} failed; extract again to retry")
        parts += [refused_words(self._refused)] if self._refused else []
        foreign = self._store.extractions.noted(self._set, NOT_ENGLISH)
        more = len(foreign) - MOST_NAMED
        parts += [f"{name} {NOT_ENGLISH}" for name in foreign[:MOST_NAMED]]
        parts += [f"nor do {count(more, 'other document')}"] if more > 0 else []
        return "; ".join(parts) + "."

    def _store_outcomes(self) -> None:
        """Store what came in, in one transaction with what it took."""
        outcomes, spent = self._source.take()
        if not outcomes and spent == Spent():
            return
        with self._store.transaction():
            stored = store_outcomes(
                self._store, self._job.collection_id, self._set, outcomes, self._source.fingerprint
            )
            self._refused += stored.refused
            self._store.jobs.spend(self._job.id, spent)

    def _encode(self, at_once: int) -> bool:
        """Encode at most so many texts of passages that wait for vectors; False where none does."""
        passages = self._store.extractions.unsearchable(self._set, LOOKED_AT)
        if not passages:
            return False
        triples = self._store.triples.of_passages(self._set, [p.id for p in passages])
        texts = [*(p.indexed for p in passages), *(t.text for t in triples)]
        missing = self._store.embeddings.missing(self._embedder.fingerprint, texts)
        encode(self._store, self._embedder, missing[:at_once])
        if len(missing) <= at_once:
            self._store.extractions.mark_searchable(self._set, [p.id for p in passages])
        return True

    def _progress(self, worked_s: float) -> None:
        counts = self._store.extractions.counts(self._set)
        total = self._store.passages.counts(self._job.collection_id).passages
        self._store.jobs.progress(
            self._job,
            f"{counts.searchable + counts.extracted:,} extracted, {counts.searchable:,} searchable",
            done=counts.searchable,
            total=total,
            worked_s=worked_s,
            failed=counts.failed,
        )
