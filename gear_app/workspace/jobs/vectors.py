"""The job that makes vectors, and compares names by them, slice by slice; each slice is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gear_app.core.protocols import Embedder
from gear_app.models.embedders.cache import ENCODED_AT_ONCE
from gear_app.store import Store
from gear_app.store.rows import JobInfo, Progress
from gear_app.workspace.corpus.synonymy import Synonymy
from gear_app.workspace.corpus.vectors import encode, keep_mentions
from gear_app.workspace.jobs.extraction import LOOKED_AT_ONCE, Slices


class VectorsJob:
    """Vectors of all that methods and readers compare: passages first, then their sentences, the
    triples, partial triples and names.

    At the end the names are compared with each other: which of them mean the same (HippoRAG,
    GRIEVER).
    """

    def __init__(self, store: Store, job: JobInfo, embedder: Embedder, synonymy: Synonymy) -> None:
        assert job.collection_id is not None
        self._store, self._embedder, self._synonymy = store, embedder, synonymy
        self._collection, self._set = job.collection_id, job.set_id
        self._texts = self._names = self._total = 0

    def slices(self) -> Slices:
        """Encode texts that have no vectors, then compare names; again where more came in
        meanwhile.
        """
        while self._texts + self._names < (total := self._count()):
            self._texts, self._names, self._total = 0, 0, total
            yield from self._pass()
        synonyms = ""
        if self._set is not None:
            pairs = self._store.synonyms.count(self._collection, self._embedder.fingerprint)
            synonyms = f", and {pairs:,} synonyms among {self._names:,} names"
        yield self._progress(f"Vectors of {self._texts:,} texts are there{synonyms}.")

    def _pass(self) -> Iterator[Progress]:
        store, collection, set_id = self._store, self._collection, self._set
        yield from self._encode(store.passages.after, collection, lambda p: [p.indexed])
        while keep_mentions(store, collection):
            yield self._progress("Finding what the passages name")
        yield from self._encode(store.mentions.after, collection, lambda s: [s.text])
        if set_id is None:
            return
        yield from self._encode(store.triples.after, set_id, lambda t: [t.text])
        parts = "{0.subject} {0.predicate}", "{0.predicate} {0.object}"
        texts_of = lambda t: [part.format(t) for part in parts]  # noqa: E731
        yield from self._encode(store.triples.after, set_id, texts_of)
        # All names of the collection, those of other sets too: what means the same does so in
        # every set.
        last = store.entities.last(collection)
        names = store.entities.number(collection, last)
        for left in self._synonymy.extend(collection, last, self._embedder):
            self._names = names - left.names
            yield self._progress(left.sentence)
        self._names = names
        yield self._progress(f"Compared {names:,} names")

    def _encode(
        self,
        page_after: Callable[[int, int, int], Sequence[Any]],
        owner: int,
        texts: Callable[[Any], list[str]],
    ) -> Iterator[Progress]:
        """Encode texts of the owner's rows, page by page: no statement stays open between two
        slices.
        """
        last = 0
        while page := page_after(owner, last, LOOKED_AT_ONCE):
            last = page[-1].id
            needed = [text for row in page for text in texts(row)]
            missing = self._store.embeddings.missing(self._embedder.fingerprint, needed)
            self._texts += len(needed) - len(missing)
            for start in range(0, max(1, len(missing)), ENCODED_AT_ONCE):
                batch = missing[start : start + ENCODED_AT_ONCE]
                encode(self._store, self._embedder, batch)
                self._texts += len(batch)
                yield self._progress(f"Vectors of {self._texts:,} texts")

    def _progress(self, message: str) -> Progress:
        done = self._texts + self._names
        return Progress(done, max(done, self._total), message)

    def _count(self) -> int:
        passages = self._store.passages.counts(self._collection).passages
        passages += self._store.mentions.counts(self._collection).sentences
        if self._set is None:
            return passages
        entities, collection = self._store.entities, self._collection
        names = entities.number(collection, entities.last(collection))
        return passages + 3 * self._store.triples.count(self._set) + names
