"""Run and judgment files, read back by the tools that they are for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gear_app.core.errors import BadInput
from gear_app.evaluation.run_files import read_run
from gear_app.evaluation.trec import falling, run_lines


def test_scores_fall_strictly_in_single_precision() -> None:
    scores = [1.0, 1.0, 1.0 + 1e-12, 0.3, 0.3000000001, -2.0, -2.0]
    written = [np.float32(str(score)) for score in falling(scores)]
    assert all(one > other for one, other in itertools.pairwise(written))
    assert np.allclose(written, [1, 1, 1, 0.3, 0.3, -2, -2], atol=1e-6)


def test_ids_with_blanks_and_percent_signs_come_back() -> None:
    ranking = [("100 % wool\u2009", 1.0), ("a%20b", 0.5)]
    lines = list(run_lines("which one?", ranking, "gear width=5", []))
    assert all(len(line.split()) == 6 for line in lines)
    run = read_run("".join(lines).encode(), "m")
    ((question, found),) = run.rankings.items()
    assert run.tag == "gear width=5"
    assert (question, [key for key, _ in found]) == ("which one?", ["100 % wool\u2009", "a%20b"])


def test_the_first_part_of_a_gold_document_stands_for_it() -> None:
    ranking = [(key, 9.0 - n) for n, key in enumerate(["x#2", "d#2", "d#1", "e#1"])]
    lines = run_lines("q", ranking, "m", ["d", "e#1"])
    assert [line.split()[2] for line in lines] == ["x#2", "d", "d#1", "e#1"]


def test_equal_scores_of_others_are_ordered_as_trec_eval_orders_them() -> None:
    run = read_run(b"q Q0 a 1 0.5 x\nq Q0 c 2 0.5 x\n\nq Q0 b 3 0.7 x\n", "x").rankings
    assert [key for key, _ in run["q"]] == ["b", "c", "a"]


@pytest.mark.parametrize(
    "line",
    [b"q Q0 a 1 0.5", b"q Q0 a 1 high x", b"q Q0 a 1 nan x", b"q Q0 b 1 0.5 y", b"q Q0 b 2 0.4 x"],
)
def test_a_file_that_is_not_one_run_is_refused(line: bytes) -> None:
    with pytest.raises(BadInput, match="not one TREC run"):
        read_run(b"q Q0 b 1 0.5 x\n" + line, "x")
