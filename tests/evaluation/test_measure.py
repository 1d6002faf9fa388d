"""Evaluations of stored runs, and the tables made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate, small_with


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return small_with(tmp_path)


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
