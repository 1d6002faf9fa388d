"""Weighted hybrid: scores in place of ranks, and BM25 asked with words that say something."""

from __future__ import annotations

import pytest

from gear_app.config import BaseConfig
from gear_app.embedders.local import HashingEmbedder
from gear_app.index.embedded import EmbeddedIndex
from gear_app.mentions.find import telling
from gear_app.retrievers.base import BOTH, BaseQuery, Hybrid, Weighted, bm25, dense
from gear_app.rows import Search
from gear_app.steps.fuse import min_max
from tests.demo import QUESTIONS, demo_passages
from tests.small import index_over

ASKED = [row["question"] for row in QUESTIONS][:12]


@pytest.fixture(scope="module")
def index() -> EmbeddedIndex:
    return index_over(demo_passages(), [], HashingEmbedder())


@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("question", ASKED[:4])
def test_a_score_is_the_sum_of_both_normalised_scores_times_their_shares(
    index: EmbeddedIndex, question: str, share: float
) -> None:
    config = BaseConfig(dense_share=share, depth=40)
    (found,) = Weighted(index, config).search([BaseQuery(question, 200)])
    asked = (question, telling(question))
    lists = [
        index.search([Search(t, 40, by)]).rankings[0] for t, by in zip(asked, BOTH, strict=True)
    ]
    near, shared = (dict(zip(one.ids, min_max(one), strict=True)) for one in lists)
    assert set(found.ranking.ids) == set(near) | set(shared)
    for id_, score in found.ranking.hits:
        whole = share * near.get(id_, 0) + (1 - share) * shared.get(id_, 0)
        assert score == pytest.approx(whole, abs=2e-6)
        assert score == pytest.approx(sum(part.value for part in found.terms[id_]), abs=1e-6)


def test_with_one_share_alone_it_is_the_one_scorer(index: EmbeddedIndex) -> None:
    query = BaseQuery(ASKED[0], 10)
    (near,) = dense(index).search([query])
    (all_dense,) = Weighted(index, BaseConfig(dense_share=1.0)).search([query])
    assert all_dense.ranking.ids == near.ranking.ids
    (words,) = bm25(index).search([query._replace(text=telling(query.text))])
    (no_dense,) = Weighted(index, BaseConfig(dense_share=0.0)).search([query])
    assert no_dense.ranking.ids[:5] == words.ranking.ids[:5]


def test_light_words_are_not_asked_for_unless_there_are_no_others() -> None:
    assert telling("Which of the boats was it that Ivo had mended?") == "boats Ivo mended?"
    assert telling("What is it?") == "What is it?"
    assert telling("") == ""


def test_several_queries_are_answered_as_each_alone_with_one_call(index: EmbeddedIndex) -> None:
    queries = [BaseQuery(ASKED[0], 5), BaseQuery(ASKED[1], 7), BaseQuery(ASKED[2], 3)]
    for method in (Weighted(index), Hybrid(index)):
        together = method.search(queries)
        assert together == [method.search([query])[0] for query in queries]
        assert [len(found.ranking) for found in together] == [5, 7, 3]
