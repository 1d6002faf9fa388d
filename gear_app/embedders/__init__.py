"""Texts to vectors: local models, an endpoint, caches; here, which of them the environment chooses.

Nothing heavy is imported before its use.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from gear_app.embedders.local import HashingEmbedder, MiniLM, SentenceModel
from gear_app.errors import Unknown
from gear_app.llm.environment import embedding_server
from gear_app.seams import Embedder

VARIABLE = "GEAR_EMBEDDER"
BUNDLED, HASHING, ENDPOINT, SENTENCES = "minilm", "hashing", "openai", "sentence-transformers"
PAPERS = f"{SENTENCES}:all-mpnet-base-v2"  # GEAR App. B.1
FORMS = (BUNDLED, HASHING, f"{ENDPOINT}:MODEL", f"{SENTENCES}:NAME")
# The models that every installation has: whatever they gave, they give again anywhere.
COME_ALONG = frozenset({MiniLM.fingerprint, HashingEmbedder().fingerprint})


def embedder_choice() -> tuple[str, str]:
    """The kind of embedder that `GEAR_EMBEDDER` names, and its model or "". Raises Unknown."""
    value = os.environ.get(VARIABLE, "").strip() or BUNDLED
    kind, _, model = value.partition(":")
    has_model, needs_model = bool(model), kind in (ENDPOINT, SENTENCES)
    if has_model != needs_model or not (needs_model or kind in (BUNDLED, HASHING)):
        raise Unknown("embedder", value, FORMS)
    return kind, model


def make_embedder(
    check: Callable[[], None],
    dimensions: Callable[[str], int | None],
    device: str = "cpu",
) -> Embedder:
    """The embedder that `GEAR_EMBEDDER` names; nothing is loaded or asked yet.

    `device` is where a local model computes, as torch names it; `check` and `dimensions` as for
    EndpointEmbedder. Raises Unknown, or NotReady where its server is not configured.
    """
    kind, model = embedder_choice()
    if kind == HASHING:
        return HashingEmbedder()
    if kind == ENDPOINT:
        from gear_app.embedders.endpoint import EndpointEmbedder

        return EndpointEmbedder(embedding_server(model), check, dimensions)
    # Threads of OpenMP that wait by spinning cost four fifths of the speed where cores are shared
    # with other work. It is read once, when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return MiniLM(device) if kind == BUNDLED else SentenceModel(model, device)


def describe_embedder() -> str:
    """The embedder that `GEAR_EMBEDDER` names, for a person. Raises as `make_embedder` does."""
    kind, model = embedder_choice()
    if kind == ENDPOINT:
        server = embedding_server(model)
        return f"{model} at {server.base_url}, {'with a key' if server.key else 'without a key'}"
    if kind == SENTENCES:
        return f"{model}, by sentence-transformers"
    if kind == HASHING:
        return "hashed words, for tests"
    return f"{MiniLM.name}, which comes with the application"
