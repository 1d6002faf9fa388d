"""The page Settings, open, and servers of language models that it can be pointed at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import visitors
from gear_app.index.opensearch.cluster import PASSWORD, URL, USER
from gear_app.models.server import KEY as KEY_VARIABLE
from gear_app.workspace.workspace import Workspace
from tests.app.settings.settings_page import Serve
from tests.models.server import KEY, ScriptedReply, ScriptedServer, error, serving
from tests.models.world import by_role

Reply = Callable[[dict[str, Any]], ScriptedReply]
READ = '("Bell Tower", "was designed by", "Robert Hale")'
ENOUGH = "Answerable: Yes\nAnswer: François Carpentier"


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor at the machine, and nothing in the environment."""
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    for name in (
        KEY_VARIABLE,
        URL,
        USER,
        PASSWORD,
        "OPENAI_BASE_URL",
        "GEAR_MODEL",
        "GEAR_KEY_FOR",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "is_home", lambda: False)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers. Without a reply of its own one has two models, wants the key, and answers."""
    with ExitStack() as running:

        def served(reply: Reply | None = None) -> ScriptedServer:
            read_and_reason = by_role(read=[READ], reason=[ENOUGH])

            def usual(asked: dict[str, Any]) -> ScriptedReply:
                if server.headers[-1].get("authorization") != f"Bearer {KEY}":
                    return error(401, "Incorrect API key provided: sk-t***. <b>Go away</b>")
                if "path" in asked:
                    return ScriptedReply(b'{"data": [{"id": "tiny"}, {"id": "large"}]}')
                return read_and_reason(asked)

            server = running.enter_context(serving(reply or usual))
            return server

        yield served


@pytest.fixture
def page(world: Workspace, app: AppTest) -> AppTest:
    app.run()
    return app.switch_page("settings/page.py").run()
