"""The embedded index on a collection known by heart."""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.embedders.builtin import HashingEmbedder
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.graph import TripleGraph
from gear_app.types import Passage, Triple
from tests.small import QUESTION, SmallWorld, top


def test_passages_are_searched_by_title_and_text(small: SmallWorld) -> None:
    assert top(small.index, "Ada Quill", 1, "bm25").ids == (small.passage("quill").id,)


def test_a_passage_without_a_common_word_is_no_bm25_hit(small: SmallWorld) -> None:
    found = top(small.index, "Vane", 100, "bm25").ids
    assert set(found) == {small.passage("mira").id, small.passage("vane").id}
    assert top(small.index, "zebra", 10, "bm25").ids == ()


def test_dense_is_the_cosine(small: SmallWorld) -> None:
    vectors = small.embedder.embed([p.indexed for p in small.passages])
    cosines = vectors @ small.embedder.embed([QUESTION])[0]
    found = top(small.index, QUESTION, 8, "dense")
    assert found.hits[0].score == pytest.approx(float(cosines.max()), abs=1e-6)
    assert len(found) == 8


def test_equal_scores_smaller_id_first() -> None:
    embedder = HashingEmbedder()
    passages = [Passage(i, key, "", "same words") for i, key in enumerate("cba", start=10)]
    index = EmbeddedIndex(
        passages, [], embedder.embed(["same words"] * 3), np.zeros((0, 64), np.float32), embedder
    )
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


def test_names_are_equal_when_normalised() -> None:
    graph = TripleGraph(
        [Triple(1, 1, "ADA  Quill", "x", "..."), Triple(2, 1, "ada quill.", "x", "!!!")]
    )
    assert graph.neighbours(0).tolist() == [1]
    assert (
        TripleGraph([Triple(1, 1, "a", "x", "..."), Triple(2, 1, "b", "x", "!!!")])
        .neighbours(0)
        .tolist()
        == []
    )
