"""A language model is tried out: what works, and what is wrong with a server."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.models.reader import readers
from gear_app.models.server import Patience
from tests.app import conftest
from tests.app.settings.settings_page import (
    Serve,
    at_server,
    drawn,
    model_key,
    press,
    state,
)
from tests.models.server import KEY, ScriptedReply, error


def test_the_connection_is_tested_and_the_models_can_be_chosen(page: AppTest, serve: Serve) -> None:
    server = serve()
    at_server(page, server.base_url, KEY)
    assert "The server answers. The server has 2 models. Choose one, then test again." in press(
        page, "model-test"
    )
    assert page.selectbox(key=model_key(server.base_url)).options == ["tiny", "large"]
    page.selectbox(key=model_key(server.base_url)).set_value("large").run()
    assert "It works: large replied in" in press(page, "model-test")
    asked = server.asked[-1]
    assert (asked["model"], asked["max_tokens"], len(server.asked)) == ("large", 2048, 3)


FAULTS: dict[str, tuple[ScriptedReply, str]] = {
    "wrong key": (
        error(401, f"Incorrect API key provided: {KEY} <b>now</b>"),
        "answered 401: Incorrect API key",
    ),
    "elsewhere": (
        ScriptedReply(KEY.encode(), 302, {"Location": f"http://127.0.0.1:9/{KEY}"}),
        "answered 302",
    ),
    "no JSON": (
        ScriptedReply(f"<html>{KEY}</html>".encode(), kind="text/html"),
        "sent a web page: [key]. Its address mostly ends in /v1",
    ),
    "no reply": (ScriptedReply(json.dumps({"hello": KEY}).encode()), "JSON without a reply"),
    "stalled": (ScriptedReply(KEY.encode(), stalls=True), "gave no whole reply"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_told_in_the_servers_own_words_escaped_and_without_the_key(
    page: AppTest,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(readers, "PATIENCE", Patience(timeout_s=0.5, retries=0))
    reply, told = FAULTS[fault]
    server = serve(lambda asked: reply)
    at_server(page, server.base_url, KEY, "tiny")
    shown = press(page, "model-test")
    assert "It does not work yet." in shown and told in shown
    assert KEY not in drawn(page) + state(page) + caplog.text
    assert "<b>now" not in conftest.sentences(page)
    assert (
        len(server.asked) <= 3
    )  # each thing once: the models, one word, and more of them where one is refused
