"""Models that compare a question with a passage word by word: multi-vector models (ColBERT), with a
vector for each word, trained for late interaction; and cross-encoders, which read both as one text.

Each text is encoded by itself: among longer ones it is padded, which moves the last digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import TokenVectors
from gear_app.core.threads import check_stop
from gear_app.models.embedders.local import SAFELY, LocalModel, MiniLM, token_row

LATE = ("MultiVectorMask", "pylate", "HF_ColBERT")  # in the settings of models made for it


class MultiVectorModel(LocalModel):
    """A model with a vector for each word."""

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words as the model was trained: special ones among them.
        Raises ModelFailed where it cannot be used, or is no such model.
        """
        with self.explained():
            encode = self.model.encode_query if query else self.model.encode_document
            return [token_row(self.model, encode([text], output_value=None)[0]) for text in texts]

    def load(self, folder: str) -> Any:  # noqa: ANN401
        """Load it. Any model would load, with a layer of random numbers on top: raises ModelFailed
        for one that was not made for this.
        """
        from sentence_transformers import MultiVectorEncoder

        settings = [self.folder / name for name in ("modules.json", "config.json")]
        text = "".join(file.read_text(encoding="utf-8") for file in settings if file.is_file())
        if not any(word in text for word in LATE):
            raise ModelFailed(
                f"{self.name!r} has one vector a text, not one a word. Name it as"
                " sentence-transformers:NAME, or a ColBERT model as colbert:NAME."
            )
        return MultiVectorEncoder(folder, device=self._device, model_kwargs=SAFELY)


class LateEmbedder(MiniLM):
    """The bundled embedder, whose vectors of words are another model's (protocols.Embedder)."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        """`name` is that of the model of words."""
        super().__init__(device)
        self._late = MultiVectorModel(name, device)

    @property
    def late_fingerprint(self) -> str:
        """Hash of the files of the model of words. Raises ModelFailed where it is not here."""
        return self._late.fingerprint

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """Vectors of words by the multi-vector model."""
        return self._late.tokens(texts, query=query)


class CrossEncoderModel(LocalModel):
    """A cross-encoder of sentence-transformers."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, from 0 to 1, rounded to 1e-6. Raises ModelFailed
        where the model is not here, cannot be used, or gives more than one number a pair.
        """
        import torch

        scores: list[float] = []
        with self.explained():
            for text in texts:
                check_stop()
                (score,) = self.model.predict(
                    [(query, text)], show_progress_bar=False, activation_fn=torch.nn.Sigmoid()
                )
                if not math.isfinite(score):
                    raise ValueError("its score is not finite")
                scores.append(round(float(score), 6))
        return scores

    def load(self, folder: str) -> Any:  # noqa: ANN401
        """Load it. Raises ValueError for more than one number a pair."""
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(folder, device="cpu", model_kwargs=SAFELY)
        if model.num_labels != 1:
            raise ValueError(f"it has {model.num_labels} numbers a pair, not one")
        return model
