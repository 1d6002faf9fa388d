"""What pointing and selecting do, in a real browser: an entity lights up wherever it stands, a term
is explained, a selected card dims what is off its path and keeps its details in view.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from gear_app.display import markup
from tests.browser.conftest import Served, asked_there, settled
from tests.browser.test_journeys import expect_step

pytestmark = pytest.mark.models
BRIDGE = "[data-entity='clifton suspension bridge']"
UNDERLINED = (
    "one => getComputedStyle(one).textDecorationLine + getComputedStyle(one).textDecorationStyle"
)


@pytest.fixture(scope="module")
def run(served: Served) -> str:
    """The address of a run of GEAR at its first beam search, with all that follows."""
    return asked_there(served, "gear", "expand")


@pytest.fixture
def expanded(page: Page, run: str) -> Page:
    """That run in a window of 1280 × 800."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(run)
    expect_step(page, "Iteration 1, expand")
    expect(page.locator(".st-key-memory .gear-columns")).to_be_visible()
    settled(page)
    return page


def lit(one: Locator) -> bool:
    return one.evaluate(UNDERLINED) == "underlinesolid"


def test_a_click_keeps_an_entity_lit_until_escape_or_a_second_click(expanded: Page) -> None:
    page = expanded
    name, memory = (
        page.locator(f"h1 {BRIDGE}"),
        page.locator(f".st-key-memory .columns {BRIDGE}").first,
    )
    name.click()
    page.mouse.move(5, 5)
    assert lit(memory)
    page.keyboard.press("Escape")
    assert not lit(memory)
    name.click()
    name.click()
    page.mouse.move(5, 5)
    assert not lit(memory)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # by the keyboard: focus is enough, Enter keeps it
    assert lit(memory)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert lit(memory)


def test_a_selected_card_dims_what_is_off_its_path_and_keeps_its_details_in_view(
    expanded: Page,
) -> None:
    page = expanded
    cards = page.locator(".st-key-stage .columns [data-card]")
    last = cards.last
    last.scroll_into_view_if_needed()
    words = last.locator("b").text_content()
    last.click()
    settled(page)
    page.mouse.move(5, 5)
    dimmed = page.locator(".st-key-stage .columns [data-card].off")
    assert 0 < dimmed.count() < cards.count()
    expect(last).not_to_have_class("off")
    colour = "one => getComputedStyle(one).borderRightColor"
    assert dimmed.first.evaluate(colour) != last.evaluate(colour)
    details = page.locator(".st-key-selected")
    expect(details).to_contain_text(str(words))
    expect(details.locator(".gear-title").first).to_be_in_viewport(ratio=1)
    expect(details.locator(".gear-sum")).to_be_in_viewport()


def test_a_term_is_explained_by_pointing_and_by_tab_until_escape(expanded: Page) -> None:
    page = expanded
    term, tip = page.locator(".gear-legend .gear-term").first, page.locator(".gear-tip")
    term.scroll_into_view_if_needed()
    term.hover()
    expect(tip).to_have_text(str(term.get_attribute("aria-description")))
    assert tip.text_content() in markup.TERMS.values()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.mouse.move(5, 5)
    term.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(tip).to_be_visible()
