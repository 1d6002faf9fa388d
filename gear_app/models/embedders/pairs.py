"""Cross-encoders: a question and a passage read together, as one text, and judged."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from gear_app.core.thread_context import check_stop
from gear_app.models.embedders.local import ModelFiles


class CrossEncoderModel:
    """A cross-encoder of sentence-transformers, as a folder or by its name on the hub."""

    def __init__(self, name: str) -> None:
        self._files = ModelFiles(name)
        self.name = self._files.name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, from 0 to 1, rounded to 1e-6: each pair by itself,
        since among longer ones it is padded, which moves the last digits. Raises ModelFailed where
        the model is not here, cannot be used, or gives more than one number a pair.
        """
        with self._files.explained():
            return [self._score(query, text) for text in texts]

    def _score(self, query: str, text: str) -> float:
        import torch

        check_stop()
        scores = self._model.predict(
            [(query, text)], show_progress_bar=False, activation_fn=torch.nn.Sigmoid()
        )
        if not math.isfinite(scores[0]):
            raise ValueError("its score is not finite")
        return round(float(scores[0]), 6)

    @functools.cached_property
    def _model(self) -> Any:  # noqa: ANN401
        return self._files.load(self._load)

    def _load(self, folder: str) -> Any:  # noqa: ANN401
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(folder, device="cpu", model_kwargs={"use_safetensors": True})
        if model.num_labels != 1:
            raise ValueError(f"it has {model.num_labels} numbers a pair, not one")
        return model


def cross_encoder(name: str) -> CrossEncoderModel:
    """The model of this name; the last one stays loaded, until its files are others. Raises
    ModelFailed where it is not here.
    """
    return _cross_encoder(name, ModelFiles(name).fingerprint)


@functools.lru_cache(maxsize=1)
def _cross_encoder(name: str, fingerprint: str) -> CrossEncoderModel:
    return CrossEncoderModel(name)
