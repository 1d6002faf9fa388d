"""A lesson in a real browser: predict, reveal, move γ, and come back by the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import settled
from tests.browser.test_accessibility import fine, grave

LIT = """() => document.adoptedStyleSheets.some((sheet) =>
  [...sheet.cssRules].some((rule) => rule.selectorText.includes('lesson\\\\ sum') || rule.selectorText.includes('lesson sum')))"""


@pytest.fixture
def school(server: str) -> str:
    """The page Learn with a lesson of the application's operator."""
    return f"{server}/learn?lesson=clifton"


def test_predict_reveal_and_move_gamma(page: Page, school: str) -> None:
    page.goto(school)
    expect(page.get_by_role("heading", name="What one search finds")).to_be_visible()
    number = page.locator(".gear-lesson-number")
    number.locator("summary").click()
    expect(number.locator(".gear-total").last).to_have_text("0.032522")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Who goes on?")).to_be_visible()
    rivals = page.locator(".bars .rival")
    expect(rivals).to_have_count(3)
    expect(page.locator(".bars .stops")).to_have_count(0)  # not before the prediction
    page.get_by_role("button", name="It opened in 1864").click()
    expect(page.locator(".verdict")).to_have_text("The run says: It crosses the Avon Gorge.")
    second = rivals.nth(1)
    expect(second.locator(".weight")).to_have_text("× 0.779")
    expect(second.locator(".won")).to_have_text("● second place")
    expect(rivals.nth(2).locator(".guess")).to_have_text("your prediction")
    page.locator(".gear-lesson-thing").hover()  # a thing named in the text, and in the picture
    page.wait_for_function(LIT)
    chosen = page.locator(".bars [role=radio][aria-checked=true]")
    for stop in ("b", "4b", "1", "off"):
        page.locator(f".bars [data-stop='{stop}']").click()
        settled(page)  # what is drawn after the click is of this click, not of the one before
        expect(chosen).to_have_attribute("data-stop", stop)
    expect(second.locator(".weight")).to_have_text("")
    page.wait_for_url(re.compile("gamma=off"))
    page.go_back()
    expect(chosen).to_have_attribute("data-stop", "1")
    page.get_by_role("radio", name="off").click()
    settled(page)
    expect(chosen).to_have_attribute("data-stop", "off")
    assert fine(page, "learn")
    page.reload()  # a session of its own for the server; the browser remembers
    expect(page.locator(".verdict")).to_have_text("The run says: It crosses the Avon Gorge.")
    expect(page.get_by_text("1 prediction so far, 0 right.")).to_be_visible()


def test_on_a_phone_a_lesson_stands_in_one_column_and_reads_as_one_page(
    browser: Browser, school: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{school}&page=2")
    expect(page.locator(".bars .rival")).to_have_count(3)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    page.get_by_role("button", name="Read as one page").click()
    expect(page.locator(".gear-plain section")).to_have_count(2)
    expect(page.get_by_text("Solution: It crosses the Avon Gorge.")).to_be_visible()
    assert grave(page) == []
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Back to the pages")).to_be_hidden()
    context.close()
