"""The page Settings as a visitor fills it in and reads it."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

from tests import factories
from tests.app import conftest
from tests.app.conftest import visit
from tests.models.server import KEY, ScriptedServer

# Starts a server of language models: with a reply of its own, or what each role is told.
Serve = Callable[..., ScriptedServer]


def sentences(at: AppTest) -> str:
    return html.unescape(conftest.sentences(at))


def drawn(at: AppTest) -> str:
    """Everything the browser is sent, as text."""

    def of(node: Any) -> Iterator[str]:
        yield str(getattr(node, "proto", ""))
        for child in getattr(node, "children", {}).values():
            yield from of(child)

    return "\n".join(of(at._tree))


def state(at: AppTest) -> str:
    """All that the session holds, as text."""
    return repr(at.session_state.to_dict())


def at_server(page: AppTest, address: str, key: str = "", model: str | None = None) -> AppTest:
    """Fill the form in."""
    if model:  # AppTest can choose a name that is listed, but type none
        page.session_state[model_key(address)] = model
    page.selectbox(key="model-preset").set_value("Another server").run()
    page.text_input(key="model-address").set_value(address).run()
    if key:
        page.text_input(key="model-key").set_value(key).run()
    return page


def model_key(address: str) -> str:
    """The key of the field for a model of a server."""
    return f"model-name-{address.rstrip('/')}"


SECTIONS = {"model": "Language model"}


def section(page: AppTest, name: str) -> AppTest:
    """Open a section by its address."""
    visit(page, section=SECTIONS.get(name, name.capitalize()))
    return page


def press(page: AppTest, key: str) -> str:
    page.button(key=key).click().run()
    return sentences(page)


def in_use(page: AppTest, server: ScriptedServer) -> ScriptedServer:
    """Have a model of the server used; the server."""
    at_server(page, server.base_url, KEY, "tiny")
    said = f"In use: tiny at {server.base_url}, with the key typed in this session."
    assert said in press(page, "model-use")
    return server


def ask(at: AppTest, question: str = factories.QUESTION) -> None:
    at.switch_page("explore/page.py").run()
    at.text_input(key="question").set_value(question)
    at.button(key="run-button").click().run()
