"""The fit of chain's weights, on three small packs of demo questions with hashed vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gear_app.core.config import ChainConfig
from gear_app.core.types import Hop, Question
from gear_app.index.links import TERMS
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.evaluations import ORACLE
from tests.bench.results import chain_weights
from tests.bench.results.chain_weights import (
    START,
    MeasuredPack,
    Pack,
    cross_validate,
    run_chain,
)
from tests.bench.results.conditional_logit import fit
from tests.demo import ANSWERABLE, CORPUS, demo_passages
from tests.small import index_over, parts_over

EVERY = tuple(range(len(TERMS)))


def question(row: dict[str, object], gold: Sequence[str] = ()) -> Question:
    hops = [Hop(s["question"], s["answer"], s["supporting_id"]) for s in row["decomposition"]]  # type: ignore[attr-defined]
    keys = tuple(gold) or tuple(row["supporting_ids"])  # type: ignore[arg-type, var-annotated]
    return Question(str(row["id"]), str(row["question"]), (), keys, decomposition=tuple(hops))


@pytest.fixture(scope="module")
def packs() -> list[Pack]:
    embedder = HashingEmbedder()
    passages = demo_passages()
    index = index_over(passages, [], embedder)
    asked = [question(row) for row in ANSWERABLE[:12]]
    names = ("everyday/one", "everyday/two", "three")
    return [Pack(name, len(passages), index, embedder, asked[n::3]) for n, name in enumerate(names)]


@pytest.fixture(scope="module")
def validated(packs: list[Pack]) -> tuple[tuple[float, ...], list[MeasuredPack]]:
    return cross_validate(packs, lambda text: None)


def test_the_candidates_of_a_question_are_all_that_chain_ranked_with_raw_terms(
    packs: list[Pack],
) -> None:
    pack = packs[0]
    runs = run_chain(pack, ChainConfig().weights)
    (result,) = chain_weights.Chain(parts_over(pack.index, pack.embedder)).search(
        [BaseQuery(pack.questions[0].question, 10_000)]
    )
    one = runs.candidates[0]
    assert one.terms.shape == (len(result.ranking), len(TERMS))
    scores = one.terms @ np.array(ChainConfig().weights)
    assert scores == pytest.approx([hit.score for hit in result.ranking.hits], abs=1e-5)
    keys = [CORPUS[id_ - 1]["id"] for id_ in result.ranking.ids]
    gold = {key for key, is_gold in zip(keys, one.gold, strict=True) if is_gold}
    assert gold == set(pack.questions[0].supporting_keys)
    assert runs.found[0].tolist() == [len(gold & set(keys[:k])) for k in (5, 10, 15)]


def test_a_pack_is_measured_with_weights_fitted_on_the_others(
    packs: list[Pack], validated: tuple[tuple[float, ...], list[MeasuredPack]]
) -> None:
    whole, measured = validated
    terms = [run_chain(pack, START).candidates for pack in packs]
    assert whole == pytest.approx(fit(terms, EVERY), rel=0.01)
    for n, one in enumerate(measured):
        others = [*terms[:n], *terms[n + 1 :]]
        assert one.left_out == pytest.approx(fit(others, EVERY), rel=0.01)
        assert one.left_out is not None
        found = run_chain(packs[n], one.left_out).found
        assert one.found["left out"].tolist() == found.tolist()
        assert one.found["fitted"].tolist() == run_chain(packs[n], whole).found.tolist()
        no_link = fit(others, [place for place in EVERY if TERMS[place] != "link"])
        assert no_link[TERMS.index("link")] == 0
        digits = [float(f"{weight:.3g}") for weight in no_link]
        found = run_chain(packs[n], digits).found
        assert one.found["left out, without link"].tolist() == found.tolist()


def test_the_gold_of_a_pack_changes_the_weights_of_the_others_and_not_its_own(
    packs: list[Pack], validated: tuple[tuple[float, ...], list[MeasuredPack]]
) -> None:
    wrong = [question(row, gold=[CORPUS[-1 - n]["id"]]) for n, row in enumerate(ANSWERABLE[:12:3])]
    changed = [replace(packs[0], questions=wrong), *packs[1:]]
    whole, measured = cross_validate(changed, lambda text: None)
    before, (one, two, three) = validated
    assert measured[0].left_out == one.left_out
    assert measured[1].left_out != two.left_out
    assert measured[2].left_out != three.left_out
    assert whole != before


def test_hybrid_and_the_oracle_decomposition_are_measured_beside_it(
    packs: list[Pack], validated: tuple[tuple[float, ...], list[MeasuredPack]]
) -> None:
    pack, one = packs[0], validated[1][0]
    assert one.gold.tolist() == [len(q.supporting_keys) for q in pack.questions]
    for row, asked in zip(one.found["hybrid"].tolist(), pack.questions, strict=True):
        (found,) = Hybrid(parts_over(pack.index)).search([BaseQuery(asked.question, 15)])
        keys = [CORPUS[id_ - 1]["id"] for id_ in found.ranking.ids]
        assert row == [len({*keys[:k]} & {*asked.supporting_keys}) for k in (5, 10, 15)]
    assert one.found[ORACLE].sum() > one.found["hybrid"].sum()
    without_steps = [Question(q.id, q.question, (), q.supporting_keys) for q in pack.questions]
    assert chain_weights.run_oracle(replace(pack, questions=without_steps)) is None
