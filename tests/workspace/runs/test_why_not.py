"""What is said of a lost passage, on the demo questions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gear_app.core.overrides import settings
from gear_app.core.types import Question
from gear_app.display import why_not as report
from gear_app.methods import config_for
from gear_app.trace.lost import Cause, WhyNot
from gear_app.trace.rankings import rank_of
from gear_app.workspace.workspace import Workspace
from tests.acting import LOCAL
from tests.small import PASSAGES, QUESTION

APART = 5  # every fifth question of the demo; each method begins with another one


def questions(workspace: Workspace, first: int = 0) -> list[Question]:
    with_gold = [one for one in workspace.collections["demo"].questions() if one.supporting_keys]
    return with_gold[first % APART :: APART]


def missed(
    workspace: Workspace,
    method: str,
    set_to: Mapping[str, int] | None = None,
    k: int = 15,
    first: int = 0,
) -> list[tuple[str, WhyNot]]:
    """The run and the answer for every gold passage that a method misses."""
    lost = []
    for question in questions(workspace, first):
        run = workspace.ask(question.question, "demo", method, settings=set_to or {}, k=k).run
        for key in question.supporting_keys:
            found = workspace.reruns.explain(run, key)
            assert found.cause is not Cause.FOUND or (found.rank or 99) <= 5
            lost += [(run, found)] if found.cause is not Cause.FOUND else []
    return lost


NAMED = (*LOCAL, *("ircot:hipporag", "bdtr:chain", "gear:dense", "gear:bm25"))


@pytest.mark.parametrize("method", NAMED)
def test_a_step_is_named_for_every_missed_gold_passage(demo: Workspace, method: str) -> None:
    losses = missed(demo, method, first=NAMED.index(method))
    # Hashed vectors are poor enough for every method to miss some; loops over another the least.
    assert losses or ":" in method
    for _, found in losses:
        assert found.lost_step is not None
        assert found.rank is None or found.rank > 5


@pytest.mark.parametrize("method", ["hipporag", "bdtr:hipporag"])
def test_every_passage_of_a_collection_smaller_than_a_pool_can_be_asked_about(
    films: Workspace, method: str
) -> None:
    run = films.ask(QUESTION, "films", method).run
    for key, _, _ in PASSAGES:
        answer = films.reruns.explain(run, key, 1)
        assert (answer.cause is Cause.FOUND) == (answer.rank == 1)


@pytest.mark.parametrize("method", ["sync_ge", "chain", "hipporag", "griever", "bdtr"])
def test_every_other_setting_is_tried_and_a_trial_is_the_run_with_that_setting(
    demo: Workspace, method: str
) -> None:
    run, lost = next(one for n in range(APART) for one in missed(demo, method, first=n))
    trials = demo.reruns.trials(run, lost.key, 5, demo.reruns.rerun)
    assert set(settings(config_for(method))) <= {trial.setting for trial in trials}
    assert all(trial.was != trial.value and not trial.failure for trial in trials)
    trial = next((one for one in trials if one.setting == "k"), trials[0])
    stored = demo.runs.get(run)
    k, changes = stored.k, dict(stored.config)
    if trial.setting == "k":
        k = int(trial.value)
    else:
        changes[trial.setting] = trial.value
    made = demo.ask(stored.question, "demo", method, k=k, settings=changes)
    assert trial.rank == rank_of(lost.key, made.ranking)
    told = "\n".join(report.text(lost, trials))
    assert all(name in told for name in settings(config_for(method)))
