"""The facts of an index that is to be loaded. What it stores becomes a few hexadecimal digits: two
collections that differ in any document have another name in a cluster, and the same collection
always has the same.

Hashes are of rows in order, so that they can be counted part by part, by several processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gear_app.language.mentions import VERSION
from gear_app.opensearch import words
from gear_app.opensearch.load import StorageOptions
from gear_app.opensearch.schema import IndexFacts, TextStatistics
from gear_app.rows import HubLimit
from gear_app.store.questions import question_hash
from gear_app.types import Passage, Question, Triple

ROW, WHOLE = 16, 8  # bytes


@dataclass(frozen=True, slots=True)
class CollectionOrigin:
    """What a collection is where it comes from: its name, revision and limit of iterations, its
    triple set ("": none), the hash of all texts, and the fingerprint of the model of its vectors.
    """

    collection: str
    revision: int
    triples: str
    content: str
    model: str
    maker: str = ""
    max_iterations: int | None = None


@dataclass(frozen=True, slots=True)
class CollectionCounts:
    """What is counted of a collection: BM25's statistics, different words of passages and of
    triples, names, the digits of all that is stored, and numbers of a vector.
    """

    passages: TextStatistics
    triples: TextStatistics
    words: Sequence[int]
    names: int
    stored: str
    dimension: int


def index_facts(
    origin: CollectionOrigin,
    counts: CollectionCounts,
    questions: Sequence[Question],
    storage: StorageOptions,
) -> IndexFacts:
    """What an index says of itself."""
    return IndexFacts(
        **asdict(origin),
        dimension=counts.dimension,
        mentions=VERSION,
        holders=HubLimit().of(counts.passages.size),
        hnsw=storage.hnsw,
        counts={
            "passage": counts.passages.size,
            "triple": counts.triples.size,
            "entity": counts.names,
            "words": sum(-(-number // words.AT_ONCE) for number in counts.words),
            "question": len(questions),
        },
        passages=counts.passages,
        facts=counts.triples,
        stored=counts.stored,
        questions=questions_digest(questions),
        shards=storage.shards,
    )


def passage_hash(passage: Passage) -> bytes:
    """Of everything that is stored of a passage and does not follow from the model."""
    return _hash(astuple(passage))


def triple_hash(triple: Triple) -> bytes:
    """Of everything that is stored of a triple but its number."""
    words = triple.subject, triple.predicate, triple.object
    return _hash((triple.passage_id, words, triple.span and tuple(triple.span), triple.closest))


def questions_digest(questions: Iterable[Question]) -> str:
    """Of questions in order, with their gold."""
    whole = _digest()
    for question in questions:
        whole.update(question_hash(question))
    return str(whole.hexdigest())


@dataclass(slots=True)
class StoredRows:
    """Takes the hashes of passages by id, and those of triples by id."""

    _passages: Any = field(default_factory=lambda: _digest())
    _triples: Any = field(default_factory=lambda: _digest())

    def add(self, passages: bytes, triples: bytes) -> None:
        """Take the hashes of the next passages, and of the next triples, behind each other."""
        self._passages.update(passages)
        self._triples.update(triples)

    def digest(self, triple_ids: Iterable[Sequence[int]], names: Iterable[tuple[str, str]]) -> str:
        """Of all of them, the triples' numbers in order, some at a time, and the names, normalised
        and as written.
        """
        numbers, written = _digest(), _digest()
        for some in triple_ids:
            ids: NDArray[np.int64] = np.asarray(some, "<i8")
            numbers.update(ids.tobytes())
        for name in names:
            written.update(_hash(tuple(name)))
        parts = self._passages, self._triples, numbers, written
        return _hash(tuple(part.hexdigest() for part in parts))[:WHOLE].hex()


def _digest() -> Any:  # noqa: ANN401
    return hashlib.blake2b(digest_size=WHOLE)


def _hash(row: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=ROW).digest()
