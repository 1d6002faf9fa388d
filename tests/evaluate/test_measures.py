"""Measures of a ranking: ours on the screen, ir_measures here, the same numbers."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from gear_app.analysis.metrics import recall_at
from gear_app.evaluate.measures import measures, measures_of_ranks
from gear_app.evaluate.run_facts import ranks_of
from gear_app.exports.trec import Scored, qrels_lines, run_lines
from gear_app.types import Question

KEYS = st.sampled_from(["a", "b", "c#1", "c#2", "d#1", "d#3", "e", "f"])
GOLD = st.lists(st.sampled_from(["a", "b", "c", "d#3", "f", "z"]), min_size=1, unique=True)
GRADED = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d#3", "f", "z"]), st.integers(1, 4), min_size=1
)


def test_by_hand() -> None:
    found = measures(["x", "a", "y", "b"], {"a": 1, "b": 1, "c": 1}, [2, 4])
    assert found.recall == {2: pytest.approx(1 / 3), 4: pytest.approx(2 / 3)}
    assert found.all_recall == {2: 0.0, 4: 0.0}
    assert found.reciprocal_rank == 0.5
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found.ndcg[4] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)
    assert measures(["b", "a"], {"a": 1, "b": 1}, [2]).all_recall == {2: 1.0}


def test_an_empty_ranking_has_nothing() -> None:
    found = measures([], {"a": 1}, [5])
    assert (found.recall, found.ndcg, found.reciprocal_rank) == ({5: 0.0}, {5: 0.0}, 0.0)


def test_without_gold_nothing_is_defined() -> None:
    with pytest.raises(ValueError, match="gold"):
        measures(["a"], {}, [5])


@given(st.lists(KEYS, unique=True), GOLD)
def test_what_is_measured_is_what_the_screen_shows(ranking: list[str], gold: list[str]) -> None:
    found = measures(ranking, dict.fromkeys(gold, 2), [1, 3, 5])
    for k in (1, 3, 5):
        assert found.recall[k] == pytest.approx(recall_at(ranking, gold, k))
        assert found.all_recall[k] == (recall_at(ranking, gold, k) == 1)


@given(st.lists(KEYS, unique=True, min_size=1), GRADED)
def test_it_is_what_a_tool_measures_of_the_exported_files(
    ranking: list[str], gold: dict[str, int]
) -> None:
    """Also of the ranks and grades alone."""
    lines = run_lines("q 1", [Scored(key, 0.25) for key in ranking], "m", list(gold))
    qrels = qrels_lines([Question("q 1", "?").with_gold(gold)])
    run = ir_measures.read_trec_run("".join(lines))
    of = ir_measures.calc_aggregate(
        [R @ 3, RR, nDCG @ 5], ir_measures.read_trec_qrels("".join(qrels)), run
    )
    found = measures(ranking, gold, [3, 5])
    ranks = {"q 1": ranks_of(ranking, list(gold))}
    assert measures_of_ranks(ranks, {"q 1": list(gold.values())}, [3, 5])["q 1"] == found
    assert of[R @ 3] == pytest.approx(found.recall[3])
    assert of[nDCG @ 5] == pytest.approx(found.ndcg[5])
    assert of[RR] == pytest.approx(found.reciprocal_rank)
