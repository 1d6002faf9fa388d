"""The panels to pick a question or a run from: one click opens them, one picks, keys do too."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import click_until_visible, settled, unfold


@pytest.mark.parametrize("words", ["Rouen", "Thomas Telford"])
def test_any_passage_becomes_gold_of_a_question_of_ones_own(
    page: Page, server: str, words: str
) -> None:
    page.goto(f"{server}/explore")
    unfold(page)
    field = page.get_by_label("Question", exact=True)
    field.fill(f"Who was it, {words}?")
    field.press("Enter")
    expect(page.locator(".strip [data-step]").last).to_have_text("rank")
    settled(page)  # the page is drawn once more when the run has ended
    page.get_by_text("Recall, gold passages and settings").click()
    search = page.get_by_label("Search all passages")
    click_until_visible(page.get_by_role("button", name="Add a gold passage…"), search)
    search.fill(words)
    search.press("Enter")
    page.get_by_role("button", name="Add", exact=True).first.click()
    expect(page.get_by_text("gold marked later")).to_be_visible()


@pytest.mark.parametrize("name", ["", "settings"])
def test_the_keys_open_on_pages_of_each_kind_and_rest_while_one_types(
    page: Page, server: str, name: str
) -> None:
    page.goto(f"{server}/{name}")
    settled(page)
    keys = page.get_by_role("dialog", name="Keys")
    page.keyboard.press("k")
    expect(keys).to_be_visible()
    expect(keys.get_by_role("cell", name="uncover the next card")).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.locator(".st-key-keys button").click()
    keys.get_by_role("button", name="Close").click()
    expect(keys).to_be_hidden()
    field = page.locator(".stMainBlockContainer input[type=text]:visible").first
    if field.count():
        field.focus()
        page.keyboard.press("k")
        expect(keys).to_be_hidden()
