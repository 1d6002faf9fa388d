"""Comparing in a real browser: the queue fills the page, the keyboard walks a passage's line, a
cell of the gold passages opens its run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Position, expect

from tests import factories
from tests.browser.conftest import serving_app, settled

pytestmark = pytest.mark.models
COLUMNS = 6  # where nothing else was chosen


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application where nothing else is asked: Compare begins with what was asked before."""
    with serving_app(tmp_path_factory.mktemp("compare")) as (address, _):
        yield address


def compared(page: Page, server: str, question: str = factories.QUESTION) -> None:
    page.goto(f"{server}/compare")
    settled(page)
    field = page.get_by_label("Question", exact=True)
    if not field.is_visible():
        page.get_by_text("Question and methods").click()
    field.fill(question)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".heads .head").nth(2)).to_be_visible()
    expect(page.locator(".notice.busy")).to_have_count(0, timeout=90_000)
    settled(page)
    expect(page.locator(".heads .head")).to_have_count(COLUMNS)


def test_compare_follow_a_passage_open_its_run_and_come_back(page: Page, server: str) -> None:
    compared(page, server)
    address = page.url
    heads = page.locator(".heads .name")
    names = heads.all_inner_texts()
    assert names[:3] == ["Hybrid", "Chain", "GEAR"]
    dashes = page.locator("path.cut").evaluate("one => getComputedStyle(one).strokeDasharray")
    assert dashes == "6px, 4px"  # the legend calls it dashed, and another line dotted
    one = page.locator(".pill[data-column='0']").nth(1)
    title, key = one.locator(".title").inner_text(), one.get_attribute("data-key")
    one.click()
    expect(page.get_by_text("Selected passage")).to_be_visible()
    settled(page)
    one.focus()
    page.keyboard.press("ArrowRight")
    there = page.locator(f".pill[data-column='1'][data-key='{key}']")
    expect(there).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".pill[aria-pressed=true]").first).not_to_have_attribute(
        "data-key", str(key)
    )
    one.click()
    expect(page.locator(".gear-title h2", has_text=title).first).to_be_visible()
    grid = page.locator("[data-testid=stDataFrame]").first
    grid.scroll_into_view_if_needed()
    cell: Position = {"x": 260, "y": 55}  # the first gold passage by the first method
    grid.hover(position=cell)
    settled(page)
    grid.click(position=cell, delay=100)
    page.wait_for_url(re.compile(r"/explore\?.*run=\w+"))
    expect(page.locator(".gear-header h1")).to_have_text(factories.QUESTION)
    page.goto(address)
    expect(heads).to_have_text(names)
    assert page.locator(".notice").count() == 0


def test_a_hostile_title_is_words_in_every_column(page: Page, server: str) -> None:
    compared(page, server, "a page that says href script alert")
    expect(page.locator(".pill .title", has_text="<script>").first).to_be_visible()
    page.locator(".pill", has_text="<script>").first.click()
    expect(page.locator(".gear-title h2", has_text="<script>")).to_be_visible()
