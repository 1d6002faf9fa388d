"""Which embedder the environment chooses. Nothing heavy is imported before its use."""

from __future__ import annotations

import os
from collections.abc import Callable

from gear_app.embedders.builtin import HashingEmbedder, MiniLM
from gear_app.embedders.sentence_transformer import SentenceModel
from gear_app.errors import Unknown
from gear_app.llm.environment import embedding_server
from gear_app.seams import Embedder

VARIABLE = "GEAR_EMBEDDER"
BUNDLED, HASHING, ENDPOINT, SENTENCES = "minilm", "hashing", "openai", "sentence-transformers"
FORMS = (BUNDLED, HASHING, f"{ENDPOINT}:MODEL", f"{SENTENCES}:NAME")


def chosen() -> tuple[str, str]:
    """The kind of embedder that `GEAR_EMBEDDER` names, and its model where it names one. Raises
    Unknown.
    """
    said = os.environ.get(VARIABLE, "").strip() or BUNDLED
    kind, _, model = said.partition(":")
    if (kind in (ENDPOINT, SENTENCES)) != bool(model) or kind not in (
        BUNDLED,
        HASHING,
        ENDPOINT,
        SENTENCES,
    ):
        raise Unknown("embedder", said, FORMS)
    return kind, model


def embedder(check: Callable[[], None], kept: Callable[[str], int | None]) -> Embedder:
    """The embedder that `GEAR_EMBEDDER` names; nothing is loaded or asked yet.

    `check` and `kept` as embedders.endpoint has them. Raises Unknown, or NotReady where its server
    is not configured.
    """
    kind, model = chosen()
    if kind == HASHING:
        return HashingEmbedder()
    if kind == ENDPOINT:
        from gear_app.embedders.endpoint import EndpointEmbedder

        return EndpointEmbedder(embedding_server(model), check, kept)
    # Threads of OpenMP that wait by spinning cost four fifths of the speed where cores are shared
    # with other work. It is read once, when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return MiniLM() if kind == BUNDLED else SentenceModel(model)


def described() -> str:
    """The embedder that `GEAR_EMBEDDER` names, for a person. Raises as `embedder` does; nothing is
    loaded or asked.
    """
    kind, model = chosen()
    if kind == ENDPOINT:
        server = embedding_server(model)
        return f"{model} at {server.base_url}, {'with a key' if server.key else 'without a key'}"
    if kind == SENTENCES:
        return f"{model}, by sentence-transformers"
    return (
        f"{MiniLM.name}, which comes with the application"
        if kind == BUNDLED
        else "hashed words, for tests"
    )
