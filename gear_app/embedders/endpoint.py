"""Texts to vectors by an OpenAI-compatible embeddings endpoint: the texts leave this machine, the
vectors come back.

No words are put before a text, as some models want them before queries or passages; what is too
long is the server's to cut or to refuse.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import openai

from gear_app.errors import ModelFailed
from gear_app.llm import transport
from gear_app.llm.failures import CallFailed
from gear_app.llm.request import Refused
from gear_app.llm.request_pool import Calls, Time
from gear_app.llm.response import Fault
from gear_app.llm.server import Server
from gear_app.seams import Vectors

BATCH = 16  # texts of a call: few servers take less, and a slice of the workspace's is four calls


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some texts whose vectors are asked for (calls.Work)."""

    server: Server
    texts: tuple[str, ...]

    async def attempt(self, speaker: openai.AsyncOpenAI, refused: Refused) -> Vectors | Fault:
        return await transport.vectors(speaker, self.server, self.texts)

    def less(self, refused: Refused, words: str) -> None:
        """Nothing is asked for that can be left out."""


class EndpointEmbedder:
    """An embedding model behind a server (seams.Embedder). Use it from one thread at a time, and
    close it.
    """

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        kept: Callable[[str], int | None] = lambda fingerprint: None,
        time: Time | None = None,
    ) -> None:
        """`check` raises where somebody asked to stop; `kept` is the length of vectors kept from
        before, if any are.
        """
        self.name, self.fingerprint = server.model, f"{server.model} at {server.base_url}"
        self._server, self._kept = server, kept
        self._calls = Calls(server, check, time)
        self.close = weakref.finalize(
            self, self._calls.close
        )  # when nobody has it any more, at the latest
        self._dimensions: int | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised; d is what the server gives, and always the same.

        No texts: where d is not known yet, the server is asked for one vector. Raises CallFailed
        with the server's own words, ModelFailed where d has changed, or what the check raises.
        """
        if not texts:
            return np.zeros((0, self._known() or self.embed(["length"]).shape[1]), np.float32)
        words = [_sent(text) for text in texts]
        batches = [
            _Batch(self._server, tuple(words[n : n + BATCH])) for n in range(0, len(words), BATCH)
        ]
        found: dict[int, Vectors] = {}
        for position, outcome in self._calls.all(batches, lambda n, done: done.value):
            if isinstance(outcome, CallFailed):
                raise outcome
            found[position] = self._checked(outcome)
        return np.concatenate([found[position] for position in range(len(batches))])

    def _checked(self, vectors: Vectors) -> Vectors:
        before, now = self._known(), vectors.shape[1]
        if before is not None and now != before:
            raise ModelFailed(
                f"The model server at {self._server.base_url} gives vectors of {now:,} numbers for"
                f" '{self.name}', and gave {before:,} before: it is another model now. Bring back"
                " the one before, or give the new one another name there."
            )
        self._dimensions = now
        return vectors

    def _known(self) -> int | None:
        """The length of a vector, where one was seen."""
        if self._dimensions is None:
            self._dimensions = self._kept(self.fingerprint)
        return self._dimensions


def _sent(text: str) -> str:
    """The text as it is sent: servers refuse blank ones and halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else "-"
