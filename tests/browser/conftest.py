"""A real server on a free port with its own workspace, and a real Chromium that may not leave this
machine.
"""

from __future__ import annotations

import re
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

import gear_app
from gear_app.cli.serve import APP
from gear_app.core.launch import launch
from gear_app.lessons.lesson import FOLDER
from gear_app.trace import timeline
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import write_pack
from tests.app.test_learn_page import LESSON
from tests.browser import chromium
from tests.ports import free_port
from tests.waiting import until

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
SCREENSHOTS = Path(__file__).parents[1] / "screenshots"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(autouse=True)
def hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test does to a server's workspace itself needs no model either."""
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")


class Served(NamedTuple):
    """A running application: the address it is at, and its workspace."""

    address: str
    path: Path


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The application as `gear-app serve` runs it, with a collection and a lesson of its operator:
    one for all tests of a process that do not mind what others asked. To start one takes a
    processor for ten seconds.
    """
    lessons = tmp_path_factory.mktemp("lessons")
    (lessons / "clifton.toml").write_text(LESSON, encoding="utf-8")
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:  # while it starts: other tests have their own
            patch.setenv(FOLDER, str(lessons))
            started = stack.enter_context(serving_app(tmp_path_factory.mktemp("server")))
        yield Served(*started)


@pytest.fixture
def server(served: Served) -> str:
    """The address of the application."""
    return served.address


def asked_there(served: Served, method: str, verb: str) -> str:
    """The address of a new run of a method, at its first step of this sort."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEAR_EMBEDDER", "hashing")
        workspace = gear_app.open(served.path)
        answer = workspace.ask(factories.QUESTION, "demo", method)
        workspace.close()
    step = next(one.number for one in timeline.steps(answer.events) if one.verb == verb)
    return f"{served.address}/explore?run={answer.run}&step={step}"


def new_collection(served: Served, name: str) -> Workspace:
    """The workspace of the application, in which `demo` is there once more, under a name of which
    nothing was asked yet.
    """
    workspace = gear_app.open(served.path)
    workspace.imports.do(write_pack(served.path.parent / "pack"), name)
    return workspace


@contextmanager
def serving_app(folder: Path, *options: str) -> Iterator[tuple[str, Path]]:
    """The application with these options of Streamlit's; the address it is at and its workspace."""
    workspace = folder / "workspace.db"
    patch = pytest.MonkeyPatch()
    patch.setenv("GEAR_EMBEDDER", "hashing")
    gear_app.open(workspace).imports.do(write_pack(folder / "pack"), "demo")
    port = free_port()
    program = launch(
        "streamlit",
        "run",
        str(APP),
        f"--server.port={port}",
        *options,
        GEAR_WORKSPACE=str(workspace),
    )
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(
            program.command, env=program.environment, stdout=log, stderr=log, cwd=folder
        ) as process,
    ):
        try:
            until(lambda: _healthy(f"http://127.0.0.1:{port}/_stcore/health", process))
            patch.undo()
            yield f"http://localhost:{port}", workspace
        finally:  # else a test that fails here would wait for the server's end without end
            patch.undo()
            process.terminate()
    workspace.unlink()  # its worker goes with it


def _healthy(address: str, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "the server ended before it was healthy"
    try:
        urllib.request.urlopen(address, timeout=10).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all journeys."""
    path = chromium.find()
    if path is None:
        pytest.skip("no Chromium here; install one, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(params=["light"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh visitor. Afterwards: no request left this machine, no script failed, nothing popped
    up.
    """
    context = browser.new_context(
        viewport={"width": 1440, "height": 960}, color_scheme=request.param
    )
    context.set_default_timeout(60_000)
    page, faults = context.new_page(), []
    context.on(
        "request", lambda r: None if _stays(r.url) else faults.append(f"left this machine: {r.url}")
    )
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))

    def logged(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            faults.append(f"stopped by the policy of the page: {message.text}")

    page.on("console", logged)

    def popped(dialog: Any) -> None:
        faults.append(f"popped up: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", popped)
    yield page
    context.close()
    assert faults == []


def _stays(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about") or parts.hostname in ("localhost", "127.0.0.1")


def click_until_visible(button: Locator, shown: Locator) -> None:
    """Click until this is there: a click that meets a redraw of the page is lost."""

    def clicked() -> bool:
        button.click()
        with suppress(PlaywrightTimeoutError):
            shown.wait_for(timeout=5_000)
        return shown.is_visible()

    until(clicked)


def settled(page: Page, late_ms: int = 700) -> None:
    """Wait until the page's script has run and drawn, also one that a busy machine begins late."""
    idle = "[data-testid=stApp][data-test-script-state=notRunning]"
    page.wait_for_selector(idle)
    page.wait_for_timeout(late_ms)
    page.wait_for_selector(idle)


def pick(page: Page, key: str, option: str | re.Pattern[str], typed: str = "") -> None:
    """Choose an option of a box, of a long list by what is typed. A list that still scrolls to what
    was chosen before can lose a click, and stays open: it is clicked again.
    """
    page.locator(f".st-key-{key}").get_by_role("combobox").click()
    page.keyboard.type(typed)
    listed = page.get_by_role("listbox")
    listed.wait_for()
    until(lambda: not listed.count() or _clicked(listed, option))
    settled(page)


def _clicked(listed: Locator, option: str | re.Pattern[str]) -> bool:
    listed.get_by_role("option", name=option, exact=isinstance(option, str)).click()
    try:
        expect(listed).to_be_hidden(timeout=2_000)
    except AssertionError:
        return False
    return True


def unfold(page: Page) -> None:
    """Unfold the bar with which the page is asked, where it is folded."""
    settled(page)
    if page.locator("[class*=st-key-explore-bar-] details:not([open])").count():
        page.locator("[class*=st-key-explore-bar-] summary").first.click()
        settled(page)
