"""Vectors by model and text."""

from __future__ import annotations

import numpy as np

from gear_app.store import Store
from gear_app.store.rows import text_hash


def test_vectors_come_back_exactly_by_model_and_text(store: Store) -> None:
    vectors = np.random.default_rng(1).normal(size=(1200, 8)).astype(np.float32)
    texts = [f"text {n}" for n in range(1200)]
    store.embeddings.put_many("m1", dict(zip(texts, vectors, strict=True)))
    found = store.embeddings.get_many("m1", [*texts, "unknown"])
    assert list(found) != [] and set(found) == set(texts)
    assert np.array_equal(np.stack([found[text] for text in texts]), vectors)
    assert store.embeddings.get_many("m2", texts[:3]) == {}
    assert store.embeddings.missing("m1", ["new", "text 3", "new", "newer"]) == ["new", "newer"]


def test_the_first_vector_of_a_text_stays(store: Store) -> None:
    store.embeddings.put_many("m", {"a": np.array([1, 0], np.float32)})
    store.embeddings.put_many(
        "m", {"a": np.array([0, 1], np.float32), "b": np.array([0, 1], np.float32)}
    )
    assert store.embeddings.get_many("m", ["a"])["a"].tolist() == [1, 0]
    assert store.embeddings.get_many("m", ["b"])["b"].tolist() == [0, 1]


def test_a_text_with_a_lone_surrogate_has_a_hash() -> None:
    assert len(text_hash("\ud800")) == 16
