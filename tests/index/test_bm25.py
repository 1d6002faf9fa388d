"""The matrix gives rank_bm25's own numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from gear_app.index.bm25 import Bm25Matrix
from gear_app.text import tokenise

NAMES = ["the", "a", "bridge", "river", "Vane", "built", "in", "1951", "Sel", "über"]
words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=12)
corpora = st.lists(words.map(" ".join), min_size=1, max_size=12)


@given(corpora, words.map(" ".join))
def test_scores_equal_rank_bm25(corpus: list[str], query: str) -> None:
    """Repeated query words, words in more than half of the texts (floored idf) and unknown words
    included.
    """
    expected = BM25Okapi([tokenise(text) for text in corpus]).get_scores(
        tokenise(query + " unknownword")
    )
    assert Bm25Matrix(corpus).scores(query + " unknownword") == pytest.approx(
        np.asarray(expected), abs=1e-9
    )


def test_empty_corpus_and_empty_texts() -> None:
    assert Bm25Matrix([]).scores("bridge").tolist() == []
    assert Bm25Matrix(["", "..."]).scores("bridge").tolist() == [0.0, 0.0]
