"""What settings do: a grid of two, beams without diversity, and groups by triples of the gold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.evaluate import results
from gear_app.evaluate.breakdown import deep_recall, groups
from gear_app.evaluate.configurations import backbones, diversity, grids, lacks_diversity
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.selection import Pick, behind
from gear_app.rendering.html import draw
from gear_app.views.evaluate import figures, sections
from gear_app.workspace import Workspace
from tests.evaluating import evaluate
from tests.small import PASSAGES
from tests.views.evaluated import evaluation, line
from tests.workspaces import pack, workspace

GRID = [f"sync_ge width={width} length={length}" for width in (1, 5) for length in (1, 2)]


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """The small collection with a question about each passage."""
    made, folder = workspace(tmp_path), pack(tmp_path / "pack")
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for key, title, _ in PASSAGES:
            one = {"id": f"q-{key}", "question": f"What of {title}?", "supporting_ids": [key]}
            file.write(json.dumps(one) + "\n")
    made.import_path(folder, "small")
    return made


def test_iterative_methods_stand_over_what_they_are_asked_with(space: Workspace) -> None:
    """BDTR Table 1: one pair was not measured, and settings are no backbone."""
    asked = ["bm25", "ircot:bm25", "ircot", "tog:bm25", "tog:bm25 pool_k=3", "gear"]
    found = evaluate(space, "small", asked, ks=(1, 5))
    grid = backbones(found)
    assert grid is not None
    assert grid.table.fillna("").to_dict("index") == {
        "alone": {"bm25": "bm25", "hybrid": ""},
        "ircot": {"bm25": "ircot:bm25", "hybrid": "ircot"},
        "tog": {"bm25": "tog:bm25", "hybrid": ""},
    }
    drawn = draw(figures.grid(results.load(space, found.id), grid, "recall@1"))
    assert drawn.count("measure|recall@1|") == 4 and "IRCoT" in drawn
    assert backbones(evaluate(space, "small", asked[:2], ks=(1,))) is None


def test_two_settings_make_a_grid_where_every_combination_is_there(space: Workspace) -> None:
    found = evaluate(space, "small", ["hybrid", *GRID], ks=(1, 5))
    (grid,) = grids(found)
    assert (grid.method, grid.names) == ("sync_ge", ("width", "length"))
    assert (list(grid.table.index), list(grid.table)) == (["1", "5"], ["1", "2"])
    assert grid.table.loc["5", "1"] == "sync_ge width=5 length=1"
    html = draw(figures.grid(results.load(space, found.id), grid, "recall@1"))
    assert [html.count(f"measure|recall@1|{one}") for one in GRID] == [1] * 4
    assert grids(evaluate(space, "small", GRID[:3], ks=(1,))) == []
    assert grids(evaluate(space, "small", GRID[:2], ks=(1,))) == []


def test_diversity_is_compared_with_the_same_settings_without_it(space: Workspace) -> None:
    asked = ["hybrid", "gear", "gear gamma=none", "sync_ge width=1", "sync_ge beam.gamma=none"]
    found = evaluate(space, "small", asked, ks=(1, 5))
    first, row = diversity(found).to_dict("records")
    assert [(one["on"], one["off"]) for one in (first, row)] == [("gear", "gear gamma=none")] * 2
    means = [found.summary(method)["recall"]["5"] for method in ("gear", "gear gamma=none")]
    assert [row["recall_on"], row["recall_off"]] == pytest.approx(means)
    assert row["difference"] == pytest.approx(means[0] - means[1], abs=1e-6)
    assert 0 <= row["p"] <= 1 and lacks_diversity(found) == ""
    printed = results.load(space, found.id).to_json()["settings"]["diversity"]
    assert [(one["on"], one["off"]) for one in printed] == [(row["on"], row["off"])]
    assert "with diversity" in sections.report(results.load(space, found.id))
    plain = evaluate(space, "small", ["hybrid", "gear width=5"], ks=(1,))
    assert diversity(plain).empty and lacks_diversity(plain) == "gear width=5 gamma=none"
    assert lacks_diversity(evaluate(space, "small", ["hybrid"], ks=(1,))) == ""


def densities(*numbers: float) -> Evaluation:
    """One method that finds every other question, whose gold has so many triples."""
    lines = [line(f"q{n}", "gear", [1, 2] if n % 2 else [None] * 2) for n in range(len(numbers))]
    return evaluation(lines, densities={f"q{n}": number for n, number in enumerate(numbers)})


def test_questions_are_grouped_by_the_triples_of_their_gold() -> None:
    found = densities(9.0, 2.0, 4.0, 4.5, 7.0, 3.0, 12.0, 6.0)
    names = ["triples < 3.2", "3.2 ≤ triples < 5.2", "5.2 ≤ triples < 8.5", "8.5 ≤ triples"]
    assert found.asked["density"]["q2"] == names[1] and found.asked["density"]["q4"] == names[2]
    shown = groups(found, "density", "recall@5")
    assert list(shown) == names
    assert [rows["gear"]["mean"] for rows in shown.values()] == [1.0, 0.5, 0.5, 0.0]
    listed = behind(found, Pick("kind", "5.2 ≤ triples < 8.5", "gear"), "gear", 5)
    assert set(listed["question"]) == {"q4", "q7"}
    for same in (densities(3.0, 3.0, 3.0), densities(3.0)):
        assert set(same.asked["density"]) == {""}


def test_the_density_is_the_mean_over_the_gold_in_the_set_that_was_searched(
    space: Workspace,
) -> None:
    found = evaluate(space, "small", ["bm25"], ks=(1,))
    counts = {"q-lorn": 1.0, "q-harbour": 2.0, "q-festival": 1.0}
    assert {id_: found.densities[id_] for id_ in counts} == counts
    assert len(found.densities) == len(PASSAGES)


def test_recall_further_down_counts_what_the_ranking_still_has() -> None:
    found = evaluation([line("a", "gear", [1, 2]), line("b", "gear", [1, None])])
    assert deep_recall(found, "gear") == dict.fromkeys((5, 10, 15, 20, 50, 100, 200), 0.75)
    assert deep_recall(found, "bm25") == {}
