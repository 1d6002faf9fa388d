"""The sections of Settings in a real browser: by tab and by link."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import settled


def test_a_section_is_a_link_and_what_was_typed_in_another_stays(page: Page, server: str) -> None:
    page.goto(f"{server}/settings?section=Costs")
    budget = page.get_by_label("Tokens one run may take", exact=True)
    expect(budget).to_have_value("200000")
    settled(page)
    budget.fill("50000")
    budget.press("Enter")
    settled(page)
    page.get_by_role("tab", name="Index").click()
    page.wait_for_url(re.compile(r"section=Index$"))
    expect(page.get_by_role("button", name="Build the index")).to_be_visible()
    expect(budget).to_be_hidden()
    page.get_by_label("Address", exact=True).fill("http://127.0.0.1:9")
    page.get_by_role("button", name="Connect").click()
    failed = page.get_by_text(re.compile("cannot be reached|needs the package"))
    expect(failed).to_have_count(1)
    page.get_by_role("tab", name="Costs").click()
    expect(budget).to_have_value("50000")
    page.get_by_role("tab", name="Language model").click()
    page.wait_for_url(re.compile(r"/settings$"))
    expect(page.get_by_role("button", name="Test the connection")).to_be_visible()
