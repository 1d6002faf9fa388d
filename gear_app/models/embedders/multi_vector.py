"""Multi-vector models (ColBERT): a vector for each word, trained for late interaction.

Each text is encoded by itself: among longer ones it is padded, which moves the last digits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Embedder, TokenVectors, Vectors
from gear_app.models.embedders.local import ModelFiles, token_row

LATE = ("MultiVectorMask", "pylate", "HF_ColBERT")  # in the settings of models made for it


class MultiVectorModel:
    """A model with a vector for each word, as a folder or by its name on the hub."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._files, self._device = ModelFiles(name), device

    @functools.cached_property
    def _model(self) -> Any:  # noqa: ANN401
        with self._files.explained():
            self._check()
        return self._files.load(self._load)

    @property
    def fingerprint(self) -> str:
        """Hash of its files. Raises ModelFailed where it is not here."""
        return self._files.fingerprint

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words as the model was trained: special ones among them.
        Raises ModelFailed where it cannot be used, or is no such model.
        """
        with self._files.explained():
            encode = self._model.encode_query if query else self._model.encode_document
            return [token_row(self._model, encode([text], output_value=None)[0]) for text in texts]

    def _check(self) -> None:
        """Any model would load, with a layer of random numbers on top."""
        for name in ("modules.json", "config.json"):
            file = self._files.folder / name
            if file.is_file() and any(word in file.read_text(encoding="utf-8") for word in LATE):
                return
        raise ModelFailed(
            f"{self._files.name!r} has one vector a text, not one a word. Name it as"
            " sentence-transformers:NAME, or a ColBERT model as colbert:NAME."
        )

    def _load(self, folder: str) -> Any:  # noqa: ANN401
        from sentence_transformers import MultiVectorEncoder

        return MultiVectorEncoder(
            folder, device=self._device, model_kwargs={"use_safetensors": True}
        )


class LateEmbedder:
    """An embedder whose vectors of words are another model's (protocols.Embedder)."""

    def __init__(self, inner: Embedder, late: MultiVectorModel) -> None:
        """All but the words is as `inner` has it, its fingerprint too."""
        self._inner, self._late = inner, late
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.query_prefix = inner.query_prefix
        self.late_fingerprint = late.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `inner`."""
        return self._inner.embed(texts)

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """Vectors of words by the multi-vector model."""
        return self._late.tokens(texts, query=query)
