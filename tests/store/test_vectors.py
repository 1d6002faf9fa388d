"""Vectors by model and text."""

from __future__ import annotations

import numpy as np

from gear_app.store import Store


def test_vectors_come_back_exactly_by_model_and_text(store: Store) -> None:
    vectors = np.random.default_rng(1).normal(size=(1200, 8)).astype(np.float32)
    texts = [f"text {n}" for n in range(1200)]
    store.embeddings.put_many("m1", dict(zip(texts, vectors, strict=True)))
    found = store.embeddings.get_many("m1", [*texts, "unknown"])
    assert list(found) != [] and set(found) == set(texts)
    assert np.array_equal(np.stack([found[text] for text in texts]), vectors)
    assert store.embeddings.get_many("m2", texts[:3]) == {}
    assert store.embeddings.missing("m1", ["new", "text 3", "new", "newer"]) == ["new", "newer"]
