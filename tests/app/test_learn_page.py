"""The page Learn behind the real pages, with a lesson of one's own on a small collection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.lessons.lesson import FOLDER
from gear_app.workspace.runs.rerun import RerunService
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences
from tests.variants import drafted

LESSON = f"""
title = "Clifton"

[[run]]
name = "beams"
collection = "demo"
question = "{factories.QUESTION}"
method = "sync_ge"
settings = {{ "beam.width" = 2 }}

[[page]]
title = "What one search finds"
step = "retrieve 1"
text = 'First is the [Clifton Suspension Bridge], with {{{{ score("clifton")|round(2) }}}}.'

[[page]]
title = "Who goes on?"
picture = "competition"
step = "expand 1"
text = "The **sum** is not all."
after = 'It is {{{{ beam("place", "Clifton Suspension Bridge | crosses | Avon Gorge")|ordinal }}}}.'
[page.task]
question = "Who gets the second place?"
asks = 'survivor(2)'
[[page.task.option]]
text = "It opened in 1864"
is = "Clifton Suspension Bridge | opened in | 1864"
[[page.task.option]]
text = "It crosses the Avon Gorge"
is = "Clifton Suspension Bridge | crosses | Avon Gorge"
"""


@pytest.fixture
def learn(
    world: Workspace, start: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AppTest:
    """The page at the first page of that lesson, not run yet."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "clifton.toml").write_text(LESSON, encoding="utf-8")
    (folder / "broken.toml").write_text("title", encoding="utf-8")
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.setattr(RerunService, "enqueue_draft", drafted)
    start.run()
    start.switch_page("learn/page.py")
    start.query_params["lesson"] = "14 Clifton"
    return start


def test_predict_reveal_and_turn_the_pages(
    world: Workspace, learn: AppTest, work: Callable[[], None]
) -> None:
    learn.run()
    assert "0 of 1 runs of this lesson complete." in sentences(learn)
    assert "A lesson could not be read. broken.toml: " in sentences(learn)
    work()
    learn.run()
    assert len(world.runs.recent()) == 1  # it is made once
    told = sentences(learn)
    assert "First is the" in told and "does not fit" not in told
    learn.button(key="lesson-next").click().run()
    assert "Predict first; then γ can be moved." in sentences(learn)
    assert len(learn.segmented_control) == 1  # the pages
    learn.button(key="task-check").click().run()  # nothing is chosen yet
    assert "The run says" not in sentences(learn)
    learn.radio[0].set_value(0).run()
    learn.button(key="task-check").click().run()
    told = sentences(learn)
    assert (
        "The run says: It crosses the Avon Gorge." in told
        and "It is <strong>second</strong>" in told
    )
    assert "2 extensions go on, from" in told
    learn.segmented_control(key="gamma").set_value("off").run()
    assert "Compared with the paper" in sentences(learn)
    learn.button(key="lesson-back").click().run()
    assert "What one search finds" in sentences(learn)
    learn.toggle(key="print").set_value(True).run()
    assert "Solution: </b>It crosses the Avon Gorge." in sentences(learn)
    assert not learn.exception
