"""Measures of a ranking: ours on the screen, ir_measures here, the same numbers."""

from __future__ import annotations

import math

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from gear_app.core.errors import BadInput
from gear_app.core.types import Question
from gear_app.evaluation.exports import qrels_lines, run_lines
from gear_app.evaluation.frames import measure_by_question, measure_names, ranks_of

KEYS = st.sampled_from(["a", "b", "c#1", "c#2", "d#1", "d#3", "e", "f"])
GRADED = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d#3", "f", "z"]), st.integers(1, 4), min_size=1
)


def of(ranking: list[str], grades: dict[str, int], ks: list[int]) -> dict[str, float]:
    """Measures of a ranking of keys."""
    rows = [
        ("m", "q", key, grades[key], rank or math.inf)
        for key, rank in ranks_of(ranking, list(grades)).items()
    ]
    gold = pd.DataFrame(rows, columns=["method", "question", "key", "grade", "rank"])
    return {name: float(measure_by_question(gold, name).iloc[0]) for name in measure_names(ks)}


def test_by_hand() -> None:
    found = of(["x", "a", "y", "b"], {"a": 1, "b": 1, "c": 1}, [2, 4])
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found == {
        "recall@2": pytest.approx(1 / 3),
        "recall@4": pytest.approx(2 / 3),
        "all@2": 0.0,
        "all@4": 0.0,
        "mrr": 0.5,
        "ndcg@2": pytest.approx(1 / math.log2(3) / (1 + 1 / math.log2(3))),
        "ndcg@4": pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best),
    }
    assert of(["b", "a"], {"a": 1, "b": 1}, [2])["all@2"] == 1.0
    assert set(of([], {"a": 1}, [5]).values()) == {0.0}
    with pytest.raises(BadInput, match="no measure"):
        measure_by_question(pd.DataFrame(columns=["method", "question", "rank"]), "precision@5")


@given(st.lists(KEYS, unique=True, min_size=1), GRADED)
def test_it_is_what_a_tool_measures_of_the_exported_files(
    ranking: list[str], gold: dict[str, int]
) -> None:
    lines = run_lines("q 1", [(key, 0.25) for key in ranking], "m", list(gold))
    qrels = qrels_lines([Question("q 1", "?").with_gold(gold)])
    run = ir_measures.read_trec_run("".join(lines))
    expected = ir_measures.calc_aggregate(
        [R @ 3, RR, nDCG @ 5], ir_measures.read_trec_qrels("".join(qrels)), run
    )
    found = of(ranking, gold, [3, 5])
    assert expected[R @ 3] == pytest.approx(found["recall@3"])
    assert expected[nDCG @ 5] == pytest.approx(found["ndcg@5"])
    assert expected[RR] == pytest.approx(found["mrr"])
