"""Every missed gold passage of an evaluation has one cause, and the counts are those of the lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.display.evaluate import sections
from gear_app.evaluation import results
from gear_app.evaluation.tables import missed_passages
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.workspaces import filled

K = 1


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


def test_every_missed_passage_has_one_cause(space: Workspace) -> None:
    found = evaluate(space, "films", ["bm25", "hybrid", "gear"], ks=(K, 5))
    missed = missed_passages(space, found, K)
    section = sections.causes(results.load(space, found.id), missed, K)
    for method in found.methods:
        numbers = section.table.numbers[method].dropna()
        assert numbers.sum() == (found.gold[found.gold["method"] == method]["rank"] > K).sum() > 0
        for cause, number in numbers.items():
            listed = section.table.behind(found, (cause, method), K)
            assert listed["value"].sum() == number
            for row in listed.to_dict("records"):
                assert (row["ranks"][row["decided_by"]] or 99) > K
    assert section.words["meaning"].iloc[0].startswith("The passage ")
