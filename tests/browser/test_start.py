"""The start screen in a real browser: its sentence, its captions, a card that opens."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import gear_app
from tests import factories
from tests.browser.conftest import serving_app, settled
from tests.browser.test_journeys import expect_step, shoot


@pytest.fixture(scope="module")
def featured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an application whose collection has a pinned run."""
    with (
        pytest.MonkeyPatch.context() as patch,
        serving_app(tmp_path_factory.mktemp("start")) as (address, path),
    ):
        patch.setenv("GEAR_EMBEDDER", "hashing")
        workspace = gear_app.open(path)
        workspace.runs.pin(workspace.ask(factories.QUESTION, "demo", "gear").run)
        workspace.close()
        yield address


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_a_card_of_the_first_screen_opens_its_step(
    page: Page, featured: str, request: pytest.FixtureRequest
) -> None:
    page.goto(featured)
    expect(page.get_by_role("heading", level=1)).to_contain_text("GEAR reads facts")
    expect(page.locator(".start h2")).to_have_text(factories.QUESTION)
    settled(page)
    theme = request.node.callspec.params["page"]
    shoot(page, f"start-{theme}")
    cards = page.locator(".start a.card")
    expect(cards.first).to_be_visible()
    page.locator(".start .caption").nth(1).locator("a.card").last.click()
    page.wait_for_url(re.compile(r"/explore\?run=\w+&step=\d+"))
    expect_step(page, "Expand, iteration 1")
    page.get_by_role("link", name="Start").click()
    expect(cards.first).to_be_visible()


def test_on_a_phone_the_captions_stand_under_one_another(browser: Browser, featured: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(featured)
    captions = page.locator(".start .caption")
    expect(captions.nth(2)).to_be_visible()
    places = [captions.nth(n).bounding_box() for n in range(3)]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops) and len(set(tops)) == 3
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    context.close()
