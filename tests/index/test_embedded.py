"""The embedded index on a collection known by heart."""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.core.rows import PAIRS, EntityPassages
from gear_app.core.types import Passage, Triple
from gear_app.models.embedders.local import HashingEmbedder
from tests.small import QUESTION, SmallWorld, first_written, index_over, network_of, top


def test_dense_is_the_cosine(small: SmallWorld) -> None:
    vectors = small.embedder.embed([p.indexed for p in small.passages])
    cosines = vectors @ small.embedder.embed([QUESTION])[0]
    found = top(small.index, QUESTION, 8, "dense")
    assert found.hits[0].score == pytest.approx(float(cosines.max()), abs=1e-6)
    assert len(found) == 8


def test_equal_scores_smaller_id_first() -> None:
    embedder = HashingEmbedder()
    passages = [Passage(i, key, "", "same words") for i, key in enumerate("cba", start=10)]
    index = index_over(passages, [], embedder)
    assert top(index, "same", 2, "dense").ids == (10, 11)
    assert top(index, "same", 2, "bm25", over="triples").ids == ()


def test_neighbours_share_head_or_tail(small: SmallWorld) -> None:
    texts = {t.id: t.text for t in small.triples}
    directed = next(t.id for t in small.triples if t.object == "Ada Quill")
    (near,) = small.index.nearest([directed], small.embedder.embed([QUESTION])[0], 100)
    assert {texts[id_] for id_ in near.ids} == {
        "Harbour Lights is a film of 1951",
        "Ada Quill was born in Port Mira",
        "Ada Quill studied law",
    }


def test_joins_are_the_passages_that_name_an_entity_or_a_synonym() -> None:
    """Lorn in 1 and 2, Old Lorn (0.96 to Lorn) in 3, Lorn Town (0.9) in 2 and 4."""
    facts = [
        Triple(1, 1, "Lorn", "lies on", "Sel"),
        Triple(2, 2, "Lorn Town", "is near", "LORN"),
        Triple(3, 3, "Old Lorn", "lies on", "Sel"),
        Triple(4, 4, "Lorn Town", "has", "a bridge"),
    ]
    names = first_written(facts)
    at = {name: node for node, name in enumerate(names)}
    near_lorn = [(at["lorn town"], at["lorn"], 0.9), (at["old lorn"], at["lorn"], 0.96)]
    pairs = np.array(near_lorn, PAIRS)
    embedder = HashingEmbedder()
    graph = network_of(facts, embedder, pairs)
    passages = [Passage(n, str(n), "", "words") for n in range(1, 5)]
    index = index_over(passages, facts, embedder, lambda: graph)
    near, nearer = (index.joins(["lorn.", "Nowhere"], least) for least in (0.9, 0.95))
    assert near["lorn."].passages == {1, 2, 3, 4}
    assert near["lorn."].synonyms == (("Old Lorn", 0.96), ("Lorn Town", 0.9))
    assert nearer["lorn."].passages == {1, 2, 3}
    assert index.joins(["Lorn"], None)["Lorn"] == EntityPassages(frozenset({1, 2}), ())
    assert near["Nowhere"] == EntityPassages(frozenset(), ())
