"""A what-if has exactly the events of a run made with that setting."""

from __future__ import annotations

import pytest

from gear_app.display.settings import BASE
from gear_app.workspace.workspace import Workspace
from tests.variants import SEARCHES, asked, differing, stops, together

EVERY_NTH = 4


@pytest.mark.parametrize("method", SEARCHES)
def test_every_stop_gives_the_events_of_a_run(demo: Workspace, method: str) -> None:
    for run in asked(demo, method, EVERY_NTH):
        changes = together(run)
        met = {pair for one in changes for pair in [(BASE, one.base), *one.settings.items()]}
        assert met >= {(name, value) for name, of in stops(run).items() for value in of}
        assert differing(demo, run, changes) == []
