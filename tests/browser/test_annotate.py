"""Judging in a real browser: by keyboard alone, then agreement, a decision, and files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gear_app.annotation.record import Label
from gear_app.workspace.workspace import Workspace
from tests.app.played import missing_runs
from tests.browser.conftest import Served, new_collection, settled
from tests.browser.test_journeys import shoot

RUNS = 10


def runs_to_judge(served: Served, collection: str) -> tuple[Workspace, str]:
    """The workspace, and the page Annotate of a new collection: what is judged in another leaves no
    queue but its own.
    """
    workspace = new_collection(served, collection)
    missing_runs(workspace, RUNS, collection)
    return workspace, f"{served.address}/annotate?collection={collection}"


def progress(page: Page, judged: int) -> None:
    words = f"{judged} of {RUNS} runs judged, {RUNS - judged} remaining"
    expect(page.get_by_role("heading", name=words)).to_be_visible(timeout=60_000)


def judge(page: Page, note: str, category: str) -> None:
    """Note, category, complete, without the mouse."""
    settled(page)
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="What went wrong")).to_be_focused()
    page.keyboard.type(note)  # with digits, which are words here
    page.keyboard.press("Escape")
    page.keyboard.press(category)
    settled(page)
    page.keyboard.press("Control+Enter")


def opened_by_ann(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)  # its keys are there, so Enter leaves the name
    page.get_by_label("Your name").fill("ann")
    page.get_by_label("Your name").press("Enter")
    settled(page)


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_runs_are_judged_by_keyboard_decided_and_exported(
    page: Page, served: Served, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    theme = request.node.callspec.params["page"]
    collection = f"twice-{theme}"
    workspace, address = runs_to_judge(served, collection)
    opened_by_ann(page, address)
    progress(page, 0)
    shoot(page, f"annotate-{theme}")
    for at in range(3):
        judge(page, f"1 note z {at}", str(1 + at))
        progress(page, at + 1)
    labels = workspace.annotations.labels(collection)
    found = sorted(labels.values(), key=lambda one: one.case.question)
    assert [one.label.note for one in found] == [f"1 note z {at}" for at in range(3)]
    assert [one.label.category for one in found] == ["base-retriever", "reasoner", "reader"]
    assert {(one.label.verdict, one.label.suggestion.shown) for one in found} == {("fail", "after")}
    first = page.locator(".st-key-judgement").inner_text()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".st-key-judgement")).not_to_have_text(first)
    settled(page)  # before other labels of "ann" are stored beside what the page shows
    for number, item in enumerate(workspace.annotations.items(collection)):
        for name in ("ann", "ben"):
            category = "graph" if number == 0 and name == "ben" else "reader"
            label = Label("n", category, "fail", complete=True)
            workspace.annotations.commit(item.run, name, label)
    opened_by_ann(page, address)  # what it drew between two labels is gone
    page.get_by_role("tab", name="Agreement").click()
    same = f"The category is the same in {RUNS - 1} of {RUNS} runs"
    expect(page.get_by_role("heading", name=same)).to_be_visible()
    expect(page.get_by_role("heading", name="1 to decide")).to_be_visible()
    shoot(page, f"annotate-agreement-{theme}")
    page.get_by_text("as ben: Quality of the graph").click()
    settled(page)
    page.get_by_label("Why").press("Control+Enter")
    expect(page.get_by_role("heading", name="0 to decide")).to_be_visible(timeout=9000)
    page.get_by_role("tab", name="Charts").click()
    failed = f"{RUNS} of {RUNS} judged runs failed"
    expect(page.get_by_role("heading", name=failed)).to_be_visible()
    expect(page.locator(".st-key-annotate-failures")).to_contain_text("GEAR in its paper")
    shoot(page, f"annotate-charts-{theme}")
    page.get_by_role("tab", name="Files").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON lines, with the runs").click()
    file = tmp_path / "annotations.jsonl"
    download.value.save_as(file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    records = [row for row in rows if row["kind"] == "annotation"]
    assert len(records) == 2 * RUNS + 1
    assert sum(row["adjudicates"] for row in records) == 1
    page.locator("[data-testid=stFileUploader] input").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Nothing new.")).to_be_visible()
    page.get_by_role("tab", name="Charts").click()
    runs = page.locator(".st-key-annotate-failed [data-testid=stDataFrame]")
    expect(runs).to_be_visible()
    settled(page)
    page.evaluate("window.session = 1")
    runs.click(position={"x": 12, "y": 50})
    page.wait_for_url(re.compile(r"/explore\?.*run="))
    assert page.evaluate("window.session") == 1  # not loaded anew: keys of the session hold
