"""Explore for the other methods in a real browser: picking one, the picture of a walk, the strip,
both themes.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from gear_app.app.shared.method_form import PAPER
from tests import factories
from tests.browser.conftest import Served, asked_there, pick, settled, unfold
from tests.browser.test_journeys import ask, choose_collection, expect_step, shoot


def on_demo(page: Page, server: str) -> None:
    page.goto(f"{server}/explore")
    settled(page)
    choose_collection(page, "demo")


@pytest.fixture(scope="module")
def walk(served: Served) -> str:
    """The address of a walk."""
    return asked_there(served, "hipporag", "walk")


@pytest.fixture(scope="module")
def links(served: Served) -> str:
    """The address of a first round of links."""
    return asked_there(served, "chain", "follow")


def test_a_walks_cards_are_chosen_by_mouse_and_by_keyboard(page: Page, walk: str) -> None:
    page.goto(walk)
    expect_step(page, "Walk")
    cards = page.locator(".st-key-stage .columns [data-card]")
    node = page.locator(".st-key-stage .columns [data-card^='n']").first
    node.click()
    expect(page.get_by_text("Selected entity")).to_be_visible()
    passage = page.locator(".st-key-stage .columns [data-card^='p']").first
    passage.click()
    expect(page.get_by_text("Its score")).to_be_visible()
    expect(page.locator(".gear-sum .gear-total").first).to_have_text("= score")
    expect(
        page.locator(".st-key-stage .columns .line.on").first
    ).to_be_attached()  # the ways to it stand out
    passage.focus()
    page.keyboard.press("ArrowLeft")
    expect_step(page, "Walk")  # the arrow moved the focus, not the step
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(
        page.locator(".st-key-stage .columns [data-card][aria-pressed='true']")
    ).to_have_attribute("data-card", re.compile("^n"))
    assert cards.count() > 3


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


def test_what_is_clicked_last_in_picture_or_ranking_is_told_beside(
    page: Page, served: Served
) -> None:
    page.goto(asked_there(served, "raptor", "open"))
    beside = page.locator(".st-key-selected")
    page.locator(".st-key-stage .columns [data-card]", has_text="Summary").first.click()
    expect(beside).to_contain_text("It opens into")
    line = page.locator(".ranking tr td.title").nth(2)
    line.click()
    expect(beside).not_to_contain_text("It opens into")
    expect(beside.locator("h2").first).to_have_text(line.text_content() or "")
    card = page.locator(".st-key-stage .columns [data-card^='p']").first
    card.click()
    expect(beside.locator("h2").first).to_have_text(card.locator("b").text_content() or "")


def test_on_a_phone_the_links_and_their_headings_fit(page: Page, links: str) -> None:
    page.goto(links)
    settled(page)
    page.set_viewport_size({"width": 390, "height": 844})
    drawn = page.locator(".st-key-stage .columns")
    settled(page)
    assert drawn.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    box = drawn.bounding_box()
    assert box
    heads = drawn.locator("h3").all()
    assert heads
    for words in heads:
        its = words.bounding_box()
        assert its and box["x"] <= its["x"] and its["x"] + its["width"] <= box["x"] + box["width"]
        assert "…" not in (words.text_content() or "")


def test_a_picture_that_is_wider_than_its_box_has_a_shade_where_it_goes_on(
    page: Page, walk: str
) -> None:
    page.goto(walk)
    expect_step(page, "Walk")
    page.set_viewport_size({"width": 390, "height": 844})
    drawn = page.locator(".st-key-stage .columns").last
    expect(drawn).to_have_css("overflow-x", "auto")
    expect(drawn).to_have_css("background-image", re.compile("linear-gradient"))


def test_the_strip_is_one_line_and_has_the_shown_step_in_sight(page: Page, served: Served) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(asked_there(served, "gear", "fuse"))
    here = page.locator(".strip [aria-current='step']")
    page.locator(".st-key-scene").scroll_into_view_if_needed()
    for verb in ("fuse", "expand", "link"):
        expect_step(page, f"{verb.capitalize()}, iteration 1")
        expect(here).to_have_text(verb)
        expect(here).to_be_in_viewport(ratio=1)
        page.keyboard.press("ArrowLeft")
    box = page.locator(".strip").bounding_box()
    assert box and box["height"] < 50


def test_another_method_brings_its_own_bases_and_settings(page: Page, server: str) -> None:
    on_demo(page, server)
    unfold(page)
    pick(page, "method", re.compile("^BDTR — "), "BDTR")
    pick(page, "base", "over HippoRAG", "over HippoRAG")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_text("All settings").click()
    expect(page.get_by_text("Rounds R")).to_be_visible()
    expect(page.get_by_text("Restart probability")).to_be_visible()
    expect(page.get_by_text("Width b")).to_have_count(0)
    page.keyboard.press("Escape")
    ask(page, factories.QUESTION, "BDTR")
    expect(page.locator(".gear-facts-line").first).to_contain_text("BDTR over HippoRAG")
    expect(page.locator(".strip")).to_contain_text("rank")


def test_a_method_is_asked_as_in_its_paper_and_the_switch_stays_on(page: Page, server: str) -> None:
    on_demo(page, server)
    unfold(page)
    pick(page, "method", re.compile("^HippoRAG — "), "HippoRAG")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_text("All settings").click()
    options = page.get_by_test_id("stPopoverBody")
    switch = options.get_by_role("switch", name=PAPER)
    expect(switch).not_to_be_checked()
    options.get_by_text(PAPER, exact=True).click()
    settled(page)
    expect(switch).to_be_checked()
    expect(options.get_by_role("switch", name="More than by chance")).not_to_be_checked()
    shoot(page, "options-as-in-the-paper")
    page.keyboard.press("Escape")
    ask(page, factories.QUESTION, "HippoRAG")
    expect(page.get_by_text("Set to: as in the paper")).to_be_visible()
    unfold(page)
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_text("All settings").click()
    expect(switch).to_be_checked()
    options.get_by_text(PAPER, exact=True).click()
    settled(page)
    expect(options.get_by_role("switch", name="More than by chance")).to_be_checked()
