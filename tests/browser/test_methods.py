"""Explore for the other methods in a real browser: picking one, the picture of a walk, the strip,
both themes.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, asked_there, settled
from tests.browser.test_journeys import choose_collection


def on_demo(page: Page, server: str) -> None:
    page.goto(f"{server}/explore")
    settled(page)
    choose_collection(page, "demo")


@pytest.fixture(scope="module")
def links(served: Served) -> str:
    """The address of a first round of links."""
    return asked_there(served, "chain", "follow")


def test_a_card_of_links_opens_its_sum_by_mouse_and_by_keyboard(page: Page, links: str) -> None:
    page.goto(links)
    card = page.locator(".st-key-stage .columns [data-card]").nth(1)
    card.click()
    settled(page)
    expect(card).to_have_attribute("aria-pressed", "true")
    title = card.locator("b").text_content() or ""
    expect(page.locator(".st-key-selected h2").first).to_have_text(title)
    expect(page.locator(".gear-sum dt")).to_have_count(8)
    card.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-stage .columns [data-card]").first).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.locator(".strip [aria-current='step']")).to_have_text("follow, round 1")
