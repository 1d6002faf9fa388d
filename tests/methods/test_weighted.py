"""Weighted hybrid: scores in place of ranks, and BM25 asked with words that say something."""

from __future__ import annotations

import pytest

from gear_app.core.config import BaseConfig
from gear_app.core.rows import Search
from gear_app.index.embedded import EmbeddedIndex
from gear_app.language.mentions import telling
from gear_app.methods.base import BOTH, BaseQuery, Weighted
from gear_app.methods.fuse import min_max
from gear_app.models.embedders.local import HashingEmbedder
from tests.demo import QUESTIONS, demo_passages
from tests.small import index_over, parts_over

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
    (found,) = Weighted(parts_over(index), config).search([BaseQuery(question, 200)])
    asked = (question, telling(question))
    lists = [
        index.search([Search(t, 40, by)]).rankings[0] for t, by in zip(asked, BOTH, strict=True)
    ]
    near, shared = (
        dict(zip(one.ids, min_max(one, low), strict=True))
        for one, low in zip(lists, (None, 0.0), strict=True)
    )
    assert set(found.ranking.ids) == set(near) | set(shared)
    for id_, score in found.ranking.hits:
        whole = share * near.get(id_, 0) + (1 - share) * shared.get(id_, 0)
        assert score == pytest.approx(whole, abs=2e-6)
        assert score == pytest.approx(sum(part.value for part in found.terms[id_]), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who was on-call in the in-house clinic on I-95?", "on-call in-house clinic I-95?"),
        ("What happened in May?", "happened May?"),
        ("What may happen?", "happen?"),
        ("Who is the star of The Lord of the Rings?", "star Lord Rings?"),
    ],
)
def test_what_bm25_is_asked_with(text: str, said: str) -> None:
    assert telling(text) == said
