"""Every cause is named in a run where it, and nothing else, is true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.analysis.why_not import (
    Cause,
    StepOutcome,
    why_not,
)
from gear_app.events import Expanded, Linked, Read, Remembered, Started
from gear_app.views.why_not import needed_words
from tests import factories
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import CASES, asked


def test_every_cause_has_a_run_in_which_it_is_true() -> None:
    assert {*CASES, Cause.FOUND} == set(Cause)


@pytest.mark.parametrize("cause", CASES)
def test_a_cause_is_named_with_the_first_step_that_lost_the_passage(cause: Cause) -> None:
    found = asked(cause)
    good = found.last_good.step if found.last_good else None
    assert (found.cause, good, found.lost and found.lost.step) == (cause, *CASES[cause][2:])


@pytest.mark.parametrize("cause", CASES)
def test_one_step_of_the_trail_lost_it_and_none_after_that_was_reached(cause: Cause) -> None:
    """But the final ranking may go on to it, further down than the cut."""
    found = asked(cause)
    outcomes = [step.outcome for step in found.trail]
    place = outcomes.index(StepOutcome.LOST)
    assert outcomes.count(StepOutcome.LOST) == 1
    assert StepOutcome.NOT_REACHED not in outcomes[:place]
    ranked = found.rank is not None and found.cause is not Cause.RUN_ENDED
    for step in found.trail[place + 1 :]:
        below = ranked and step.step == "rank"
        assert step.outcome is (StepOutcome.BELOW if below else StepOutcome.NOT_REACHED)


# Runs in which what a cause says was missing is there, and all else as it was.
FULFILLED = {
    Cause.RUN_ENDED: (lost.pruned(), facts()),
    Cause.NOT_IN_COLLECTION: (lost.pruned(), facts()),
    Cause.NO_TRIPLE: (lost.read_nothing(), facts()),
    Cause.READ_GAVE_NOTHING: (
        lost.sync_ge(*lost.search([lost.TO_IT], [8], lost.FAR)),
        facts(),
    ),
    Cause.LINKED_ELSEWHERE: (lost.sync_ge(*lost.search([lost.TO_IT], [3], lost.FAR)), facts()),
    Cause.NO_SEED: (lost.hippo(named=True), facts()),
    Cause.NO_LINK: (lost.chain(linked=True), facts()),
    Cause.NOT_PROMOTED: (lost.bdtr(chosen=True, shown_=30), facts()),
}


@pytest.mark.parametrize("cause", FULFILLED)
def test_with_what_was_missing_the_passage_is_lost_further_on_or_not_at_all(cause: Cause) -> None:
    before, now = asked(cause), why_not(FULFILLED[cause][0], KEY, FULFILLED[cause][1])
    assert now.cause is not cause
    assert now.cause.group.reach >= before.cause.group.reach


def test_a_passage_among_the_first_is_found_with_what_brought_it_in() -> None:
    found = why_not(factories.gear_run(), KEY, facts())
    assert (found.cause, found.rank, found.lost) == (Cause.FOUND, 2, None)
    assert found.origin and found.origin.how == "gist"


def test_the_same_run_has_and_has_not_a_passage_by_the_cut() -> None:
    events = factories.gear_run()
    assert why_not(events, KEY, facts(), k=2).cause is Cause.FOUND
    assert why_not(events, KEY, facts(), k=1).cause is Cause.FUSED_BELOW


def test_a_passage_goes_by_its_title_and_else_by_its_key() -> None:
    assert asked(Cause.PRUNED).title == "Marc Isambard Brunel"
    assert asked(Cause.NOT_IN_COLLECTION).title == KEY


def test_a_round_that_found_it_does_not_count_while_nothing_is_remembered() -> None:
    first = lost.search([lost.ELSEWHERE], [8], lost.FAR)
    again = lost.search([lost.ELSEWHERE], [8], lost.FAR, [KEY, *lost.BASE], n=2)
    settings = (*lost.LOOP, *lost.BEAM, ("wait_for_memory", "True"))
    events = [
        replace(event, added=(), size=0)
        if isinstance(event, Remembered)
        else replace(event, settings=settings)
        if isinstance(event, Started)
        else event
        for event in lost.gear(first, again, why="iteration limit")
    ]
    found = why_not(events, KEY, facts())
    assert (found.cause, found.lost and found.lost.step) == (Cause.FUSED_BELOW, "rank")
    assert needed_words(found) == ["facts in the memory: at least 1; it is 0"]
    assert ("wait_for_memory", "True", ("False",)) in [change[:3] for change in found.changes]


def test_a_method_that_only_fuses_what_it_found_is_answered_too() -> None:
    """No step of it read or expanded anything, and the ranking does not have the passage."""
    searched = lost.search([lost.TO_IT], [8], lost.FAR)
    found = [event for event in searched if not isinstance(event, Read | Linked | Expanded)]
    assert why_not(lost.sync_ge(*found), "elsewhere", facts()).cause is Cause.NOT_IN_BASE_RANKING
