"""Runs that ask the language model that was chosen on Settings."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from gear_app.models.server import Spec
from gear_app.workspace.workspace import Workspace
from tests.app.settings.settings_page import Serve, ask, drawn, in_use, press, section, sentences
from tests.models.server import KEY


def test_a_run_asks_the_model_with_the_key_of_the_session(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Serve
) -> None:
    server = in_use(page, serve())
    section(page, "costs").number_input(key="language-budget").set_value(50_000).run()
    ask(page)
    (run,) = world.runs.recent()
    assert Spec.from_json(run.model) == Spec(server.base_url, "tiny")
    assert (run.reader, run.budget) == ("llm", 50_000)
    assert run.key_from.startswith("session ") and KEY not in run.key_from
    work()
    page.run()
    assert world.runs.get(run.id).state == "done"
    assert "· tiny ·" in sentences(page) and "by tiny" in sentences(page)
    assert KEY not in drawn(page)
    assert "Hale" in "".join(server.prompts)
    section(page.switch_page("settings/page.py"), "costs")
    (spent,) = world.store.tasks.spending()
    assert (spent.model, spent.runs, spent.spent.calls) == ("tiny", 1, 3)
    assert "3 replies, " in sentences(page)
    assert "No price is known for tiny." in sentences(page)
    assert "None yet." in press(page, "forget-replies")
    assert "needs the model's name and both numbers" in press(page, "price-add")
    page.number_input(key="price-in").set_value(1.0)
    page.number_input(key="price-out").set_value(2.0)
    page.button(key="price-add").click().run()
    assert world.store.prices.all()["tiny"] == (1.0, 2.0)


def test_a_run_whose_key_was_forgotten_fails_with_a_sentence_and_asks_nothing(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Serve
) -> None:
    server = in_use(page, serve())
    ask(page)
    page.switch_page("settings/page.py").run()
    assert "In use: the local reader" in press(page, "model-forget")
    work()
    (run,) = world.runs.recent()
    assert run.state == "failed"
    assert "Open Settings, type it again, then press Run or Extract again" in run.message
    assert server.asked == []
