"""Runs of other programs measured beside the methods: the same numbers, and no more than is known."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput
from gear_app.evaluation import results
from gear_app.evaluation.evaluation import ranks_by_place
from gear_app.evaluation.exports import trec_files
from gear_app.evaluation.run_files import read_run
from gear_app.evaluation.service import EvaluationService
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate, small_with

RUN = b"q1 Q0 vane 1 9.5 colbert\nq1 Q0 quill 2 7.25 colbert\nx9 Q0 quill 1 3 colbert\n"


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """The small collection with its question and another, without a name in common."""
    second = {"id": "q2", "question": "Who studied law?", "supporting_ids": ["quill", "mira"]}
    return small_with(tmp_path, second)


@pytest.fixture
def id_(space: Workspace) -> str:
    return evaluate(space, "small", ["bm25", "gear"], ks=(1, 5)).id


def test_a_run_file_is_measured_with_the_same_measures_and_tests(
    space: Workspace, id_: str
) -> None:
    file = EvaluationService(space).add_file(id_, RUN, "colbert.txt")
    assert file.missing == ("q2",) and file.depth == 2
    found = results.load(space, id_, "bm25")
    assert found.evaluation.methods == ("bm25", "gear", "file:colbert")
    ranks = ranks_by_place(found.evaluation.gold)
    assert [[*of.values()] for (method, _), of in ranks.items() if method == "file:colbert"] == [
        [None, 2],
        [None, None],
    ]
    summary = found.evaluation.summary("file:colbert")
    assert (summary["recall"], summary["mrr"]) == ({"1": 0.0, "5": 0.25}, 0.25)
    cell = found.comparison.row("file:colbert", "recall@5")
    assert cell["difference"] and cell["p_holm"] <= 1 and found.comparison.tests == 2
    assert results.load(space, id_, "file:colbert").comparison.baseline == "file:colbert"
    packed = gzip.compress(b"\xef\xbb\xbf" + RUN, mtime=0)
    assert EvaluationService(space).add_file(id_, packed, "colbert.run.gz").missing == ("q2",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.run", b"\xff\xfe\x00"),
        ("a.run.gz", b"q1 Q0 vane 1 9.5 colbert"),
        ("a.run.gz", gzip.compress(b"q1 Q0 vane 1 9.5 colbert", mtime=0)[:20]),
    ],
)
def test_a_run_file_that_cannot_be_read_is_named(name: str, content: bytes) -> None:
    with pytest.raises(BadInput, match=name):
        read_run(content, name)


def test_an_exported_run_comes_back_with_the_numbers_of_its_method(
    space: Workspace, id_: str
) -> None:
    before = results.load(space, id_)
    content = "".join(trec_files(space, before)["gear.txt"]).encode()
    EvaluationService(space).add_file(id_, content, "gear.txt")
    after = results.load(space, id_)
    for metric in after.evaluation.metrics:
        means = [after.comparison.row(method, metric)["mean"] for method in ("file:gear", "gear")]
        assert means[0] == means[1]
    written = {name: "".join(found) for name, found in trec_files(space, after).items()}
    assert written["file_gear.txt"] == written["gear.txt"]
