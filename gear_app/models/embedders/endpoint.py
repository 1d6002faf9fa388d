"""Texts to vectors by an OpenAI-compatible embeddings endpoint: the texts leave this machine.

No words are put before a text, as some models want them before queries or passages; what is too
long is the server's to cut or to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gear_app.core.errors import ModelFailed, NotReady
from gear_app.core.protocols import TokenVectors, Vectors
from gear_app.core.text import storable
from gear_app.models.client import ModelClient
from gear_app.models.server import Server

BATCH = (
    16  # texts of a call: a server that takes fewer is sent half; a slice of the workspace is four
)


class EndpointEmbedder:
    """An embedding model behind a server (protocols.Embedder). One thread at a time; close it."""

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        dimensions: Callable[[str], int | None] = lambda fingerprint: None,
    ) -> None:
        """`check` raises where somebody asked to stop.

        `dimensions` gives the length of stored vectors, by fingerprint; None where there are none.
        """
        self.name, self.fingerprint = server.model, f"{server.model} at {server.base_url}"
        self.query_prefix = ""
        self._server, self._stored_dimensions = server, dimensions
        self._client = ModelClient(server, check)
        self.close = self._client.close
        self._dimensions: int | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised; d is what the server gives, and always the same.

        No texts: where d is not known yet, the server is asked for one vector. Raises CallFailed
        with the server's own words, ModelFailed where d has changed, or what the check raises.
        """
        if not texts:
            dimensions = self._known_dimensions() or self.embed(["length"]).shape[1]
            return np.zeros((0, dimensions), np.float32)
        # Servers refuse blank texts and halves of characters.
        sent = [storable(text) if text.strip() else "-" for text in texts]
        parts = self._client.embed(sent, BATCH)
        return np.concatenate([self._check_dimensions(part) for part in parts])

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """A server gives one vector a text. Raises NotReady."""
        raise NotReady(
            f"{self.name} gives no vectors of words, being behind a server. Choose an encoder on"
            " this machine, as embedder=minilm."
        )

    def _check_dimensions(self, vectors: Vectors) -> Vectors:
        before, now = self._known_dimensions(), vectors.shape[1]
        if before and now != before:
            raise ModelFailed(
                f"The model server at {self._server.base_url} gives vectors of {now:,} numbers for"
                f" '{self.name}', and gave {before:,} before: it is another model now. Bring back"
                " the one before, or give the new one another name there."
            )
        self._dimensions = now
        return vectors

    def _known_dimensions(self) -> int | None:
        return self._dimensions or self._stored_dimensions(self.fingerprint)
