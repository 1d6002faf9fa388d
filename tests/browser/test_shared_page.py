"""A page of runs in a real browser, opened from a disk while the network is off: it steps by keys,
shows what is selected, compares, and lets nothing of a document run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import gear_app
from gear_app.views.share import pages
from gear_app.workspace import Workspace
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
        made.import_path(write_pack(folder / "pack"), "demo")
        for method in ("hybrid", "gear"):
            made.ask(QUESTION, "demo", method)
    return made


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A visitor without network. Afterwards: nothing was asked for, no script failed, nothing of
    the policy was broken, nothing popped up.
    """
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, offline=True, accept_downloads=True
    )
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
    file.write_text(pages.page(world, wanted).html, encoding="utf-8")
    page.goto(file.as_uri())
    expect(page.locator("#page > footer")).to_be_visible()
    return wanted


def test_a_run_is_stepped_through_by_keys_from_a_disk_without_network(
    offline: Page, world: Workspace, tmp_path: Path
) -> None:
    (run,) = opened(offline, tmp_path, world, "gear")
    offline.goto(f"{offline.url.split('#')[0]}#run={run}&step=2")
    place = offline.locator(".walk span")
    expect(place).to_contain_text("3 of ")
    offline.keyboard.press("ArrowRight")
    expect(place).to_contain_text("4 of ")
    assert offline.url.endswith(f"run={run}&step=3")
    expect(offline.locator(".strip [aria-current]")).to_have_text("expand")
    cards = offline.locator(".beam [data-card]")
    cards.nth(1).click()
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(offline.locator(".st-key-selected")).to_contain_text("Selected triple")
    offline.keyboard.press("ArrowLeft")  # of the cards, while one has the focus
    assert offline.url.endswith("step=3")
    offline.locator("h1").click()
    offline.keyboard.press("ArrowLeft")
    expect(place).to_contain_text("3 of ")
    offline.go_back()
    expect(place).to_contain_text("4 of ")
    font = offline.evaluate("document.fonts.check('600 14px \"Source Sans\"')")
    assert font, "the application's font is in the page"


def test_documents_are_text_in_the_page_and_both_themes_are_there(
    offline: Page, world: Workspace, tmp_path: Path
) -> None:
    opened(offline, tmp_path, world, "gear")
    expect(offline.locator("h1")).to_have_text(QUESTION)
    assert offline.locator("#page img").count() == 0
    last = int(offline.locator(".walk span").inner_text().split(" of ")[1])
    for _ in range(last):
        offline.keyboard.press("ArrowRight")
    expect(offline.locator(".walk span")).to_have_text(f"{last} of {last}")
    offline.get_by_text("As a table").first.click()
    expect(offline.get_by_text("<script>alert('title')</script>").first).to_be_visible()
    before = offline.evaluate("getComputedStyle(document.body).backgroundColor")
    offline.get_by_role("button", name="Light or dark").click()
    after = offline.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    serious = [
        found["id"]
        for found in Axe().run(offline).response["violations"]
        if found["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_a_comparison_opens_its_runs_in_place_and_hands_them_over_as_json(
    offline: Page, world: Workspace, tmp_path: Path
) -> None:
    ids = opened(offline, tmp_path, world, "hybrid", "gear")
    expect(offline.locator(".heads .head")).to_have_count(2)
    offline.locator(".pill").first.click()
    expect(offline.locator(".pill").first).to_have_attribute("aria-pressed", "true")
    offline.get_by_role("button", name="Look at the first 10").click()
    expect(offline.get_by_role("button", name="Look at the first 10")).to_have_attribute(
        "aria-pressed", "true"
    )
    offline.locator(".heads .name").nth(1).click()
    expect(offline.locator(".strip [aria-current]")).to_be_visible()
    assert ids[1] in offline.url
    offline.get_by_role("button", name="Comparison").click()
    expect(offline.locator(".heads .head")).to_have_count(2)
    with offline.expect_download() as download:
        offline.get_by_role("button", name="Save the runs that are in this page as JSON").click()
    saved = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [run["id"] for run in saved["runs"]] == ids
