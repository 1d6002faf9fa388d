"""Correcting a triple in a real browser: edit, read what a run says of it, undo."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests import factories
from tests.browser.conftest import Served, new_collection


def test_an_edit_puts_a_run_out_of_date_and_can_be_undone(page: Page, served: Served) -> None:
    run = new_collection(served, "corrected").ask(factories.QUESTION, "corrected", "naive_ge").run
    triples = f"{served.address}/collections?collection=corrected&tab=Triples"
    page.goto(f"{triples}&words=designed+by+Isambard")
    page.get_by_label("Predicate").fill("was drawn by")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("· was drawn by ·")).to_be_visible()
    page.goto(f"{served.address}/explore?run={run}")
    expect(page.get_by_text("The collection changed after this run")).to_be_visible()
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    page.goto(triples)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Last change by hand")).to_be_hidden()
    page.goto(f"{triples}&words=designed+by+Isambard")
    expect(page.get_by_label("Predicate")).to_have_value("was designed by")
