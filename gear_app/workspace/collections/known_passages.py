"""Keys under which new passages and questions are kept: each content once, and keys unique."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gear_app.core.types import Passage, Question
from gear_app.documents.items import NewPassage, derived_key, fallback_ids
from gear_app.store.rows import text_hash

K = TypeVar("K")
V = TypeVar("V")


class LookUp(dict[K, V | None]):
    """Values of a store by key, None for a missing one: read at once for `keys`, and one by one for
    others. Values that were put here since come first.
    """

    def __init__(self, read: Callable[[Sequence[K]], Mapping[K, V]], keys: Iterable[K]) -> None:
        unique = list(dict.fromkeys(keys))
        super().__init__({**dict.fromkeys(unique), **read(unique)})
        self._read = read

    def __missing__(self, key: K) -> V | None:
        self[key] = self._read([key]).get(key)
        return self[key]


class KnownPassages:
    """Contents and keys of a collection; an id under which a content came again is a key, too."""

    def __init__(self, hash_of: LookUp[str, bytes], key_of_hash: LookUp[bytes, str]) -> None:
        self._hash_of, self._key_of_hash = hash_of, key_of_hash

    def admit(self, passage: NewPassage, hash_: bytes, file: str) -> tuple[bool, str]:
        """Whether a passage of a file is new, and its key, which is another than it came with where
        that has other content.
        """
        key = self._key_of_hash[hash_]
        if key is not None:
            return False, key
        key = next(key for key in _candidates(passage, file) if self._hash_of[key] is None)
        self._hash_of[key] = hash_
        self._key_of_hash[hash_] = key
        return True, key

    def name(self, id_: str, key: str) -> bool:
        """Whether the id is free, and means the passage with this key from then on."""
        hash_ = self._hash_of[key]
        free = hash_ is not None and self._hash_of[id_] is None
        if hash_ is not None and free:
            self._hash_of[id_] = hash_
        return free


def question_id(question: Question, file: str, words: LookUp[str, str]) -> str:
    """Id of a question of a file: another where its id has other words, by `words` of all ids."""
    candidates = itertools.chain([question.id], fallback_ids(question.id, file))
    id_ = next(id_ for id_ in candidates if words[id_] in (None, question.question))
    words[id_] = question.question
    return id_


def key_of(passage: NewPassage) -> str:
    """The key that a passage came with, or the one that is made of its words."""
    return passage.key or derived_key(passage.title, passage.text)


def hash_of(passage: NewPassage) -> bytes:
    """Hash of the words of a passage that are searched."""
    return text_hash(Passage(0, "", passage.title, passage.text).indexed)


def _candidates(passage: NewPassage, file: str) -> Iterator[str]:
    key = key_of(passage)
    yield key
    yield from (
        fallback_ids(key, file)
        if passage.key
        else (f"{key}-{number}" for number in itertools.count(2))
    )
