"""What if in a real browser: the ranking moves under a slider, the worker makes the variant when it
is let go, a link restores it, and it can be kept as a run.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests import factories
from tests.browser.conftest import settled
from tests.browser.test_journeys import ask
from tests.browser.test_methods import on_demo


def ranked(cards: Locator) -> dict[str, int]:
    """The ranks of the passages that are shown, by key."""
    found = cards.evaluate_all("cards => cards.map(one => [one.dataset.key, +one.dataset.rank])")
    return dict(found)


def test_a_weight_is_dragged_let_go_linked_and_kept(page: Page, server: str) -> None:
    on_demo(page, server)
    ask(page, factories.QUESTION, "Chain")
    page.get_by_role("button", name="What if", exact=True).click()
    slider = page.get_by_role("slider", name="weight of base")
    heading = page.locator(".what-if .heads span").last
    expect(heading).to_have_text("What if")
    expect(page.locator(".what-if .side").last.locator(".card").first).to_have_attribute(
        "data-rank", "1"
    )
    cards = page.locator(".what-if .side").last.locator(".card")
    before = ranked(cards)
    slider.evaluate("range => { range.value = 2.5; range.dispatchEvent(new Event('input')); }")
    expect(heading).to_have_text("The same links, weighed anew")
    assert sorted(before.values()) == list(range(1, len(before) + 1))
    assert any(rank != before.get(key) for key, rank in ranked(cards).items())
    slider.focus()
    page.keyboard.press("End")
    told = page.locator(".gear-what-told")
    expect(told).to_contain_text("With Weight of base 3.0:")
    expect(heading).to_have_text("What if: Weight of base 3.0")
    page.wait_for_url(re.compile("what=.*base_weight"))
    page.reload()
    settled(page)
    expect(told).to_contain_text("With Weight of base 3.0:")
    page.get_by_role("button", name="Pin this variant").click()
    expect(page.locator(".gear-what-pins tr")).to_have_count(3)
    page.get_by_role("button", name="Keep as a run").click()
    expect(told).to_have_count(0)
    expect(page.locator(".gear-header")).to_contain_text("Weight of base 3.0")
