"""The start screen behind the real pages."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from gear_app.app.shared import suggestions
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences
from tests.app.explored import component


def test_the_bare_address_says_what_this_is_over_the_pinned_run(
    world: Workspace, start: AppTest
) -> None:
    pinned = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.pin(pinned)
    world.ask(factories.QUESTION, "demo", "hybrid")  # whoever asked last
    start.run()
    drawn = str(component(start, "columns")["html"])
    assert re.findall(r"<h3>([^<]+)</h3>", drawn)[1:] == [
        "2. A fact leads on",
        "3. The memory grows",
    ]
    assert html.escape(factories.QUESTION) in sentences(start)
    assert "<h1>GEAR reads facts from passages and follows them</h1>" in sentences(start)
    assert "run" not in start.query_params


def test_an_empty_workspace_says_what_to_do_and_takes_documents(
    empty: Workspace, start: AppTest
) -> None:
    start.run()
    assert "gear-app demo" in sentences(start)
    assert not start.get("text_input") or start.text_input(key="start-collection").value
    start.file_uploader(key="start-uploads-0").set_value(("a.txt", b"Some words.", "text/plain"))
    start.button(key="start-add-0").click().run()
    assert [info.name for info in empty.collections.all()] == ["my documents"]
    assert start.selectbox(key="collection").value == "my documents"


def test_documents_of_ones_own_are_asked_with_one_click_once_they_are_there(
    empty: Workspace, start: AppTest, work: Callable[[], None]
) -> None:
    start.run()
    text = b"Mill House was designed by Henry Ward. It stands at a river."
    start.file_uploader(key="start-uploads-0").set_value(("mill.txt", text, "text/plain"))
    start.button(key="start-add-0").click().run()
    assert not [one for one in start.button if one.key == "ask-collection"], "nothing is there yet"
    work()
    start.run()
    start.button(key="ask-collection").click().run()
    assert start.selectbox(key="collection").value == "my documents"
    label = start.button(key="suggested-0").label
    assert label == r"Who designed Mill House\?", "its words are no Markdown"
    assert suggestions.UNCHECKED in [caption.value for caption in start.caption]
    start.button(key="suggested-0").click().run()
    start.button(key="run-button").click().run()
    (run,) = empty.runs.recent()
    assert (run.question, run.collection) == ("Who designed Mill House?", "my documents")
