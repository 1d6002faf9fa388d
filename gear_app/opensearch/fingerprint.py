"""What an index stores, as a few hexadecimal digits: two collections that differ in any document
have another name in a cluster, and the same collection always has the same.

Hashes are of rows in order, so that they can be counted part by part, by several processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gear_app.store.questions import question_hash
from gear_app.types import Passage, Question, Span

ROW, WHOLE = 16, 8  # bytes
AT_ONCE = 1_000_000  # numbers that are hashed together


def passage_hash(passage: Passage) -> bytes:
    """Of everything that is stored of a passage and does not follow from the model."""
    return _hash(astuple(passage))


def triple_hash(
    passage_id: int, words: tuple[str, str, str], span: Span | None, closest: bool
) -> bytes:
    """Of everything that is stored of a triple but its number; `words` are its subject, predicate
    and object.
    """
    return _hash((passage_id, words, span and tuple(span), closest))


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


def counted_up(number: int) -> Iterable[Sequence[int]]:
    """The numbers from 1 to this one, some at a time."""
    return (
        range(first, min(first + AT_ONCE, number + 1)) for first in range(1, number + 1, AT_ONCE)
    )


def _digest() -> Any:  # noqa: ANN401
    return hashlib.blake2b(digest_size=WHOLE)


def _hash(row: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=ROW).digest()
