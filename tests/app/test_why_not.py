"""“Why not this passage?” on Explore and Compare: a passage that a run missed, and one looked for."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.display.settings import label
from gear_app.display.why_not import trial_lines
from gear_app.trace import gold
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import current_step


def opened(app: AppTest, run: str) -> AppTest:
    """A run that is shown whole: before its end, what became of its gold is not told."""
    return visit(app, run=run)


def missed(world: Workspace, method: str = "bm25") -> tuple[str, str]:
    """A run that misses a gold passage, and that passage's key."""
    run = world.ask(factories.QUESTION, "demo", method).run
    return run, gold.missed(world.runs.events(run), world.runs.get(run).gold)[0]


def test_an_address_opens_the_step_that_lost_a_passage_with_the_reason(
    world: Workspace, app: AppTest
) -> None:
    run, key = missed(world, "sync_ge")
    lost = world.reruns.explain(run, key).lost_or_found_step
    app.query_params["why"] = key
    opened(app, run)
    assert current_step(app) == lost
    assert f"Why not: {factories.TEXTS[key][0]}" in sentences(app)


def test_other_settings_are_tried_by_the_worker_and_told_when_they_are_done(
    world: Workspace, app: AppTest
) -> None:
    run, key = missed(world, "sync_ge")
    opened(app, run)
    app.button_group(key=f"why-{run}").set_value(key).run()
    app.button(key="why-try").click().run()
    assert "more are being tried" in sentences(app)
    turns = world.worker()
    while turns.take():
        pass
    app.run()
    told = sentences(app)
    assert "more are being tried" not in told
    expected = trial_lines(
        [
            one._replace(setting=label("sync_ge", one.setting))
            for one in world.reruns.trials(run, key, 5, world.reruns.rerun)
        ],
        5,
    )
    assert all(line in told for line in expected)


def test_compare_has_a_line_for_every_gold_passage_that_a_method_misses(
    world: Workspace, app: AppTest
) -> None:
    runs = [missed(world, method)[0] for method in ("bm25", "sync_ge")]
    expected = sum(
        len(gold.missed(world.runs.events(run), world.runs.get(run).gold)) for run in runs
    )
    app.run()
    app.switch_page("compare/page.py")
    app.query_params["runs"] = ",".join(runs)
    app.session_state["fold-compare-why"] = True
    app.run()
    tables = [frame.value for frame in app.dataframe if "lost at" in frame.value.columns]
    assert [len(table) for table in tables] == [expected]
    assert set(tables[0]["method"]) == {"BM25", "SyncGE"}
    assert all(tables[0]["why"])
