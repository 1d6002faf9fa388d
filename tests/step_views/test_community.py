"""Communities, the entities near a question and passages, as they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.events import Gathered
from tests.analysis import lost
from tests.step_views import told


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1 passage has what is near"), (2, "2 passages have what is near")],
)
def test_how_many_passages_lie_near_the_question(number: int, words: str) -> None:
    events = [
        replace(event, ranking=event.ranking[:number], below=0)
        if isinstance(event, Gathered)
        else event
        for event in lost.communities()
    ]
    (gathered,) = [view for view in told.views(events, ()) if view.scene.step.verb == "gather"]
    assert gathered.headline.startswith(words)
