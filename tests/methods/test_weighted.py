"""Weighted hybrid: scores in place of ranks, and BM25 asked with words that say something."""

from __future__ import annotations

import pytest

from gear_app.core.config import BaseConfig
from gear_app.core.errors import BadInput
from gear_app.core.rows import Search
from gear_app.core.types import Hit, Passage
from gear_app.index.embedded import EmbeddedIndex
from gear_app.language.mentions import telling
from gear_app.methods import BASES, METHODS, build
from gear_app.methods.base import BOTH, BaseQuery, Hybrid, Weighted
from gear_app.methods.steps.fuse import min_max
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import ignore
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


def test_light_words_are_not_asked_for_unless_there_are_no_others() -> None:
    assert telling("Which of the boats was it that Ivo had mended?") == "boats Ivo mended?"
    assert telling("What is it?") == "What is it?"
    assert telling("") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who was on-call in the in-house clinic on I-95?", "on-call in-house clinic I-95?"),
        ("Which US state is the IT department in?", "US state IT department"),
        ("What happened in May?", "happened May?"),
        ("What may happen?", "happen?"),
        ("Which mines closed before 1950?", "mines closed 1950?"),
        ("Who paid more,Anna or Ben?", "paid more,Anna Ben?"),
        ("Who is the star of The Lord of the Rings?", "star Lord Rings?"),
        ("Welcher Arzt hatte am 3. Mai Dienst?", "Welcher Arzt hatte 3. Mai Dienst?"),
    ],
)
def test_what_bm25_is_asked_with(text: str, said: str) -> None:
    assert telling(text) == said


def test_the_second_of_two_hits_of_bm25_keeps_its_score() -> None:
    """With the least of its list as 0 it would be worth no more than what shares no word."""
    texts = ("mended the boat", "mended the boat today", "dredged", "sails", "rope", "tar")
    passages = [
        Passage(n, f"p{n}", "", f"{'Thornton' if n < 3 else 'Nobody'} {text}.")
        for n, text in enumerate(texts, start=1)
    ]
    small = index_over(passages, [], HashingEmbedder())
    (found,) = Weighted(parts_over(small), BaseConfig(dense_share=0.0)).search(
        [BaseQuery("Thornton?", 6)]
    )
    assert found.ranking.hits[0] == Hit(1, 1.0)
    assert found.ranking.hits[1].id == 2 and found.ranking.hits[1].score > 0.8


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_a_share_is_between_nothing_and_all(share: float) -> None:
    with pytest.raises(BadInput, match="dense_share"):
        BaseConfig(dense_share=share)


def test_it_is_what_other_methods_stand_over_with_its_settings(index: EmbeddedIndex) -> None:
    """`gear:weighted` does not search as `gear:hybrid`, nor with other settings than its own."""
    query, dense_only = BaseQuery(ASKED[0], 20), BaseConfig(dense_share=1.0)
    parts = parts_over(index)
    for config in (BaseConfig(), dense_only):
        over = BASES["weighted"](parts, config)
        alone = build("weighted", index, parts.reader, parts.embedder, config)
        wanted = Weighted(parts_over(index), config).search([query])[0].ranking
        assert over.search([query])[0].ranking == wanted
        assert alone.retrieve(ASKED[0], 20, ignore).top(20) == wanted
    assert not METHODS["weighted"].by_rank


def test_several_queries_are_answered_as_each_alone_with_one_call(index: EmbeddedIndex) -> None:
    queries = [BaseQuery(ASKED[0], 5), BaseQuery(ASKED[1], 7), BaseQuery(ASKED[2], 3)]
    for method in (Weighted(parts_over(index)), Hybrid(parts_over(index))):
        together = method.search(queries)
        assert together == [method.search([query])[0] for query in queries]
        assert [len(found.ranking) for found in together] == [5, 7, 3]
