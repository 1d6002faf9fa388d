"""Evaluate in a real browser: define, measured in the background, table and intervals, from a number
down to the step that decided, and files out and in.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settled
from tests.browser.test_journeys import shoot
from tests.factories import GOLD, QUESTION

MINE = f"q1 Q0 {GOLD[0]} 1 2.5 colbert\nq1 Q0 rouen 2 1.5 colbert\n"
HEAD, ROW = 36, 35  # pixels of a table


def table(page: Page, key: str) -> Locator:
    return page.locator(f"[class*=st-key-evaluate-{key}-] [data-testid=stDataFrame]")


def test_methods_are_measured_and_a_number_leads_to_the_step_that_decided(
    page: Page, server: str, tmp_path: Path
) -> None:
    page.goto(f"{server}/evaluate")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.get_by_text("3 runs complete, 0 failed")).to_be_visible(timeout=90_000)
    measures = table(page, "measures")
    expect(measures.locator("tr")).to_have_count(4)
    expect(measures).to_contain_text("p, Holm")
    expect(page.locator(".gear-facts-line")).to_contain_text("demo")
    settled(page)
    measures.click(position={"x": 150, "y": HEAD + ROW // 2})
    expect(page).to_have_url(re.compile("pick=measures"))
    expect(table(page, "open")).to_have_count(1)  # the one drawn before is gone
    expect(table(page, "open")).to_contain_text(QUESTION)
    shoot(page, "evaluate-result")

    page.get_by_role("tab", name="Files").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Everything (JSON)").click()
    told = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [one["method"] for one in told["methods"]] == ["hybrid", "chain", "gear"]
    file = tmp_path / "mine.run"
    file.write_text(MINE, encoding="utf-8")
    page.locator("[data-testid=stFileUploader] input").set_input_files(file)
    page.get_by_role("button", name="Measure it").click()
    expect(page.get_by_text("colbert is read from mine.run")).to_be_visible()
    page.get_by_role("tab", name="Result").click()
    expect(measures).to_contain_text("colbert (run file)")

    page.get_by_role("tab", name="Causes").click()
    causes = table(page, "causes")
    expect(causes).to_be_visible()
    settled(page)
    listed = table(page, "open")
    expect(listed).to_have_count(1)
    listed.click(position={"x": 60, "y": HEAD + 30})
    expect(page).to_have_url(re.compile(r"/explore\?run=\w+"))
    expect(page.get_by_role("heading", name=QUESTION).first).to_be_visible()
