"""The job that makes vectors, and compares names by them, slice by slice; each slice is kept."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from gear_app.core.protocols import Embedder
from gear_app.store import Store
from gear_app.store.rows import JobInfo, Progress
from gear_app.workspace.corpus.synonymy import Synonymy
from gear_app.workspace.corpus.vectors import encode_in_slices, keep_mentions
from gear_app.workspace.jobs.extraction import LOOKED_AT_ONCE

PARTS = "{0.subject} {0.predicate}", "{0.predicate} {0.object}"  # of a triple
Rows = Callable[[int, int, int], Sequence[Any]]  # of an owner, after an id, so many


def vector_slices(
    store: Store, job: JobInfo, embedder: Embedder, synonymy: Synonymy
) -> Generator[Progress, None, None]:
    """Vectors of all that methods and readers compare, where they are missing: passages first, then
    their sentences, the triples, partial triples and names; again where more came in meanwhile.

    Then the names of the collection, those of other sets too, are compared with each other: which
    of them mean the same (HippoRAG, GRIEVER).
    """
    collection, set_id = job.collection_id or 0, job.set_id
    sources: list[tuple[Rows, int, tuple[str, ...]]] = [
        (store.passages.after, collection, ("{0.indexed}",)),
        (store.mentions.after, collection, ("{0.text}",)),
    ]
    if set_id is not None:
        sources += [(store.triples.after, set_id, texts) for texts in (("{0.text}",), PARTS)]
    texts = names = 0
    while texts + names < (total := _count(store, job)):
        texts = names = 0
        for number, (rows_after, owner, forms) in enumerate(sources):
            while number == 1 and keep_mentions(store, collection):
                yield Progress(texts, total, "Finding what the passages name")
            last = 0
            while rows := rows_after(owner, last, LOOKED_AT_ONCE):
                last = rows[-1].id
                needed = [form.format(row) for row in rows for form in forms]
                missing = store.embeddings.missing(embedder.fingerprint, needed)
                for _ in encode_in_slices(store, embedder, missing):
                    yield Progress(texts, max(texts, total), f"Vectors of {texts:,} texts")
                texts += len(needed)
                yield Progress(texts, max(texts, total), f"Vectors of {texts:,} texts")
        if set_id is not None:
            last, names = store.entities.counts(collection)
            for left in synonymy.extend(collection, last, embedder):
                yield Progress(texts + names - left.names, total, left.sentence)
    synonyms = ""
    if set_id is not None:
        pairs = store.synonyms.count(collection, embedder.fingerprint)
        synonyms = f", and {pairs:,} synonyms among {names:,} names"
    yield Progress(total, total, f"Vectors of {texts:,} texts are there{synonyms}.")


def _count(store: Store, job: JobInfo) -> int:
    """Number of the texts that get vectors."""
    collection = job.collection_id or 0
    number = store.passages.counts(collection).passages
    number += store.mentions.counts(collection).sentences
    if job.set_id is not None:
        number += 3 * store.triples.count(job.set_id)
        number += store.entities.counts(collection)[1]
    return number
