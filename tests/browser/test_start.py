"""The start screen in a real browser: its sentence, its captions, a card that opens."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

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
    expect(page.locator(".st-key-example h2")).to_have_text(factories.QUESTION)
    settled(page)
    theme = request.node.callspec.params["page"]
    shoot(page, f"start-{theme}")
    cards = page.locator(".gear-columns .card")
    expect(cards.first).to_be_visible()
    page.locator(".gear-columns section").nth(1).locator(".card").last.click()
    page.wait_for_url(re.compile(r"/explore\?run=\w+&step=\d+"))
    expect_step(page, "Iteration 1, expand")
    page.get_by_role("link", name="Start").click()
    expect(cards.first).to_be_visible()
