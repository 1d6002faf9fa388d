"""A page of runs in a real browser, opened from a disk while the network is off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import gear_app
from gear_app.display import share_pages
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import write_pack

QUESTION = f"{factories.QUESTION} </script><img src=x onerror=alert(3)>"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The factories' collection, which has a hostile passage, and two runs of a hostile question."""
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEAR_EMBEDDER", "hashing")
        made = gear_app.open(folder / "workspace.db")
        made.imports.do(write_pack(folder / "pack"), "demo")
        for method in ("hybrid", "gear"):
            made.ask(QUESTION, "demo", method)
    return made


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A visitor without network. Afterwards: nothing was asked for, no script failed, nothing of
    the policy was broken, nothing popped up.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page, faults = context.new_page(), list[str]()
    context.on(
        "request",
        lambda r: None if r.url.startswith(("file:", "blob:", "data:")) else faults.append(r.url),
    )
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    yield page
    context.close()
    assert faults == []


def opened(page: Page, folder: Path, world: Workspace, *methods: str) -> list[str]:
    ids = {run.method: run.id for run in world.runs.recent("demo")}
    wanted = [ids[method] for method in methods]
    file = folder / "page.html"
    file.write_text(share_pages.page(world, wanted).html, encoding="utf-8")
    page.goto(file.as_uri())
    expect(page.locator("#page > footer")).to_be_visible()
    return wanted


@pytest.mark.parametrize("methods", [("gear",), ("hybrid", "gear")])
def test_documents_are_text_in_a_page_that_opens_from_a_disk_without_network(
    offline: Page, world: Workspace, tmp_path: Path, methods: tuple[str, ...]
) -> None:
    opened(offline, tmp_path, world, *methods)
    expect(offline.locator("h1").first).to_have_text(QUESTION)
    assert offline.locator("#page img").count() == 0
    offline.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    expect(offline.locator(".gear-columns .card").first).to_be_visible()
    expect(offline.get_by_text("<script>alert('title')</script>").first).to_be_visible()
    light = offline.evaluate("getComputedStyle(document.body).backgroundColor")
    offline.emulate_media(color_scheme="dark")
    assert offline.evaluate("getComputedStyle(document.body).backgroundColor") != light
    serious = [
        one["id"]
        for one in Axe().run(offline).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
