"""The job that makes vectors, and compares names by them, slice by slice; each slice is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from gear_app.core.protocols import Embedder
from gear_app.core.types import Triple
from gear_app.models.embedders.cache import ENCODED_AT_ONCE
from gear_app.store import Store
from gear_app.store.rows import JobInfo, Progress
from gear_app.workspace.corpus.mention_arrays import keep_mentions
from gear_app.workspace.corpus.synonymy import Synonymy
from gear_app.workspace.corpus.vectors import encode
from gear_app.workspace.jobs.extraction import LOOKED_AT_ONCE, Slices


class _HasId(Protocol):
    @property
    def id(self) -> int: ...


Row = TypeVar("Row", bound=_HasId)


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
        if self._set is None:
            return f"Vectors of {self._texts:,} texts are there."
        pairs = self._store.synonyms.count(self._collection, self._embedder.fingerprint)
        return (
            f"Vectors of {self._texts:,} texts are there, and {pairs:,} synonyms among"
            f" {self._names:,} names."
        )

    def _pass(self) -> Iterator[Progress]:
        collection, set_id, store = self._collection, self._set, self._store
        yield from self._encode(
            _pages(lambda after: store.passages.after(collection, after, LOOKED_AT_ONCE)),
            lambda p: [p.indexed],
        )
        while keep_mentions(store, collection):
            yield self._progress("Finding what the passages name")
        yield from self._encode(
            _pages(lambda after: store.mentions.after(collection, after, LOOKED_AT_ONCE)),
            lambda sentence: [sentence.text],
        )
        if set_id is None:
            return

        def triples() -> Iterator[Sequence[Triple]]:
            return _pages(lambda after: store.triples.after(set_id, after, LOOKED_AT_ONCE))

        yield from self._encode(triples(), lambda t: [t.text])
        yield from self._encode(
            triples(), lambda t: [f"{t.subject} {t.predicate}", f"{t.predicate} {t.object}"]
        )
        yield from self._compare()

    def _compare(self) -> Iterator[Progress]:
        """All names of the collection, those of other sets too: what means the same does so in
        every set.
        """
        collection, entities = self._collection, self._store.entities
        last = entities.last(collection)
        names = entities.number(collection, last)
        reached = self._store.synonyms.reached(collection, self._embedder.fingerprint)
        existing = entities.number(collection, reached)
        for left in self._synonymy.extend(collection, last, self._embedder):
            self._names = names - left.names
            yield self._progress(left.sentence, existing)
            existing = 0
        self._names = names
        yield self._progress(f"Compared {names:,} names", existing)

    def _encode(
        self, pages: Iterable[Sequence[Row]], texts: Callable[[Row], list[str]]
    ) -> Iterator[Progress]:
        for page in pages:
            needed = [text for row in page for text in texts(row)]
            missing = self._store.embeddings.missing(self._embedder.fingerprint, needed)
            existing = len(needed) - len(missing)
            self._texts += existing
            for start in range(0, max(1, len(missing)), ENCODED_AT_ONCE):
                batch = missing[start : start + ENCODED_AT_ONCE]
                encode(self._store, self._embedder, batch)
                self._texts += len(batch)
                yield self._progress(f"Vectors of {self._texts:,} texts", existing)
                existing = 0

    def _progress(self, message: str, existing: int = 0) -> Progress:
        done = self._texts + self._names
        return Progress(done, max(done, self._total), message, existing=existing)

    def _count(self) -> int:
        passages = self._store.passages.counts(self._collection).passages
        passages += self._store.mentions.counts(self._collection).sentences
        if self._set is None:
            return passages
        entities, collection = self._store.entities, self._collection
        names = entities.number(collection, entities.last(collection))
        return passages + 3 * self._store.triples.count(self._set) + names


def _pages(next_page: Callable[[int], Sequence[Row]]) -> Iterator[Sequence[Row]]:
    """Pages of rows by id; no statement stays open between two slices."""
    page = next_page(0)
    while page:
        yield page
        page = next_page(page[-1].id)
