"""A method's name that is typed, and Enter: that method is chosen, whatever others are called."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from gear_app.methods import METHODS
from tests.browser.conftest import settled, unfold


def typed(page: Page, key: str, words: str) -> None:
    box = page.locator(f".st-key-{key}").get_by_role("combobox")
    box.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    settled(page)


def test_a_methods_short_name_chooses_that_method(page: Page, server: str) -> None:
    page.goto(f"{server}/explore")
    unfold(page)
    for number, name in enumerate(("dtr", "bdtr", "hybrid", "ircot", "gear")):
        written = METHODS[name].label
        typed(page, "method", written.upper() if number % 2 else written.lower())
        expect(page.locator(".st-key-method").get_by_role("combobox")).to_have_value(
            f"{METHODS[name].label} — {METHODS[name].summary}"
        )
