"""What if on Explore: a dial is turned, the worker makes the variant, and it can be kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.models.reader.edits import edits_of
from gear_app.workspace.runs.rerun import RerunService, RunChange
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit

Work = Callable[[], None]
OPEN = "open"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is at work only when a test says so."""
    draft = RerunService.draft
    monkeypatch.setattr(RerunService, "draft", lambda self, *of: draft(self, *of[:3]))


def opened(world: Workspace, app: AppTest, change: str = OPEN) -> str:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    visit(app, run=run, what=change)
    return run


def address(app: AppTest) -> str:
    value = app.query_params["what"]
    return value if isinstance(value, str) else value[0]


def test_asking_shows_the_steps_that_were_hidden(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    visit(app, run=run, step="0", hide="1")
    app.button(key="what-if-button").click().run()
    assert address(app) == OPEN and "hide" not in app.query_params
    assert "one thing changed, nothing stored" in sentences(app)


def test_a_dial_makes_a_variant_and_the_address_holds_it(
    world: Workspace, app: AppTest, work: Work
) -> None:
    run = opened(world, app)
    app.button_group(key="what-dial-beam.width").set_value("1").run()
    assert "is being made" in sentences(app)
    work()
    app.run()
    assert "With Width b 1: " in sentences(app)
    assert RunChange.from_json(address(app)) == RunChange({"beam.width": "1"})
    assert [info.id for info in world.runs.recent()] == [run]


def test_a_link_opens_with_its_change_and_goes_back_to_the_run(
    world: Workspace, app: AppTest, work: Work
) -> None:
    opened(world, app, RunChange(base="bm25").to_json())
    work()
    app.run()
    assert "With Base retriever BM25: " in sentences(app)
    app.button(key="what-reset").click().run()
    assert address(app) == OPEN
    app.button(key="what-close").click().run()
    assert "what" not in app.query_params


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("[", "is no change of a run"),
        ('{"base":{"a":1}}', "is no change of a run"),
        ('{"settings":{"k":1e999}}', "is no change of a run"),
        ('{"settings":{"k":2.7}}', "k takes a whole number, not 2.7"),
        ('{"settings":{"beam.width":"x"}}', "beam.width takes a whole number, not "),
        ('{"settings":{"beam.width":2.7}}', "beam.width takes a whole number, not 2.7"),
        ('{"settings":{"beam.gamma":"x"}}', "beam.gamma takes"),
        ('{"base":"x"}', "cannot be the base of sync_ge"),
    ],
)
def test_an_address_that_holds_no_change_of_the_run_says_so(
    world: Workspace, app: AppTest, change: str, said: str
) -> None:
    opened(world, app, change)
    assert said in sentences(app)
    assert "one thing changed, nothing stored" in sentences(app)


def test_a_dropped_fact_is_kept_with_the_run(world: Workspace, app: AppTest, work: Work) -> None:
    run = opened(world, app)
    app.selectbox(key="what-fact").select_index(0).run()
    work()
    app.run()
    app.button(key="what-keep").click().run()
    (kept, _) = world.runs.recent()
    assert kept.id != run and len(edits_of(kept.options)) == 1
    work()
    assert world.runs.get(kept.id).state == "done"
    assert "without the proximal triple" in sentences(app.run())


def test_a_step_that_differs_is_shown_before_and_after(
    world: Workspace, app: AppTest, work: Work
) -> None:
    opened(world, app, RunChange({"beam.width": "1"}).to_json())
    work()
    app.run()
    told = sentences(app)
    names = ("The same step before and after", "Out: ", "Before<", "After<")
    places = [told.find(words) for words in names]
    assert -1 not in places and places == sorted(places)
    app.button(key="what-step").click().run()
    assert "what" not in app.query_params
