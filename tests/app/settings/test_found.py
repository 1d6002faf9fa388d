"""What runs on this machine is offered, and what a browser chose is there after a reload."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import language_models, visitors
from gear_app.models import connection_test
from gear_app.models.server import PRESETS
from tests.app.settings.settings_page import Serve, in_use, press, sentences
from tests.models.server import KEY, ScriptedReply, ScriptedServer


def open_server(serve: Serve) -> ScriptedServer:
    return serve(lambda _: ScriptedReply(b'{"data": [{"id": "small"}, {"id": "<b>big"}]}'))


def usually_at(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Servers of this machine at these addresses, and OpenAI."""
    names = ("Ollama", "vLLM")
    local = [
        PRESETS[1]._replace(name=name, address=address.replace("127.0.0.1", "localhost"))
        for name, address in zip(names, addresses, strict=False)
    ]
    monkeypatch.setattr(connection_test, "PRESETS", (PRESETS[0], *local))


def test_a_server_of_this_machine_is_found_with_its_models_and_used_by_a_click(
    page: AppTest, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = open_server(serve)
    usually_at(monkeypatch, server.base_url, "http://127.0.0.1:9/v1")
    press(page, "model-look")
    page.run()
    assert "On this machine: Ollama." in sentences(page)
    said = press(page, "model-here-Ollama-small")
    assert "From now on small is asked" in said
    assert "In use: small at http://localhost" in said
    assert all("authorization" not in one for one in server.headers), "it wants no key"


def test_nothing_of_this_machine_is_asked_for_somebody_elsewhere(
    page: AppTest, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = open_server(serve)
    usually_at(monkeypatch, server.base_url)
    monkeypatch.setattr(visitors, "is_home", lambda: False)
    page.run()
    assert "model-look" not in {button.key for button in page.button}
    assert not server.asked


def test_a_browser_begins_with_the_model_it_chose_and_without_its_key(
    page: AppTest, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "browser", lambda: "one browser")
    server = in_use(page, serve())
    for name in (language_models.CHOSEN, language_models.READER, language_models.HELD):
        del page.session_state[name]
    page.run()
    said = sentences(page)
    assert f"you can choose tiny at {server.base_url}, without a key" in said, "its key is gone"
    assert "In use: the local reader" in said
    assert KEY not in repr(language_models._remembered())
    monkeypatch.setattr(visitors, "browser", lambda: "another browser")
    del page.session_state[language_models.CHOSEN]
    page.run()
    assert "In use: the local reader" in sentences(page)
