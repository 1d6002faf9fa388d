"""A lesson in a real browser: predict, reveal, move γ, and come back by the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settled
from tests.browser.test_accessibility import fine


@pytest.fixture
def school(server: str) -> str:
    """The page Learn with a lesson of the application's operator."""
    return f"{server}/learn?lesson=14+Clifton"


def test_predict_reveal_and_move_gamma(page: Page, school: str) -> None:
    page.goto(school)
    expect(page.get_by_role("heading", name="What one search finds")).to_be_visible()
    settled(page)
    page.locator(".gear-lesson-name").hover()  # a name in the text lights up in the picture
    page.wait_for_function(
        "() => document.adoptedStyleSheets.some((sheet) => [...sheet.cssRules].some("
        "(rule) => rule.selectorText.includes('clifton')))"
    )
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Who goes on?")).to_be_visible()
    settled(page)
    bars = page.locator(".js-plotly-plot")
    expect(bars.get_by_text("It opened in 1864", exact=False)).to_have_count(0)
    expect(bars.get_by_text("place")).to_have_count(0)  # not before the prediction
    page.get_by_text("It opened in 1864", exact=True).click()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("The run says: It crosses the Avon Gorge.")).to_be_visible()
    expect(bars.get_by_text("● second place")).to_have_count(1)
    expect(bars.get_by_text("(× 0.779)")).to_have_count(1)
    expect(bars.get_by_text("your prediction")).to_have_count(1)
    page.get_by_role("radio", name="off", exact=True).click()
    expect(page.get_by_text("Compared with the paper")).to_be_visible()
    expect(bars.get_by_text("(× 0.779)")).to_have_count(0)
    page.wait_for_url(re.compile("gamma=off"))
    page.mouse.move(0, 0)
    settled(page)
    assert fine(page, "learn")
    page.reload()  # the place is in the address, predictions are of the session
    expect(page.get_by_role("heading", name="Who goes on?")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="What one search finds")).to_be_visible()
