"""Texts to vectors: local models, an endpoint, caches; here, which of them the environment chooses.

Nothing heavy is imported before its use.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from gear_app.core.config import NO_MODEL
from gear_app.core.errors import NotReady, Unknown
from gear_app.core.protocols import Embedder
from gear_app.models.embedders.graph_model import NO_WEIGHTS
from gear_app.models.embedders.local import HashingEmbedder, LocalModel, MiniLM, SentenceModel
from gear_app.models.server import embedding_server

VARIABLE = "GEAR_EMBEDDER"
BUNDLED, HASHING, ENDPOINT, SENTENCES = "minilm", "hashing", "openai", "sentence-transformers"
LATE = "colbert"  # a multi-vector model, beside the bundled one for all but words
PAPERS = f"{SENTENCES}:all-mpnet-base-v2"  # GEAR App. B.1
ALWAYS_HERE = frozenset({BUNDLED, HASHING})  # kinds that come with the application
FORMS = (BUNDLED, HASHING, f"{ENDPOINT}:MODEL", f"{SENTENCES}:NAME", f"{LATE}:NAME")
# The models that every installation has: whatever they gave, they give again anywhere.
COME_ALONG = frozenset({MiniLM.fingerprint, HashingEmbedder().fingerprint})


def embedder_choice(words: str = "") -> tuple[str, str]:
    """The kind of embedder that these words or else `GEAR_EMBEDDER` name, and its model or "".
    Raises Unknown.
    """
    value = words.strip() or os.environ.get(VARIABLE, "").strip() or BUNDLED
    kind, _, model = value.partition(":")
    has_model, needs_model = bool(model), kind in (ENDPOINT, SENTENCES, LATE)
    if has_model != needs_model or not (needs_model or kind in (BUNDLED, HASHING)):
        raise Unknown("embedder", value, FORMS)
    return kind, model


def check_embedder(words: str) -> None:
    """Raise Unknown, NotReady or ModelFailed where the embedder that these words name is not to be
    had here. Nothing is loaded or asked.
    """
    kind, model = embedder_choice(words)
    if kind == ENDPOINT:
        embedding_server(model)
    elif kind in (SENTENCES, LATE):
        _ = LocalModel(model).folder


def check_setting(setting: str, model: Any) -> None:  # noqa: ANN401
    """Raise NotReady or ModelFailed where a method's setting names a model that is not here."""
    if setting == "weights" and model in NO_MODEL:
        raise NotReady(NO_WEIGHTS)
    if setting in ("weights", "cross_encoder") and model not in NO_MODEL:
        _ = LocalModel(model).folder


def make_embedder(
    check: Callable[[], None],
    dimensions: Callable[[str], int | None],
    device: str = "cpu",
    words: str = "",
) -> Embedder:
    """The embedder that these words or else `GEAR_EMBEDDER` name; nothing is loaded or asked yet.

    `device` is where a local model computes, as torch names it; `check` and `dimensions` as for
    EndpointEmbedder. Raises Unknown, or NotReady where its server is not configured.
    """
    kind, model = embedder_choice(words)
    if kind == HASHING:
        return HashingEmbedder()
    if kind == ENDPOINT:
        from gear_app.models.embedders.endpoint import EndpointEmbedder

        return EndpointEmbedder(embedding_server(model), check, dimensions)
    # Threads of OpenMP that wait by spinning cost four fifths of the speed where cores are shared
    # with other work. It is read once, when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if kind == LATE:
        from gear_app.models.embedders.interaction import LateEmbedder

        return LateEmbedder(model, device)
    return MiniLM(device) if kind == BUNDLED else SentenceModel(model, device)


def describe_embedder() -> str:
    """The embedder that `GEAR_EMBEDDER` names, for a person. Raises as `make_embedder` does."""
    kind, model = embedder_choice()
    if kind == ENDPOINT:
        return f"{model} at {embedding_server(model).base_url}"
    return {
        BUNDLED: f"{MiniLM.name}, which comes with the application",
        HASHING: "hashed words, for tests",
        SENTENCES: f"{model}, by sentence-transformers",
        LATE: f"{MiniLM.name}, and {model} for words",
    }[kind]
