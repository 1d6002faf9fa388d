"""The difference between two runs, on the small collection and on rankings made by hand."""

from __future__ import annotations

import pytest

from gear_app.trace.difference import run_difference
from gear_app.trace.events import Ranked, RankedPassage, Retrieved
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def ranked(*keys: str) -> RunTrace:
    """A run of base retrieval that ranks these passages."""
    lines = tuple(
        RankedPassage(n, key, key.capitalize(), 1 / n) for n, key in enumerate(keys, start=1)
    )
    return RunTrace([Retrieved("Where?", "bm25", lines), Ranked(lines, iteration=0)])


@pytest.mark.parametrize(
    ("before", "after", "gold", "k", "sentence"),
    [
        ("ab", "ab", "b", 1, "Nothing changes. Recall@1: 0.00."),
        ("abc", "cab", "b", 2, "★ B leaves the first 2 (rank 2 → 3). Recall@2: 1.00 → 0.00."),
        (
            "abc",
            "bac",
            "a",
            2,
            "The first 2 are the same passages; some change places. Recall@2: 1.00.",
        ),
    ],
)
def test_the_sentence_names_passages_that_cross_the_cut_off(
    before: str, after: str, gold: str, k: int, sentence: str
) -> None:
    assert run_difference(ranked(*before), ranked(*after), list(gold), k).sentence == sentence


def test_scores_that_change_no_order_are_no_difference(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "chain").run
    config = films.runs.get(run).config.items()
    doubled = {name: float(v) * 2 for name, v in config if name.endswith("_weight")}
    after = RunTrace(films.reruns.rerun(run, RunChange(doubled)))
    found = run_difference(RunTrace(films.runs.events(run)), after, (), 5)
    assert (found.steps, found.sentence) == ((), "Nothing changes.")
