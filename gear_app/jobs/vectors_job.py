"""The background job that makes vectors, and compares names by them: slice by slice, each kept when
it ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from gear_app.corpus.mention_arrays import keep_mentions
from gear_app.corpus.synonymy import Synonymy
from gear_app.corpus.vectors import encode
from gear_app.embedders.cache import ENCODED_AT_ONCE
from gear_app.jobs.extraction_job import Job
from gear_app.jobs.extraction_outcomes import LOOKED_AT_ONCE
from gear_app.seams import Embedder
from gear_app.store import Store
from gear_app.store.rows import JobInfo
from gear_app.types import Triple


class _HasId(Protocol):
    @property
    def id(self) -> int: ...


Row = TypeVar("Row", bound=_HasId)


class VectorsJob(Job):
    """Vectors of all that methods and readers compare: passages first, then their sentences, the
    triples, partial triples and names.

    At the end the names are compared with each other: which of them mean the same (HippoRAG,
    GRIEVER).
    """

    def __init__(self, store: Store, job: JobInfo, embedder: Embedder, synonymy: Synonymy) -> None:
        self._store, self._job, self._embedder, self._synonymy = store, job, embedder, synonymy
        self._work = self._slices()
        self._seen = self._total = self._found = self._compared = 0
        self._message = ""

    def slice(self) -> bool:
        """Encode the next texts that have no vectors, or compare the next names."""
        began = time.perf_counter()
        self._found = 0
        more = next(self._work, None) is not None
        done = self._seen + self._compared
        self._store.jobs.progress(
            self._job,
            self._message,
            done=done,
            total=max(done, self._total),
            worked_s=time.perf_counter() - began,
            found=self._found,
        )
        return more

    def summary(self) -> str:
        """What came of it, in a sentence."""
        if self._job.set_id is None:
            return f"Vectors of {self._seen:,} texts are there."
        pairs = self._store.synonyms.count(self._job.collection_id, self._embedder.fingerprint)
        return (
            f"Vectors of {self._seen:,} texts are there, and {pairs:,} synonyms among"
            f" {self._compared:,} names."
        )

    def _slices(self) -> Iterator[int]:
        # Again where something came in behind our back.
        while self._seen + self._compared < self._count():
            self._seen, self._compared, self._total = 0, 0, self._count()
            yield from self._pass()

    def _pass(self) -> Iterator[int]:
        collection, set_id, store = self._job.collection_id, self._job.set_id, self._store
        yield from self._encode(
            _pages(lambda after: store.passages.after(collection, after, LOOKED_AT_ONCE)),
            lambda p: [p.indexed],
        )
        while keep_mentions(store, collection):
            self._message = "Finding what the passages name"
            yield self._seen
        yield from self._encode(
            _pages(lambda after: store.mentions.after(collection, after, LOOKED_AT_ONCE)),
            lambda sentence: [sentence.text],
        )
        if set_id is None:
            return

        def triples() -> Iterator[Sequence[Triple]]:
            return _pages(lambda after: store.triples.after(set_id, after, LOOKED_AT_ONCE))

        yield from self._encode(triples(), lambda t: [t.text])
        store.extractions.mark_all_searchable(set_id)
        yield from self._encode(
            triples(), lambda t: [f"{t.subject} {t.predicate}", f"{t.predicate} {t.object}"]
        )
        entities = _pages(lambda after: store.entities.after(set_id, after, LOOKED_AT_ONCE))
        yield from self._encode(entities, lambda e: [e.name])
        yield from self._compare()

    def _compare(self) -> Iterator[int]:
        """All names of the collection, those of other sets too: what means the same does so in
        every set.
        """
        collection, entities = self._job.collection_id, self._store.entities
        last, reached = (
            entities.last(collection),
            self._store.synonyms.reached(collection, self._embedder.fingerprint),
        )
        self._compared = entities.number(collection, reached)
        self._found += self._compared
        for left in self._synonymy.extend(collection, last, self._embedder):
            self._compared, self._message = (
                entities.number(collection, last) - left.names,
                left.sentence,
            )
            yield self._compared
        self._compared = entities.number(collection, last)

    def _encode(
        self, pages: Iterable[Sequence[Row]], texts: Callable[[Row], list[str]]
    ) -> Iterator[int]:
        for page in pages:
            wanted = [text for row in page for text in texts(row)]
            missing = self._store.embeddings.missing(self._embedder.fingerprint, wanted)
            self._seen += len(wanted) - len(missing)
            self._found += len(wanted) - len(missing)
            for start in range(0, max(1, len(missing)), ENCODED_AT_ONCE):
                some = missing[start : start + ENCODED_AT_ONCE]
                encode(self._store, self._embedder, some)
                self._seen += len(some)
                self._message = f"Vectors of {self._seen:,} texts"
                yield self._seen

    def _count(self) -> int:
        passages = self._store.passages.counts(self._job.collection_id).passages
        passages += self._store.mentions.counts(self._job.collection_id).sentences
        if self._job.set_id is None:
            return passages
        entities, collection = self._store.entities, self._job.collection_id
        names = entities.count(self._job.set_id) + entities.number(
            collection, entities.last(collection)
        )
        return passages + 3 * self._store.triples.count(self._job.set_id) + names


def _pages(next_page: Callable[[int], Sequence[Row]]) -> Iterator[Sequence[Row]]:
    """Pages of rows by id; no statement stays open between two slices."""
    page = next_page(0)
    while page:
        yield page
        page = next_page(page[-1].id)
