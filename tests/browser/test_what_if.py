"""What if in a real browser: the worker makes the variant, a link restores it, and it can be kept
as a run.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests import factories
from tests.browser.conftest import settled
from tests.browser.test_journeys import ask
from tests.browser.test_methods import on_demo


def test_a_setting_is_turned_linked_and_kept(page: Page, server: str) -> None:
    on_demo(page, server)
    ask(page, factories.QUESTION, "Chain")
    page.get_by_role("button", name="What if", exact=True).click()
    heading = page.locator(".aligned .heads .name").last
    expect(heading).to_have_text("What if")
    first = page.locator(".aligned .pill[data-column='1']").first
    expect(first).to_have_attribute("aria-label", re.compile("rank 1 by What if"))
    dial = page.locator(".st-key-what-dial-unlinked")
    dial.get_by_role("radio", name="off").click()
    told = page.locator(".gear-what-told")
    expect(told).to_contain_text("With Links off:")
    expect(heading).to_have_text("What if: Links off")
    expect(page.get_by_text("Before", exact=True)).to_be_visible()
    page.wait_for_url(re.compile("what=.*unlinked"))
    page.reload()
    settled(page)
    expect(told).to_contain_text("With Links off:")
    page.get_by_role("button", name="Keep as a run").click()
    expect(told).to_have_count(0)
    expect(page.locator(".gear-header")).to_contain_text("Links off")
