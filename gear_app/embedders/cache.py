"""Embedders around an embedder: cached vectors, work in slices, and stored vectors alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from gear_app.errors import NotReady
from gear_app.seams import Embedder, TokenVectors, Vectors
from gear_app.text import cut
from gear_app.thread_context import check_stop, load_timer

ENCODED_AT_ONCE = 64  # texts between two looks whether to stop
QUERY = " query="  # in a fingerprint: what follows comes before a query
MOST_TOKENS = 1_000  # texts whose words are kept in memory: of 100 words each 150 MB
EXCERPT = 60  # characters of a text in a message
UNASKED = "Nothing was sent to its server, which only a new run asks."


class VectorCache(Protocol):
    """Where vectors are kept, by the embedder's fingerprint and the text."""

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors it has, by text."""
        ...

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these."""
        ...


class MemoryCache:
    """Vectors in a dict, at most `size` of them; the oldest go first."""

    def __init__(self, size: int = 50_000) -> None:
        """`size` is a number of texts; 50 000 vectors of 384 dimensions are 77 MB."""
        self._size = size
        self._vectors: dict[tuple[str, str], Vectors] = {}

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors it has, by text."""
        vectors = ((text, self._vectors.get((fingerprint, text))) for text in texts)
        return {text: vector for text, vector in vectors if vector is not None}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, and forget the oldest where there are too many."""
        self._vectors.update({(fingerprint, text): vector for text, vector in vectors.items()})
        for key in list(self._vectors)[: max(0, len(self._vectors) - self._size)]:
            del self._vectors[key]


class StoredVectors:
    """A workspace's vectors as a cache, on whichever thread asks."""

    def __init__(self, cache: Callable[[], VectorCache]) -> None:
        """`cache` gives that of the calling thread: a database connection is not shared."""
        self._cache = cache

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors it has, by text."""
        return self._cache().get_many(fingerprint, texts)

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these."""
        self._cache().put_many(fingerprint, vectors)


class CachedEmbedder:
    """An embedder that encodes no text twice: what the caches lack goes into all of them."""

    def __init__(self, inner: Embedder, *caches: VectorCache) -> None:
        """`caches` are asked in order, quickest first; none means one in memory."""
        self._inner = inner
        self._caches = caches or (MemoryCache(),)
        self.name = inner.name
        self.fingerprint = inner.fingerprint
        self.query_prefix = inner.query_prefix
        self._tokens: dict[tuple[str, bool], TokenVectors] = {}
        self.encoded = 0  # texts so far that no cache had

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised, in the order of `texts`."""
        known: dict[str, Vectors] = {}
        for cache in self._caches:
            missing = [text for text in dict.fromkeys(texts) if text not in known]
            known.update(cache.get_many(self.fingerprint, missing) if missing else {})
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        with load_timer():  # whoever needs them next has them: it is nobody's own time
            fresh = dict(zip(missing, self._inner.embed(missing), strict=True)) if missing else {}
        known.update(fresh)
        self.encoded += len(fresh)
        for cache in self._caches:
            cache.put_many(self.fingerprint, fresh if cache is not self._caches[0] else known)
        return np.stack([known[text] for text in texts]) if texts else self._inner.embed([])

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words; those of the last texts are kept in memory."""
        found = []
        for text in texts:
            one = self._tokens.get((text, query))
            if one is None:
                with load_timer():
                    (one,) = self._inner.tokens([text], query=query)
                self._tokens[text, query] = one
            found.append(one)
        for key in list(self._tokens)[: max(0, len(self._tokens) - MOST_TOKENS)]:
            self._tokens.pop(key, None)
        return found


class SlicedEmbedder:
    """An embedder that encodes in slices, so that a request to stop is heeded in between."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.query_prefix = inner.query_prefix

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the embedder inside. Raises what the thread's check raises (cancellation)."""
        slices = []
        for start in range(0, max(1, len(texts)), ENCODED_AT_ONCE):
            check_stop()
            slices.append(self._inner.embed(texts[start : start + ENCODED_AT_ONCE]))
        return np.concatenate(slices)

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """As the embedder inside. Raises what the thread's check raises."""
        check_stop()
        return self._inner.tokens(texts, query=query)


class OfflineEmbedder:
    """The stored vectors of a model that is not here, or not to be asked: enough to replay a run
    (seams.Embedder).
    """

    def __init__(
        self,
        fingerprint: str,
        cache: VectorCache,
        dimensions: Callable[[str], int | None],
    ) -> None:
        """`dimensions` gives how many numbers a vector has; None where none is stored."""
        self.name = self.fingerprint = fingerprint
        self.query_prefix = fingerprint.partition(QUERY)[2]
        self._cache, self._dimensions = cache, dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised. Raises NotReady where a text has no stored vector."""
        if not texts:
            return np.zeros((0, self._dimensions(self.fingerprint) or 0), np.float32)
        vectors = self._cache.get_many(self.fingerprint, texts)
        missing = next((text for text in texts if text not in vectors), None)
        if missing is not None:
            raise NotReady(
                f"The embedding model {self.fingerprint} is needed: no vector of"
                f" {cut(missing, EXCERPT)!r} is stored. {UNASKED}"
            )
        return np.stack([vectors[text] for text in texts])

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """There are none: a workspace keeps no vectors of words. Raises NotReady."""
        raise NotReady(
            f"The embedding model {self.fingerprint} is needed: its vectors of words are not kept."
        )
