"""A key typed in a real browser: used by the worker while the page is open, and gone with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import gear_app
from gear_app.models.server import Spec
from gear_app.workspace.runs.request import RunRequest
from tests import factories
from tests.browser.conftest import pick, serving_app, settled, unfold
from tests.browser.test_journeys import choose_collection
from tests.models.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error, serving
from tests.models.world import role_of
from tests.waiting import until


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The application, where a session that lost its browser is kept for a second; its address and
    its workspace.
    """
    with serving_app(tmp_path_factory.mktemp("keys"), "--server.disconnectedSessionTTL=1") as (
        address,
        workspace,
    ):
        yield address, workspace


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    """A server that wants the key and reads; what it is asked to extract it never replies to."""
    replies = {
        "read": '("Bell Tower", "was designed by", "Robert Hale")',
        "reason": "Answerable: Yes\nAnswer: François Carpentier",
    }

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if scripted.headers[-1].get("authorization") != f"Bearer {KEY}":
            return error(401, f"Incorrect API key provided: <img src=x onerror=alert(1)> {KEY}")
        if "path" in asked:
            return ScriptedReply(
                json.dumps({"data": [{"id": "tiny"}, {"id": "<script>alert(1)</script>"}]}).encode()
            )
        role = role_of(asked)
        return (
            ScriptedReply(b"", stalls=True) if role == "extraction" else chat_reply(replies[role])
        )

    with serving(reply) as scripted:
        yield scripted


def type_key(page: Page, address: str, server: ScriptedServer) -> None:
    """Choose the model, with the key, and try it out."""
    page.goto(f"{address}/settings")
    settled(page)
    pick(page, "model-preset", "Another server")
    page.get_by_label("Address").fill(server.base_url)
    page.get_by_label("Address").press("Enter")
    settled(page)
    page.get_by_role("button", name="Test the connection").click()
    expect(page.get_by_text("answered 401: Incorrect API key provided: <img src=x")).to_be_visible()
    field = page.locator(".st-key-model-key input")
    field.fill(KEY)
    field.press("Enter")
    expect(page.get_by_text("is held for this session, in memory alone")).to_be_visible()
    expect(field).to_have_value("")
    page.get_by_role("button", name="Test the connection").click()
    expect(page.get_by_text("The server has 2 models. Choose one")).to_be_visible()
    settled(page)
    pick(page, re.sub(r"[^\w-]", "-", f"model-name-{server.base_url}"), "tiny")
    page.get_by_role("button", name="Test the connection").click()
    expect(page.get_by_text("It works: tiny replied in")).to_be_visible()
    page.get_by_role("button", name="Use this model").click()
    expect(
        page.get_by_text(f"In use: tiny at {server.base_url}, with the key typed in this session.")
    ).to_be_visible()


def test_a_key_is_used_while_its_page_is_open_and_a_job_pauses_when_it_closes(
    browser: Browser, page: Page, app: tuple[str, Path], model: ScriptedServer
) -> None:
    address, path = app
    mine = browser.new_context(viewport={"width": 1440, "height": 960}).new_page()
    sent: list[str] = []
    mine.on("response", lambda found: sent.append(found.url))
    type_key(mine, address, model)
    mine.get_by_role("link", name="Explore").click()
    settled(mine)
    choose_collection(mine, "demo")
    unfold(mine)
    mine.get_by_label("Question", exact=True).fill(factories.QUESTION)
    mine.get_by_role("button", name="Run", exact=True).click()
    expect(mine.locator(".strip [data-step]").last).to_have_text("rank", timeout=60_000)
    expect(mine.locator(".gear-facts-line").first).to_contain_text("· tiny ·")
    assert KEY not in mine.content() + "".join(sent) + mine.url
    assert KEY not in str(
        mine.evaluate("[{...localStorage}, {...sessionStorage}, document.cookie]")
    )
    workspace = gear_app.open(path)
    run = workspace.runs.recent()[0]
    asked = {"model": Spec.from_json(run.model, run.key_from), "owner": run.owner}
    job = workspace.jobs.enqueue_extraction("demo", "llm", **asked)
    until(lambda: "messages" in model.asked[-1] and role_of(model.asked[-1]) == "extraction")
    mine.context.close()
    until(
        lambda: workspace.store.tasks.job(job).state == "paused"
    )  # at work, and waiting for a reply
    assert model.gone.wait(10)  # the connection was closed, not waited for
    waiting, count = workspace.jobs.enqueue_extraction("demo", "llm", **asked), len(model.asked)
    until(lambda: workspace.store.tasks.job(waiting).state == "paused")  # in the queue
    assert len(model.asked) == count
    late = workspace.runs.enqueue(
        RunRequest("Who was late?", "demo", "gear", reader="llm", model=asked["model"])
    )
    until(lambda: workspace.runs.get(late).state == "failed")
    assert len(model.asked) == count
    page.goto(f"{address}/collections")
    settled(page)
    expect(
        page.get_by_text(re.compile("Extraction is paused. The key for .* was typed in a browser"))
    ).to_be_visible()
    page.goto(f"{address}/settings")
    settled(page)
    expect(page.get_by_text("In use: the local reader")).to_be_visible()
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    assert {"workspace.db", "workspace.db.log", "server.log"} <= {file.name for file in files}
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []
    workspace.close()
