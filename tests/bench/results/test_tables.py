"""Rows of the result tables, and how a file of them is updated."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from gear_app.core.types import Hop
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.frames import Row
from gear_app.store.evaluations import ORACLE
from tests.bench.results.benchmark import Family
from tests.bench.results.measured_sets import MeasuredSet
from tests.bench.results.tables import (
    KS,
    ablations,
    links,
    methods,
    update,
)
from tests.display.evaluated import evaluation, line, question


def found(method: str, id_: str, number: int) -> Row:
    """Two gold passages, of which a method has so many."""
    return line(id_, method, [n + 1 if n < number else None for n in range(2)])


def measured(
    name: str, numbers: dict[str, list[int]], decomposition: tuple[Hop, ...] = ()
) -> MeasuredSet:
    """Every method's gold passages found, of two, question by question: a, b, c, …; with a
    decomposition every question has it, and an oracle that finds all.
    """
    lines = [
        found(method, chr(97 + n), number)
        for method, counts in numbers.items()
        for n, number in enumerate(counts)
    ]
    return as_set(name, lines, decomposition)


def as_set(name: str, lines: list[Row], decomposition: tuple[Hop, ...] = ()) -> MeasuredSet:
    ids = list(dict.fromkeys(one["question"] for one in lines))
    oracle = [found(ORACLE, id_, 2) for id_ in ids] if decomposition else []
    questions = tuple(question(id_, decomposition=decomposition) for id_ in ids)
    made: Evaluation = evaluation([*lines, *oracle], KS, questions=questions)
    return MeasuredSet(name, "local", made, frozenset(ids[:1]))


BETTER = measured("set", {"hybrid": [1] * 20, "gear": [2] * 20})
HOPS = (Hop("First?", "1", "a"), Hop("Then?", "2", "b"))


def test_a_row_has_recall_and_whether_it_differs_and_the_misses_removed() -> None:
    hybrid, gear = methods(BETTER)
    assert (hybrid["recall_5"], hybrid["differs_5"], hybrid["removed_5"]) == ("50.0", "no", "")
    assert (gear["recall_5"], gear["differs_5"], gear["all_5"]) == ("100.0", "yes", "100.0")
    assert [gear[f"removed_5{end}"] for end in ("", "_low", "_high")] == ["100"] * 3
    assert (gear["questions"], gear["gold"], gear["mrr"], gear["ms"]) == (20, 40, "1.000", "10")


def test_significance_is_corrected_for_all_methods_of_the_set() -> None:
    better, same = [2] * 7 + [1], [1] * 8  # p = 1/64 alone, 1/16 as one of four
    few = measured("set", {"hybrid": same, "gear": better})
    many = measured("set", {"hybrid": same, **dict.fromkeys(("gear", "a", "b", "c"), better)})
    assert [list(methods(one))[1]["differs_5"] for one in (few, many)] == ["yes", "no"]


def test_a_known_decomposition_gives_the_oracle_and_which_link_is_missed() -> None:
    one = measured("s", {"hybrid": [1, 2], "gear": [2, 2]}, HOPS)
    *_, oracle = methods(one)
    assert (oracle["method"], oracle["recall_5"], oracle["removed_5"]) == (ORACLE, "100.0", "")
    missed = [(line["method"], line["link"], line["missed_5"]) for line in links(one)]
    assert missed[:2] == [("hybrid", 1, "0.0"), ("hybrid", 2, "50.0")]
    assert {method for method, _, _ in missed} == {"hybrid", "gear", ORACLE}


def test_an_ablation_differs_from_the_whole_method_not_from_hybrid() -> None:
    family = Family("Title", {"gear": "GEAR", "gear width=1": "narrow", "hybrid": "none of it"})
    one = measured("set", {"hybrid": [1] * 20, "gear": [2] * 20, "gear width=1": [2] * 20})
    lines = [line for line in ablations(one, [family]) if line["k"] == 5]
    assert [(line["method"], line["differs"]) for line in lines] == [
        ("gear", "no"),
        ("gear width=1", "no"),
        ("hybrid", "yes"),
    ]
    assert not list(ablations(BETTER, [family]))


def test_an_update_replaces_rows_with_the_same_keys_and_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / "methods.csv"
    update(
        file,
        [{"set": "a", "method": "x", "r": "1.0"}, {"set": "b", "method": "x", "r": ""}],
        ["set"],
    )
    update(file, [{"set": "a", "method": "y", "r": "2.0"}], ["set"])
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    assert frame[["set", "method", "r"]].to_numpy().tolist() == [["b", "x", ""], ["a", "y", "2.0"]]
    assert list(frame)[:2] == ["date", "commit"]
