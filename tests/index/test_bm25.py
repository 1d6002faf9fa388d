"""The matrix gives rank_bm25's own numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from gear_app.core.text import terms
from gear_app.index.bm25 import Bm25Matrix, bm25_arrays

NAMES = "the a bridge Vane built in 1951 über 灯塔 港口的灯 灯 ミラ港".split()
words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=12)
corpora = st.lists(words.map(" ".join), min_size=1, max_size=12)


@given(corpora, words.map(" ".join))
def test_scores_equal_rank_bm25(corpus: list[str], query: str) -> None:
    """Repeated query words, words in more than half of the texts (floored idf) and unknown words
    included.
    """
    expected = BM25Okapi([terms(text) for text in corpus]).get_scores(terms(query + " unknownword"))
    assert Bm25Matrix(bm25_arrays(corpus)).scores(query + " unknownword") == pytest.approx(
        np.asarray(expected), abs=1e-9
    )


@pytest.mark.parametrize(
    ("right", "others", "query"),
    [
        ("面包师的女儿在河边的学校教书。", ("桥是石匠修的。", "雪天散步。"), "谁的女儿教书"),
        ("橋は石工が架けた。", ("彼女は学校で教える。", "雪の日に歩く。"), "石工の橋"),
        ("ช่างหินสร้างสะพาน", ("ครูอยู่โรงเรียน", "หิมะตก"), "สร้างสะพาน"),
        ("석공이 다리를 놓았다.", ("선생님은 학교에 있다.", "눈 오는 날."), "다리는 누가"),
    ],
)
def test_scripts_without_blanks_between_words_are_found(
    right: str, others: Sequence[str], query: str
) -> None:
    scores = Bm25Matrix(bm25_arrays([*others, right, "A text of words."])).scores(
        query, lucene=True
    )
    assert int(np.argmax(scores)) == len(others)
    assert np.all(scores[: len(others)] < scores.max() / 2)
