"""A what-if has exactly the events of a run made with that setting: every stop of every setting on
questions of the demo collection.

Here several settings are turned at once, so that a question meets every stop in few variants, and
every fourth question is asked. `make exact` asks all, and turns each setting alone as well, in some
seven thousand.
"""

from __future__ import annotations

import os
import sys

import pytest

from gear_app.views.dials import BASE
from gear_app.workspace import Workspace
from tests.variants import LOOPS, SEARCHES, asked, differing, singly, stops, together

EACH_ALONE = os.environ.get("GEAR_WHAT_IF") == "all"
APART = 1 if EACH_ALONE else 4


@pytest.mark.parametrize("method", SEARCHES)
def test_every_stop_gives_the_events_of_a_run(demo: Workspace, method: str) -> None:
    for run in asked(demo, method, APART):
        changes = together(run)
        met = {pair for one in changes for pair in [(BASE, one.base), *one.settings.items()]}
        assert met >= {(name, value) for name, of in stops(run).items() for value in of}
        assert differing(demo, run, changes) == []


@pytest.mark.skipif(not EACH_ALONE, reason="takes a quarter of an hour: make exact")
@pytest.mark.parametrize("method", (*SEARCHES, *LOOPS))
def test_every_single_stop_gives_every_question_the_events_of_a_run(
    demo: Workspace, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = 0
    for run in asked(demo, method):
        changes = singly(run)
        assert differing(demo, run, changes) == []
        compared += len(changes)
    with capsys.disabled():
        sys.stdout.write(f"\n{method}: {compared} variants, each with the events of a run\n")
