"""Any sentence-transformers model, by its name on the hub or as a folder.

Weights are read as safetensors alone, and no code that comes with a model is run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gear_app.embedders.load_time import loading
from gear_app.errors import ModelFailed
from gear_app.seams import Vectors

OWNER = "sentence-transformers"  # of names without one
# What vectors depend on: settings, words, weights.
_HASHED = (".json", ".txt", ".model", ".safetensors")
_BATCH = 32
HUB_S = 10.0


class SentenceModel:
    """A model of that library (seams.Embedder), loaded when first needed.

    What is longer than it can read is cut.
    """

    def __init__(self, name: str) -> None:
        """`name` is a folder, or a model's name as on the hub. Nothing is loaded yet."""
        self._folder = Path(name).expanduser()
        self._is_folder = self._folder.is_dir()
        if self._is_folder:
            self.name = self._folder.absolute().name
        else:
            self.name = name if "/" in name else f"{OWNER}/{name}"
        self._model: Any = None
        self._fingerprint = ""

    @property
    def fingerprint(self) -> str:
        """The hash of the folder's settings and weights, or the model's name and revision.

        Of a model that is not in the cache the hub is asked for the revision. Raises ModelFailed.
        """
        if not self._fingerprint:
            if self._is_folder:
                self._fingerprint = f"{self.name}:{_hash(self._folder)[:12]}"
            else:
                self._fingerprint = f"{self.name}@{self._revision()[:12]}"
        return self._fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised. Raises ModelFailed where it cannot be loaded."""
        if self._model is None:
            with loading():
                self._model = self._load()
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension()), np.float32)
        return encode(self._model, texts)

    def _load(self) -> Any:  # noqa: ANN401
        try:
            if self._is_folder:
                return load_model(str(self._folder))
            revision = self._revision()
            try:  # what was downloaded once is not looked up again: it is the same offline
                return load_model(self.name, revision=revision, local_files_only=True)
            except (OSError, ValueError):  # only a part of it is there
                return load_model(self.name, revision=revision)
        except (OSError, ValueError, RuntimeError, ImportError, KeyError) as error:
            where = f"in the folder {self._folder}" if self._is_folder else f"{self.name!r}"
            why = " ".join(str(error).split())[:200]
            raise ModelFailed(
                f"The embedding model {where} could not be loaded; it must be one of"
                " sentence-transformers, with safetensors and without code of its own"
                f" ({type(error).__name__}: {why})"
            ) from error

    def _revision(self) -> str:
        from huggingface_hub import HfApi

        cached = _cached_revision(self.name)
        if cached:
            return cached
        try:
            return str(HfApi().model_info(self.name, timeout=HUB_S).sha)
        except Exception as error:  # also what the hub's client lets through of its HTTP library
            raise ModelFailed(
                f"The embedding model {self.name!r} is neither a folder nor in the cache here, and"
                f" the hub does not have it or cannot be reached ({type(error).__name__}). Set"
                " GEAR_EMBEDDER=sentence-transformers:NAME to another, or leave it unset for the"
                " bundled model."
            ) from error


def load_model(name: str, **options: Any) -> Any:  # noqa: ANN401
    """A model of the library on the CPU; importing it takes seconds. Raises what it raises."""
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    kwargs = {"use_safetensors": True}
    return SentenceTransformer(name, device="cpu", model_kwargs=kwargs, **options)


def encode(model: Any, texts: Sequence[str]) -> Vectors:  # noqa: ANN401
    """(n, d) float32, rows L2-normalised."""
    vectors = model.encode(
        list(texts),
        batch_size=_BATCH,
        normalize_embeddings=True,
        show_progress_bar=False,
        convert_to_numpy=True,
    )
    return np.asarray(vectors, dtype=np.float32)


def _cached_revision(name: str) -> str:
    """The revision of a model that is in the library's cache; "" where it is not."""
    from huggingface_hub import try_to_load_from_cache

    folder = os.environ.get("SENTENCE_TRANSFORMERS_HOME") or None
    for file in ("modules.json", "config.json"):
        try:
            path = try_to_load_from_cache(name, file, cache_dir=folder)
        except ValueError:  # no name that a model can have
            return ""
        if isinstance(path, str):
            return Path(path).parent.name
    return ""


def _hash(folder: Path) -> str:
    """Of all that the vectors depend on, whatever the folder is called."""
    digest = hashlib.sha256()
    for file in _hashed_files(folder):
        digest.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as opened:
            while part := opened.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()


def _hashed_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix in _HASHED and file.is_file() and not hidden:
            yield file
