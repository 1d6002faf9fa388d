"""Texts to vectors by an OpenAI-compatible embeddings endpoint: the texts leave this machine.

No words are put before a text, as some models want them before queries or passages; what is too
long is the server's to cut or to refuse.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import openai

from gear_app.errors import ModelFailed, NotReady
from gear_app.llm import transport
from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Unsupported
from gear_app.llm.request_pool import RequestPool, TimeSource
from gear_app.llm.response import Fault
from gear_app.llm.server import Server
from gear_app.seams import TokenVectors, Vectors

BATCH = 16  # texts of a call: few servers take less, and a slice of the workspace's is four calls


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some texts whose vectors are asked for (request_pool.Call)."""

    server: Server
    texts: tuple[str, ...]

    async def attempt(
        self, client: openai.AsyncOpenAI, unsupported: Unsupported
    ) -> Vectors | Fault:
        return await transport.embed(client, self.server, self.texts)

    def add_unsupported(self, unsupported: Unsupported, message: str) -> None:
        """Nothing is sent that can be left out."""


class EndpointEmbedder:
    """An embedding model behind a server (seams.Embedder). One thread at a time; close it."""

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        dimensions: Callable[[str], int | None] = lambda fingerprint: None,
        time: TimeSource | None = None,
    ) -> None:
        """`check` raises where somebody asked to stop.

        `dimensions` gives the length of stored vectors, by fingerprint; None where there are none.
        """
        self.name, self.fingerprint = server.model, f"{server.model} at {server.base_url}"
        self.query_prefix = ""
        self._server, self._stored_dimensions = server, dimensions
        self._pool = RequestPool(server, check, time)
        # When nobody has it any more, at the latest.
        self.close = weakref.finalize(self, self._pool.close)
        self._dimensions: int | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised; d is what the server gives, and always the same.

        No texts: where d is not known yet, the server is asked for one vector. Raises CallFailed
        with the server's own words, ModelFailed where d has changed, or what the check raises.
        """
        if not texts:
            dimensions = self._known_dimensions() or self.embed(["length"]).shape[1]
            return np.zeros((0, dimensions), np.float32)
        sent = [_sendable(text) for text in texts]
        batches = [
            _Batch(self._server, tuple(sent[n : n + BATCH])) for n in range(0, len(sent), BATCH)
        ]
        vectors: dict[int, Vectors] = {}
        for position, outcome in self._pool.run_all(batches, lambda n, result: result.value):
            if isinstance(outcome, CallFailed):
                raise outcome
            vectors[position] = self._check_dimensions(outcome)
        return np.concatenate([vectors[position] for position in range(len(batches))])

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """A server gives one vector a text. Raises NotReady."""
        raise NotReady(
            f"{self.name} gives no vectors of words, being behind a server. Choose an encoder on"
            " this machine, as embedder=minilm."
        )

    def _check_dimensions(self, vectors: Vectors) -> Vectors:
        before, now = self._known_dimensions(), vectors.shape[1]
        if before is not None and now != before:
            raise ModelFailed(
                f"The model server at {self._server.base_url} gives vectors of {now:,} numbers for"
                f" '{self.name}', and gave {before:,} before: it is another model now. Bring back"
                " the one before, or give the new one another name there."
            )
        self._dimensions = now
        return vectors

    def _known_dimensions(self) -> int | None:
        if self._dimensions is None:
            self._dimensions = self._stored_dimensions(self.fingerprint)
        return self._dimensions


def _sendable(text: str) -> str:
    """The text as it is sent: servers refuse blank ones and halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else "-"
