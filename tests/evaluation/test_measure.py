"""Evaluations of stored runs, and the tables made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app import methods as retrievers
from gear_app.core.errors import BadInput, ModelFailed, NotReady, Unknown
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate, small_with
from tests.workspaces import workspace


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return small_with(tmp_path)


def test_a_method_whose_runs_all_failed_has_no_numbers(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ModelFailed("no model")

    monkeypatch.setattr(retrievers, "answer", broken)
    found = evaluate(space, "small", ["dense"], ks=(5,))
    summary = found.summary("dense")
    assert (summary["recall"], summary["mrr"]) == ({"5": None}, None)
    assert (summary["n"], summary["failed"], summary["not_measured"]) == (0, 1, [])
    assert found.failures == {"no model": 1}


def test_without_gold_there_is_nothing_to_measure(tmp_path: Path) -> None:
    empty = workspace(tmp_path)
    empty.collections.create("none")
    with pytest.raises(NotReady, match="No question of 'none' has gold passages"):
        evaluate(empty, "none", ["bm25"])


def test_settings_follow_the_method_and_stay_in_its_name(space: Workspace) -> None:
    found = evaluate(
        space, "small", ["sync_ge:bm25  width=3 beam.length=1", "sync_ge:bm25"], ks=(5,)
    )
    assert found.methods == ("sync_ge:bm25 width=3 beam.length=1", "sync_ge:bm25")
    first, second = (space.runs.get(found.of(name)["run"].iloc[0]) for name in found.methods)
    assert (first.config["beam.width"], first.config["beam.length"]) == (3, 1)
    assert (second.config["beam.width"], second.config["beam.length"]) == (10, 2)


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("gaer", Unknown, "Unknown method 'gaer'"),
        ("gear widht=3", BadInput, "Unknown setting 'widht'"),
        (
            "gear width",
            BadInput,
            "After the method come settings, as in 'hipporag synonymy=false', or as-paper, not 'width'",
        ),
        ("gear width=three", BadInput, "takes a whole number"),
        (" ", Unknown, "Unknown method ''"),
    ],
)
def test_a_wrong_variant_is_refused_before_anything_is_asked(
    space: Workspace, words: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluate(space, "small", ["bm25", words])
    assert space.runs.recent() == []
