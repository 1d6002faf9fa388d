"""Which passages are new to a collection, and under which key they are kept: each content once, and
keys unique.
"""

from __future__ import annotations

import itertools
from collections.abc import MutableMapping
from typing import Literal, NamedTuple

from gear_app.ingest import NewPassage, derived_key
from gear_app.store.rows import text_hash
from gear_app.types import Passage


class Offer(NamedTuple):
    """A passage that is handed in: the key that it was given, the one that is made of its words
    where it was given none, and the hash of the words that are searched.
    """

    key: str | None
    derived: str
    hash: bytes


class Admission(NamedTuple):
    """What becomes of a passage: `new` under this key; `same` as the one with this key, or an
    `alias` of it, where it came with another key; or a `clash`, since this key has other content.
    """

    state: Literal["new", "same", "alias", "clash"]
    key: str


class KnownPassages:
    """The contents and keys that a collection has."""

    def __init__(
        self, hash_of: MutableMapping[str, bytes], key_of_hash: MutableMapping[bytes, str]
    ) -> None:
        """The hash of every passage's words by its key, and the other way round; new ones are put
        there.
        """
        self._hash_of, self._key_of_hash = hash_of, key_of_hash

    def admit(self, offered: Offer) -> Admission:
        """What becomes of a passage, which is known from then on."""
        same = self._key_of_hash.get(offered.hash)
        if same is not None:
            named = bool(offered.key) and offered.key not in self._hash_of
            return Admission("alias" if named else "same", same)
        key = offered.key or self._free(offered.derived)
        if key in self._hash_of:
            return Admission("clash", key)
        self._hash_of[key], self._key_of_hash[offered.hash] = offered.hash, key
        return Admission("new", key)

    def _free(self, key: str) -> str:
        """The key, or the key with the first number that makes it new."""
        candidates = itertools.chain([key], (f"{key}-{n}" for n in itertools.count(2)))
        return next(candidate for candidate in candidates if candidate not in self._hash_of)


def offer(passage: NewPassage) -> Offer:
    """A passage as it is handed in."""
    derived = "" if passage.key else derived_key(passage.title, passage.text)
    words = Passage(0, "", passage.title, passage.text).indexed
    return Offer(passage.key, derived, text_hash(words))
