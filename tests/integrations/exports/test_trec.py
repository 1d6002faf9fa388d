"""Run and judgment files, read back by the tools that they are for."""

from __future__ import annotations

import itertools

import numpy as np

from gear_app.evaluation.exports import falling, run_lines
from gear_app.evaluation.run_files import read_run


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
