"""Explore for every method: its pickers, its settings, each of its steps, whatever its base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.methods import METHODS
from gear_app.models.reader.roles import NEEDS_MODEL
from gear_app.trace.events import Event, Recognised
from gear_app.workspace.workspace import Workspace
from tests import factories, rivals
from tests.acting import LOCAL
from tests.app.conftest import sentences, visit
from tests.app.explored import asked, component, drawn_steps, step_slider
from tests.app.played import played

BASES = [
    *("over BM25", "over dense", "over hybrid"),
    *("over weighted hybrid", "over sentences", "over ColBERT", "over chain"),
]


def opened(app: AppTest, run: str) -> list[str]:
    """The verbs of a run's steps, each step having been drawn."""
    visit(app, run=run)
    return drawn_steps(app)


@pytest.mark.parametrize(
    "name",
    [
        *LOCAL,
        *("bdtr:hipporag", "ircot:naive_ge:bm25", "gear:chain"),
    ],
)
def test_every_method_is_asked_and_each_of_its_steps_is_drawn(
    name: str, world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", name).run
    assert opened(app, run)[-1] == "rank"
    assert world.runs.get(run).state == "done"
    assert app.selectbox(key="method").value == name.partition(":")[0]


def test_an_agent_without_a_language_model_is_refused_in_a_sentence(
    world: Workspace, app: AppTest
) -> None:
    before = len(world.runs.recent("demo"))
    asked(visit(app, collection="demo"), factories.QUESTION, "agent")
    assert f"{NEEDS_MODEL} Choose a language model as the reader." in sentences(app)
    assert len(world.runs.recent("demo")) == before


def test_a_step_without_a_card_of_its_own_is_drawn_by_its_ranking_or_in_a_line(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    monkeypatch.setattr("gear_app.display.step.TELLERS", {})
    events = rivals.hippo_run()
    assert opened(app, played(world, "hipporag", events)) == ["recognise", "walk", "rank"]
    step_slider(app).set_value(1).run()
    recognised = next(event for event in events if isinstance(event, Recognised))
    assert recognised.summary in sentences(app)
    step_slider(app).set_value(2).run()
    assert component(app, "ranking")["lines"]


def test_hostile_words_reach_no_markup(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "hipporag").run
    for id_ in (run, played(world, "bdtr", _hostile(rivals.bdtr_run()))):
        opened(app, id_)
        assert "<script>alert" not in sentences(app)
        assert "<img" not in sentences(app)


def _hostile(events: list[Event]) -> list[Event]:
    kinds: dict[str, Callable[[Event], Event]] = {
        "Thought": lambda e: replace(e, text=rivals.EVIL, query=rivals.EVIL),  # type: ignore[call-arg]
        "Chained": lambda e: replace(e, nodes=(rivals.EVIL,)),  # type: ignore[call-arg]
    }
    return [kinds.get(type(event).__name__, lambda e: e)(event) for event in events]


def test_the_bases_offered_are_those_the_method_takes(world: Workspace, app: AppTest) -> None:
    app.run()
    assert app.selectbox(key="base").options == BASES
    app.selectbox(key="method").set_value("ircot").run()
    steps = [name for name, found in METHODS.items() if found.single_step]
    assert len(app.selectbox(key="base").options) == len(steps)
    app.selectbox(key="base").set_value("sync_ge").run()
    assert app.selectbox(key="base-2").options == BASES
    app.selectbox(key="base-2").set_value("bm25").run()
    app.selectbox(key="method").set_value("gear").run()
    assert app.selectbox(key="base").value == "hybrid"  # SyncGE is no base of GEAR
    app.selectbox(key="method").set_value("bm25").run()
    assert "base" not in {box.key for box in app.selectbox}


def test_methods_that_share_a_configuration_keep_their_own_defaults(
    world: Workspace, app: AppTest
) -> None:
    app.run()
    app.selectbox(key="method").set_value("bdtr").run()
    assert app.toggle(key="set-bdtr-calibrate").value is True
    app.selectbox(key="method").set_value("dtr").run()
    assert app.toggle(key="set-dtr-calibrate").value is False
    asked(app, factories.QUESTION, "dtr")
    assert world.runs.recent()[0].config["calibrate"] is False


def test_a_runs_settings_fill_the_form_and_are_told(world: Workspace, app: AppTest) -> None:
    run = world.ask(
        factories.QUESTION, "demo", "bdtr:bm25", settings={"rounds": 1, "calibrate": "false"}
    ).run
    visit(app, run=run)
    assert "Set to: Rounds R 1, Calibrate off" in sentences(app)
    assert app.number_input(key="set-bdtr-rounds").value == 1
    assert app.toggle(key="set-bdtr-calibrate").value is False
    assert app.selectbox(key="base").value == "bm25"
    app.button(key="set-back").click().run()
    assert app.number_input(key="set-bdtr-rounds").value == 2
    assert app.toggle(key="set-bdtr-calibrate").value is True


def test_fields_of_a_closed_popover_still_show_what_a_run_would_use(
    world: Workspace, app: AppTest, unopened: None
) -> None:
    world.ask(factories.QUESTION, "demo", "naive_ge")
    app.run()
    app.run()  # nothing is seeded any more; the popover is opened after this
    fields = [app.number_input(key=key) for key in ("set-k", "set-naive_ge-beam.width")]
    assert [(field.proto.value, field.proto.set_value) for field in fields] == [
        (15, True),
        (10, True),
    ]


def test_the_bar_and_its_settings_survive_a_look_at_another_page(
    world: Workspace, app: AppTest
) -> None:
    world.ask(factories.QUESTION, "demo", "gear:bm25")
    app.run()
    app.number_input(key="set-gear-beam.width").set_value(4)
    app.run()
    app.switch_page("compare/page.py").run()
    app.switch_page("explore/page.py").run()
    assert app.number_input(key="set-gear-beam.width").value == 4
    assert (app.selectbox(key="method").value, app.selectbox(key="base").value) == ("gear", "bm25")
    assert (app.selectbox(key="collection").value, app.text_input(key="question").value) == (
        "demo",
        factories.QUESTION,
    )


def test_another_runs_settings_come_in_fields_the_browser_has_no_values_of(
    world: Workspace, app: AppTest
) -> None:
    first = world.ask(factories.QUESTION, "demo", "gear", settings={"beam.width": "3"}).run
    world.ask(factories.QUESTION, "demo", "gear")
    app.run()
    assert app.number_input(key="set-gear-beam.width").value == 10
    visit(app, run=first)
    assert "set-gear-beam.width" not in {field.key for field in app.number_input}
    assert app.number_input(key="set-gear-beam.width#1").value == 3
