"""The panels to pick a question or a run from: one click opens them, one picks, keys do too."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.browser.conftest import settled, unfold


def open_panel(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("dialog").locator("[data-testid=stDataFrame]")).to_be_visible()


def test_a_question_is_found_by_words_and_picked(page: Page, server: str) -> None:
    page.goto(f"{server}/explore")
    unfold(page)
    open_panel(page, "Questions")
    dialog = page.get_by_role("dialog")
    search = dialog.get_by_role("textbox", name="Search")
    search.fill("zzz")
    search.press("Enter")
    expect(dialog.get_by_text(re.compile(r"^0 of \d+$"))).to_be_visible()
    search.fill("TAUGHT clifton")
    search.press("Enter")
    expect(dialog.get_by_text(re.compile(r"^1 of \d+$"))).to_be_visible()
    box = dialog.locator("[data-testid=stDataFrame]").bounding_box()
    assert box
    page.mouse.click(box["x"] + 18, box["y"] + 52)  # the mark of the first row
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("Question", exact=True)).to_have_value(factories.QUESTION)


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
    page.get_by_role("button", name="Add a gold passage…").click()
    search = page.get_by_label("Search all passages")
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
