"""An embedder that keeps vectors, and one for a model that is not here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gear_app.core.errors import NotReady
from gear_app.core.protocols import Embedder, TokenVectors, Vectors
from gear_app.core.text import cut
from gear_app.core.threads import check_stop, load_timer

ENCODED_AT_ONCE = 64  # texts between two looks whether to stop
QUERY = " query="  # in a fingerprint: what follows comes before a query
MOST_TEXTS = 50_000  # texts whose vectors are kept in memory: of 384 dimensions 77 MB
MOST_TOKENS = 1_000  # texts whose words are kept in memory: of 100 words each 150 MB
EXCERPT = 60  # characters of a text in a message
NOT_SENT = "Nothing was sent to its server, which only a new run asks."


class CachedEmbedder:
    """An embedder that encodes no text twice, and what is new in slices, so that a request to stop
    is heeded in between (protocols.Embedder).
    """

    def __init__(self, inner: Embedder, stored: Callable[[], Any] | None = None) -> None:
        """`inner` is for texts that need not be kept in memory. `stored` gives the calling thread's
        store.embeddings: a connection is not shared. None: vectors are kept in memory alone.
        """
        self.inner, self._stored = inner, stored
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.query_prefix = inner.query_prefix
        self._vectors: dict[str, Vectors] = {}
        self._tokens: dict[tuple[str, bool], TokenVectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised, in the order of `texts`. Raises what the thread's
        check raises (cancellation).
        """
        if not texts:
            return self.inner.embed([])
        vectors = {text: self._vectors[text] for text in texts if text in self._vectors}
        if self._stored and (missing := _missing(texts, vectors)):
            vectors |= self._stored().get_many(self.fingerprint, missing)
        if missing := _missing(texts, vectors):
            with load_timer():  # whoever needs them next has them: the time is not one question's
                encoded = dict(zip(missing, self._encode(missing), strict=True))
            if self._stored:
                self._stored().put_many(self.fingerprint, encoded)
            vectors |= encoded
        self._vectors |= vectors
        _drop_oldest(self._vectors, MOST_TEXTS)
        return np.stack([vectors[text] for text in texts])

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words; those of the last texts are kept in memory."""
        tokens = []
        for text in texts:
            if (text, query) not in self._tokens:
                check_stop()
                with load_timer():
                    (self._tokens[text, query],) = self.inner.tokens([text], query=query)
            tokens.append(self._tokens[text, query])
        _drop_oldest(self._tokens, MOST_TOKENS)
        return tokens

    def _encode(self, texts: Sequence[str]) -> Iterator[Vectors]:
        for start in range(0, len(texts), ENCODED_AT_ONCE):
            check_stop()
            yield from self.inner.embed(texts[start : start + ENCODED_AT_ONCE])


def _missing(texts: Sequence[str], vectors: Mapping[str, Vectors]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text not in vectors]


def _drop_oldest(values: dict[Any, Any], size: int) -> None:
    for key in list(values)[: max(0, len(values) - size)]:
        values.pop(key, None)


class AbsentEmbedder:
    """A model that is not here, or not to be asked: a cache with its stored vectors around it is
    enough to replay a run (protocols.Embedder).
    """

    def __init__(self, fingerprint: str, dimensions: Callable[[str], int | None]) -> None:
        """`dimensions` gives how many numbers a stored vector has; None where none is stored."""
        self.name = self.fingerprint = fingerprint
        self.query_prefix = fingerprint.partition(QUERY)[2]
        self._dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """No vectors for no texts; raises NotReady for others."""
        if texts:
            raise NotReady(
                f"The embedding model {self.fingerprint} is needed: no vector of"
                f" {cut(texts[0], EXCERPT)!r} is stored. {NOT_SENT}"
            )
        return np.zeros((0, self._dimensions(self.fingerprint) or 0), np.float32)

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """There are none: a workspace keeps no vectors of words. Raises NotReady."""
        raise NotReady(
            f"The embedding model {self.fingerprint} is needed: its vectors of words are not kept."
        )
