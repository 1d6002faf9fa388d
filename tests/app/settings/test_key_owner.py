"""Whose key is spent: the session's own, or the environment's for who may spend it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.models.server import KEY as KEY_VARIABLE
from gear_app.models.server import Spec
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import ALL_RIGHTS, RunRequest
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app import conftest
from tests.app.settings.settings_page import Serve, ask, at_server, drawn, in_use, press, sentences
from tests.models.server import KEY


def another_session() -> AppTest:
    start = AppTest.from_file(str(conftest.MAIN), default_timeout=60).run()
    return start.switch_page("explore/page.py").run()


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        (KEY_VARIABLE, KEY),
        ("OPENAI_BASE_URL", "https://models.example.com/v1"),
        ("GEAR_MODEL", "corporate"),
    ):
        monkeypatch.setenv(name, value)


def test_nobody_else_runs_a_run_again_with_the_key_of_who_made_it(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Serve
) -> None:
    server = in_use(page, serve())
    ask(page)
    work()
    asked = len(server.asked)
    (run,) = world.runs.recent()
    world.imports.do(
        Pasted("Another", "The Bell Tower opened in 1902."), "demo"
    )  # the run is of an earlier revision
    other = another_session()
    other.button(key="again").click().run()
    assert f"This run asked tiny at {server.base_url} with a key." in sentences(other)
    assert [found.id for found in world.runs.recent()] == [run.id] and len(server.asked) == asked
    page.run()
    page.button(key="again").click().run()
    assert len(world.runs.recent()) == 2 and world.runs.recent()[0].key_from == run.key_from


def test_a_run_again_takes_the_budget_of_the_session_whoever_made_the_run(
    page: AppTest, world: Workspace, serve: Serve
) -> None:
    asks = Spec(serve().base_url, "tiny")
    world.runs.cancel(
        world.runs.enqueue(RunRequest(factories.QUESTION, "demo", "gear", reader="llm", model=asks))
    )  # as by query
    page.switch_page("explore/page.py").run()
    page.button(key="again").click().run()
    again, first = world.runs.recent()
    assert (first.budget, again.budget, again.reader) == (None, 200_000, "llm")


def test_the_model_of_the_environment_is_there_for_who_may_spend_its_key_and_asked_when_chosen(
    environment: None, page: AppTest, world: Workspace
) -> None:
    assert (
        "In Explore and Compare you can choose corporate at https://models.example.com/v1"
        in sentences(page)
    )
    assert page.selectbox(key="model-preset").value == "From the environment"
    assert "The key in the server's environment is used, unless you type one." in sentences(page)
    ask(page)
    assert world.runs.recent()[0].reader == "local"  # nothing is spent before somebody chooses it
    page.selectbox(key="reader").set_value("llm").run()
    ask(page, "Who was it?")
    assert (world.runs.recent()[0].reader, world.runs.recent()[0].key_from) == (
        "llm",
        "environment",
    )
    assert KEY not in drawn(page)


def test_a_visitor_from_elsewhere_does_not_get_the_key_of_the_environment(
    environment: None,
    elsewhere: None,
    page: AppTest,
    world: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "corporate" not in sentences(page).partition("About")[0]
    assert page.selectbox(key="model-preset").options == ["OpenAI", "Another server"]
    at_server(page, "https://models.example.com/v1", model="corporate")
    assert "In use: corporate at https://models.example.com/v1, without a key." in press(
        page, "model-use"
    )
    ask(page)
    assert world.runs.recent()[0].key_from == ""
    monkeypatch.setenv("GEAR_KEY_FOR", "everyone")
    page.switch_page("settings/page.py").run()
    assert "with the key in the server's environment" in sentences(page)


def test_nobody_from_elsewhere_spends_the_environments_key_by_running_a_run_again(
    environment: None, elsewhere: None, page: AppTest, world: Workspace
) -> None:
    spec = Spec("https://models.example.com/v1", "corporate", key_from="environment")
    run = world.runs.enqueue(
        RunRequest(factories.QUESTION, "demo", "gear", reader="llm", model=spec, rights=ALL_RIGHTS)
    )
    world.runs.cancel(run)
    world.imports.do(Pasted("Another", "The Bell Tower opened in 1902."), "demo")
    page.switch_page("explore/page.py").run()
    page.button(key="again").click().run()
    assert "with a key. Open Settings, choose that server, type a key for it" in sentences(page)
    assert len(world.runs.recent()) == 1


@pytest.mark.parametrize("button", ["model-use", "model-test"])
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://api.example.com/v1", "only addresses that begin with https://"),
        ("https://127.0.0.1/v1", "own network"),
        ("https://localhost:8501/v1", "own network"),
    ],
)
def test_a_visitor_from_elsewhere_names_no_address_of_this_network(
    elsewhere: None, page: AppTest, button: str, address: str, told: str
) -> None:
    at_server(page, address, model="tiny")
    assert told in press(page, button)
    assert "In use: the local reader" in sentences(page)
