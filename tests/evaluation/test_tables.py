"""Tables of an evaluation: every number is the mean or the sum of its questions' values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput
from gear_app.evaluation import tables
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.tables import Table
from gear_app.evaluation.variants import (
    Grid,
    backbones,
    grids,
)
from gear_app.store.evaluations import ORACLE
from gear_app.workspace.workspace import Workspace
from tests.display.evaluated import (
    BETTER,
    TOKENS,
    WORSE,
    evaluation,
    line,
    lines_of,
)
from tests.evaluating import evaluate
from tests.small import PASSAGES
from tests.workspaces import pack, workspace

GRID = [f"sync_ge width={width} length={length}" for width in (1, 5) for length in (1, 2)]


def whole() -> Evaluation:
    """Three questions; of one the oracle is not known, of one it misses the second link."""
    lines = lines_of(
        {
            "hybrid": [WORSE, [[7, 2]], [[30, None]]],
            "gear": [BETTER, [[1, None]], [[1, 2]]],
            "gear gamma=none": [WORSE, [[1, 3]], [[1, 9]]],
        }
    )
    for one in lines:
        if one["method"] == "gear":
            one |= {"calls": 4, "input_tokens": 900, "output_tokens": 300} | TOKENS
    for id_, ranks in (("q0", [1, 2]), ("q1", [3, None])):
        lines.append(line(id_, ORACLE, ranks, searches={"a": f"{id_}-first", "b": f"{id_}-second"}))
    densities = {"q0": 1.0, "q1": 5.0, "q2": 9.0}
    before = {"hybrid": {f"q{n}": {"a": 9, "b": 9} for n in range(3)}}
    return evaluation(lines, densities=densities, before=before)


def every_table(found: Evaluation) -> dict[str, Table]:
    means, counts = tables.before_after(found, 5)
    return {
        "measured": tables.measured(found, "hybrid"),
        "rounds": tables.rounds(found, 5, "hybrid"),
        "questions_by_iteration": tables.questions_by_iteration(found),
        "tokens": tables.tokens(found),
        "links": tables.links(found, 5, "hybrid"),
        **{
            name: tables.groups(found, name, "recall@5", "hybrid") for name in found.question_groups
        },
        "ranks": tables.gold_by_rank(found),
        "overlap": tables.overlap(found, "hybrid", 5),
        "before": means,
        "found": counts,
    }


@pytest.mark.parametrize("name", every_table(whole()))
def test_every_number_is_of_the_questions_behind_it(name: str) -> None:
    found = whole()
    table, numbers = every_table(found)[name], 0
    for row, cells in table.numbers.iterrows():
        for column, number in cells.dropna().items():
            behind = table.behind(found, (row, column), 5)
            assert number == pytest.approx(behind["value"].agg(table.total))
            for one in behind.to_dict("records"):
                assert one["decided_by"] in one["ranks"] and one["run"]
            numbers += 1
    assert numbers
    with pytest.raises(BadInput):
        table.behind(found, ("gaer", "recall@5"), 5)


def cell(found: Evaluation, table: Table, row: str, column: object) -> list[str]:
    """The questions behind a number, the worst first."""
    return list(table.behind(found, (row, column), 5)["question"])


def test_questions_stand_worst_first_with_their_change_and_what_decided() -> None:
    found = whole()
    behind = tables.measured(found, "hybrid").behind(found, ("gear", "recall@5"), 5)
    assert list(behind["question"]) == ["q1", "q0", "q2"]
    by_id = behind.set_index("question")
    assert by_id["change"].to_dict() == {"q1": 0.0, "q0": 0.5, "q2": 1.0}
    assert by_id["decided_by"]["q1"] == "b", "the first that is missed"
    assert by_id["decided_by"]["q0"] == "b", "the lowest, at rank 3"
    assert by_id["missed"].to_dict() == {"q1": True, "q0": False, "q2": False}
    costs = tables.measured(found, "hybrid").behind(found, ("gear", "tokens"), 5)
    assert set(costs["value"]) == {1200.0}
    after_one = tables.rounds(found, 5, "hybrid").behind(found, ("gear", 1), 5)
    assert after_one.set_index("question")["ranks"]["q0"] == {"a": 1, "b": 20}
    assert cell(found, tables.questions_by_iteration(found), "gear", 2) == ["q0"]
    assert cell(found, tables.overlap(found, "hybrid", 5), "gear", "only baseline") == ["q1"]
    oracle = tables.links(found, 5, "hybrid").behind(found, (ORACLE, 2), 5)
    assert oracle["searches"].iloc[-1]["b"] == "q1-second"


def densities(*numbers: float) -> Evaluation:
    """One method that finds every other question, whose gold has so many triples."""
    lines = [line(f"q{n}", "gear", [1, 2] if n % 2 else [None] * 2) for n in range(len(numbers))]
    return evaluation(lines, densities={f"q{n}": number for n, number in enumerate(numbers)})


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """The small collection with a question about each passage."""
    made, folder = workspace(tmp_path), pack(tmp_path / "pack")
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for key, title, _ in PASSAGES:
            one = {"id": f"q-{key}", "question": f"What of {title}?", "supporting_ids": [key]}
            file.write(json.dumps(one) + "\n")
    made.imports.do(folder, "small")
    return made


def test_methods_that_differ_in_base_or_settings_are_recognised() -> None:
    """BDTR Table 1: one pair was not measured, and settings are no backbone."""
    asked = ["bm25", "ircot:bm25", "ircot", "tog:bm25", "tog:bm25 pool_k=3", "gear"]
    assert backbones(asked) == {
        ("alone", "bm25"): "bm25",
        ("ircot", "bm25"): "ircot:bm25",
        ("ircot", "hybrid"): "ircot",
        ("tog", "bm25"): "tog:bm25",
    }
    assert backbones(asked[:2]) == {}
    cells = {(str(w), str(n)): f"sync_ge width={w} length={n}" for w in (1, 5) for n in (1, 2)}
    assert grids(["hybrid", *GRID]) == [Grid("sync_ge", ("width", "length"), cells)]
    assert grids(GRID[:2]) == []


def test_the_cells_of_a_grid_are_the_means_of_their_configurations(space: Workspace) -> None:
    found = evaluate(space, "small", GRID, ks=(1, 5))
    recall = {name: found.summary(name)["recall"]["1"] for name in GRID}
    (grid,) = grids(GRID)
    numbers = tables.grid(found, grid.words, "recall@1").numbers
    assert numbers.loc["5", "1"] == pytest.approx(recall[GRID[2]], abs=1e-6)
