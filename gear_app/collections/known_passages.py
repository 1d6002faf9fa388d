"""Which passages are new to a collection, and under which key they are kept: each content once, and
keys unique; and ids of questions likewise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from gear_app.ingest.items import NewPassage, derived_key, fallback_ids
from gear_app.store.rows import text_hash
from gear_app.types import Passage, Question

K = TypeVar("K")
KeyT = TypeVar("KeyT", contravariant=True)
V = TypeVar("V")


class KeyValues(Protocol[KeyT, V]):
    """What is known by key; new things are put there."""

    def get(self, key: KeyT, /) -> V | None:
        """What is known, or None."""
        ...

    def __setitem__(self, key: KeyT, value: V, /) -> None: ...


class LookUp(Generic[K, V]):
    """What a store has under some keys, asked for at once, and what is put there since; it is asked
    for other keys one by one.
    """

    def __init__(
        self, find: Callable[[Sequence[K]], Mapping[K, V]], keys: Iterable[K] = ()
    ) -> None:
        """`find` gives what the store has under keys."""
        some = list(dict.fromkeys(keys))
        self._find = find
        self._known: dict[K, V | None] = {**dict.fromkeys(some), **find(some)}

    def get(self, key: K, /) -> V | None:
        """What is there now, or None."""
        if key not in self._known:
            self._known[key] = self._find([key]).get(key)
        return self._known[key]

    def __setitem__(self, key: K, value: V, /) -> None:
        self._known[key] = value


class Offer(NamedTuple):
    """A passage that is handed in: the key that it was given, the one that is made of its words
    where it was given none, and the hash of the words that are searched.
    """

    key: str | None
    derived: str
    hash: bytes


class Admission(NamedTuple):
    """What becomes of a passage: it is kept under this key, which is another than it came with
    where that has other content; or, where it is not `new`, it is the one with this key.
    """

    new: bool
    key: str


class KnownPassages:
    """The contents and keys that a collection has; also keys under which a content came again."""

    def __init__(self, hash_of: KeyValues[str, bytes], key_of_hash: KeyValues[bytes, str]) -> None:
        """The hash of every passage's words by its key and by its other ids, and its key by the
        hash; new ones are put there.
        """
        self._hash_of, self._key_of_hash = hash_of, key_of_hash

    def __contains__(self, key: str) -> bool:
        return self._hash_of.get(key) is not None

    def admit(self, offered: Offer, file: str) -> Admission:
        """What becomes of a passage of a file, which is known from then on."""
        same = self._key_of_hash.get(offered.hash)
        if same is not None:
            return Admission(new=False, key=same)
        key = next(key for key in _candidates(offered, file) if key not in self)
        self._hash_of[key], self._key_of_hash[offered.hash] = offered.hash, key
        return Admission(new=True, key=key)

    def name(self, id_: str, key: str) -> bool:
        """Whether the id is free, and means the passage with this key from then on."""
        hash_ = self._hash_of.get(key)
        if id_ in self or hash_ is None:
            return False
        self._hash_of[id_] = hash_
        return True


def question_id(question: Question, file: str, words: KeyValues[str, str]) -> str:
    """The id under which a question of a file is kept: another where its own has other words.
    `words` has those of every id that is taken, and this one's from then on.
    """
    asked = question.question
    candidates = itertools.chain([question.id], fallback_ids(question.id, file))
    id_ = next(id_ for id_ in candidates if words.get(id_) in (None, asked))
    words[id_] = asked
    return id_


def _candidates(offered: Offer, file: str) -> Iterator[str]:
    """Keys for a new passage, the best first."""
    if offered.key:
        return itertools.chain([offered.key], fallback_ids(offered.key, file))
    numbered = (f"{offered.derived}-{number}" for number in itertools.count(2))
    return itertools.chain([offered.derived], numbered)


def offer(passage: NewPassage) -> Offer:
    """A passage as it is handed in."""
    derived = "" if passage.key else derived_key(passage.title, passage.text)
    words = Passage(0, "", passage.title, passage.text).indexed
    return Offer(passage.key, derived, text_hash(words))
