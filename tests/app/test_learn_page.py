"""The page Learn behind the real pages, with a lesson of one's own on a small collection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.lessons.file import FOLDER
from gear_app.runs.what_if import WhatIfService
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component
from tests.waiting import finish

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
text = "First is the [Clifton Suspension Bridge], with [0.03](score: clifton)."

[[page]]
title = "Who goes on?"
picture = "competition"
step = "expand 1"
text = "The [sum](thing: sum) is not all."
after = "It is [second](beam: place; Clifton Suspension Bridge | crosses | Avon Gorge)."
[page.task]
question = "Who gets the second place?"
asks = "survivor: 2"
solution = 2
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
    # As if a worker made it, while the page waits.
    monkeypatch.setattr(
        WhatIfService, "await_variant", lambda self, run, change, _: self.variant(run, change)
    )
    start.run()
    start.switch_page("learn/page.py")
    start.query_params["lesson"] = "clifton"
    return start


def test_a_lessons_run_is_made_when_it_is_first_opened_and_found_afterwards(
    world: Workspace, learn: AppTest, work: Callable[[], None]
) -> None:
    learn.run()
    assert "by SyncGE: 0 of 1 runs are there" in sentences(learn)
    work()
    learn.run()
    assert "First is the" in sentences(learn)
    assert len(world.runs.recent()) == 1
    learn.run()
    assert len(world.runs.recent()) == 1


def test_a_number_opens_into_its_terms_and_a_file_that_is_no_lesson_is_named(
    learn: AppTest, work: Callable[[], None]
) -> None:
    learn.run()
    work()
    learn.run()
    told = sentences(learn)
    assert "<dt>rank 2 in BM25: 1/(60 + 2)</dt><dd>0.016129</dd>" in told
    assert "A lesson could not be read. broken.toml: it is no TOML" in told
    assert "some of what it says may not be so" not in told


def test_keys_turn_the_page_and_the_address_holds_the_place(
    learn: AppTest, work: Callable[[], None]
) -> None:
    learn.run()
    work()
    learn.run()
    learn.button(key="lesson-next").click().run()
    assert "2" in learn.query_params["page"] and "clifton" in learn.query_params["lesson"]
    bars = component(learn, "lesson_bars")
    assert (bars["revealed"], bars["stops"]) == (False, [])
    learn.button(key="lesson-back").click().run()
    assert "page" not in learn.query_params


def test_a_prediction_is_kept_in_the_session_and_reveals_what_the_run_says(
    learn: AppTest, work: Callable[[], None]
) -> None:
    learn.run()
    work()
    visit(learn, page="2")
    assert component(learn, "lesson_task")["solution"] is None
    learn.session_state["learn-answers"] = {"clifton/2": 0}
    learn.run()
    told = component(learn, "lesson_task")
    assert (told["answer"], told["solution"]) == (0, 1)
    bars = component(learn, "lesson_bars")
    assert [stop["id"] for stop in bars["stops"]] == ["off", "1", "b", "2b", "4b"]  # type: ignore[attr-defined]
    assert "1 prediction so far, 0 right. Kept in this browser session only." in sentences(learn)


def test_a_lesson_whose_collection_is_missing_offers_to_make_it(
    empty: Workspace, start: AppTest
) -> None:
    start.run()
    start.switch_page("learn/page.py")
    visit(start, lesson="bremen-cathedral")
    assert "looks at the collection walkthrough, which is not here yet" in sentences(start)
    start.button(key="learn-import").click().run()
    assert "The collection walkthrough is being made" in sentences(start)
    turns = empty.scheduler()
    finish(turns)
    start.run()
    assert [info.passages for info in empty.collections.all()] == [20]
    assert "0 of 1 runs are there" in sentences(start)
