"""An embedding model that is not here, as far as its vectors were kept: enough to make a run
again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gear_app.embedders.builtin import VectorCache
from gear_app.errors import NotReady
from gear_app.seams import Vectors
from gear_app.text import cut

SHOWN = 60  # characters of a text in a message


class Recalled:
    """The vectors that a model gave (seams.Embedder); nothing is encoded."""

    def __init__(
        self, fingerprint: str, kept: VectorCache, length: Callable[[], int | None]
    ) -> None:
        """`kept` has the vectors, `length` how many numbers one has, if there is any."""
        self.name = self.fingerprint = fingerprint
        self._kept, self._length = kept, length

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised. Raises NotReady for a text whose vector was not
        kept.
        """
        found = self._kept.get_many(self.fingerprint, texts)
        for text in texts:
            if text not in found:
                raise NotReady(
                    f"The embedding model {self.fingerprint} is needed, since it gave no vector of"
                    f" {cut(text, SHOWN)!r} that was kept. Name that model in GEAR_EMBEDDER."
                )
        return (
            np.stack([found[text] for text in texts])
            if texts
            else np.zeros((0, self._length() or 0), np.float32)
        )
