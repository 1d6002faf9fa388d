"""Judging in a real browser: by keyboard alone, then a second person, agreement, a decision, and
files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from gear_app.annotate.record import Case, Label, Record
from gear_app.ui.annotate import runs_to_make
from gear_app.workspace import Workspace
from tests import factories
from tests.app.played import missing_runs
from tests.browser.conftest import Served, new_collection, settled
from tests.browser.test_journeys import shoot

RUNS, TWICE = 12, 10


@pytest.fixture(scope="module")
def desk(served: Served) -> str:
    """The page Annotate of a collection with runs to judge."""
    return runs_to_judge(served, "judged")[1]


def runs_to_judge(served: Served, collection: str) -> tuple[Workspace, str]:
    """The workspace, and the page Annotate of a new collection: what is judged or looked at in
    another leaves no queue but its own.
    """
    workspace = new_collection(served, collection)
    missing_runs(workspace, RUNS, collection)
    return workspace, f"{served.address}/annotate?collection={collection}"


def begin(page: Page, address: str, name: str, more: str = "") -> None:
    """Open the page and give a name, without the mouse."""
    page.goto(f"{address}{more}")
    page.get_by_label("Your name").focus()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator(".form .head").first).to_contain_text("run 1 of")


def judge(page: Page, note: str, category: str) -> None:
    """Note, category, fail, low, complete."""
    page.keyboard.press("Enter")
    page.keyboard.type(note)
    page.keyboard.press("Enter")
    for key in (category, "2", "1", "Control+Enter"):
        page.keyboard.press(key)


def progress(page: Page, words: str) -> None:
    expect(page.locator(".queue .head b")).to_have_text(words, timeout=60_000)


def test_many_runs_are_judged_by_keyboard_then_by_two_decided_and_exported(
    page: Page, browser: Browser, served: Served, tmp_path: Path
) -> None:
    workspace, address = runs_to_judge(served, "twice")
    begin(page, address, "ann")
    for at in range(RUNS):
        judge(page, f"1 note z {at}", str(1 + at % 3))
        if at % 10 == 9:  # somebody who types without a break is caught up with
            progress(page, f"{at + 1} of {RUNS}")
    expect(page.get_by_text(f"{RUNS} of {RUNS} runs judged, none to go")).to_be_visible()
    labels = workspace.annotations.labels("twice")
    told = sorted(labels.items(), key=lambda pair: pair[1].case.question)
    assert [one.label.note for _, one in told] == [f"1 note z {at}" for at in range(RUNS)]
    keys = ("base-retriever", "reasoner", "reader")
    assert [one.label.category for _, one in told] == [keys[at % 3] for at in range(RUNS)]
    assert {(one.label.verdict, one.label.severity, one.label.complete) for _, one in told} == {
        ("fail", "low", True)
    }
    assert {one.label.suggestion.shown for _, one in told} == {"after"}

    context = browser.new_context(viewport={"width": 1440, "height": 960})
    other = context.new_page()
    begin(other, address, "ben")
    progress(other, f"0 of {RUNS}")
    expect(other.get_by_text("note z")).to_have_count(0)  # blind
    for at in range(TWICE):
        judge(other, "seen again", "3" if at == 0 else str(1 + at % 3))
    progress(other, f"{TWICE} of {RUNS}")
    other.get_by_role("tab", name="Agreement").click()
    same = f"The category is the same in {TWICE - 1} of {TWICE} runs"
    expect(other.get_by_role("heading", name=same)).to_be_visible()
    expect(other.locator(".gear-agree")).to_contain_text("α 0.8")
    expect(other.locator(".gear-agree")).to_contain_text("undefined: only one value occurs")
    expect(other.locator(".gear-beside > div")).to_have_count(2)
    expect(other.locator(".gear-matrix")).to_contain_text("Base retriever")
    other.keyboard.press("2")
    expect(other.get_by_role("button", name="● as ben: Reader hallucination")).to_be_visible()
    other.get_by_label("Why").fill("The 2nd thing that is wrong counts.")
    other.get_by_label("Why").press("Enter")
    settled(other)
    other.keyboard.press("Control+Enter")
    expect(other.get_by_role("heading", name="0 to adjudicate")).to_be_visible()
    expect(other.locator(".gear-beside > div")).to_have_count(3)
    shoot(other, "annotate-agreement")
    other.get_by_role("tab", name="Charts").click()
    failed = f"{RUNS} of {RUNS} runs failed when judged"
    expect(other.get_by_role("heading", name=failed)).to_be_visible()
    # Of the others ben sees no run before he has judged it himself.
    expect(other.locator("a.gear-square")).to_have_count(TWICE)
    shoot(other, "annotate-charts")
    for words in ("GEAR in its paper", "Base retriever"):
        expect(other.locator(".gear-squares")).to_contain_text(words)

    other.get_by_role("tab", name="Files").click()
    with other.expect_download() as download:
        other.get_by_role("button", name="JSON lines, with the runs").click()
    file = tmp_path / "annotations.jsonl"
    download.value.save_as(file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    records = [row for row in rows if row["kind"] == "annotation"]
    assert len(records) == 2 * TWICE + 1
    assert sum(row["adjudicates"] for row in records) == 1
    assert (
        sum(row["kind"] == "run" for row in rows) == TWICE
    )  # of the others he may see nothing yet
    assert {row["annotator"] for row in records} == {"ann", "ben"}
    other.locator("[data-testid=stFileUploader] input").set_input_files(file)
    other.get_by_role("button", name="Import").click()
    expect(other.get_by_text("Nothing new.")).to_be_visible()
    context.close()


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_keys_rest_while_one_types_and_every_change_can_be_undone(
    page: Page, desk: str, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.params["page"]  # a person for each theme
    begin(page, desk, name, "&show=all&seed=9")
    form, queue = page.locator(".form"), page.locator(".queue")
    now = form.locator("fieldset.now legend")
    page.keyboard.press("ArrowDown")
    expect(now).to_have_text("Category")
    page.keyboard.press("2")
    expect(now).to_have_text("Verdict")
    expect(form.get_by_role("button", name="Reasoner hallucination")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(form.locator(".causes li")).to_have_text(re.compile("nowhere: not in the collection"))
    page.keyboard.press("Control+Enter")
    expect(form.locator(".hint")).to_have_text("Choose a verdict first.")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.type("z 2 ? o")  # words, no keys
    expect(form.locator("textarea")).to_have_value("z 2 ? o")
    page.keyboard.press("Escape")
    expect(form.locator("textarea")).not_to_be_focused()
    shoot(page, f"annotate-{name}")
    page.keyboard.press("z")
    expect(form.locator("textarea")).to_have_value("")
    page.keyboard.press("z")
    expect(form.get_by_role("button", name="Reasoner hallucination")).to_have_attribute(
        "aria-pressed", "false"
    )
    first = queue.locator("[aria-current=true] .words").inner_text()
    page.keyboard.press("ArrowRight")
    expect(queue.locator("[aria-current=true] .words")).not_to_have_text(first)
    expect(page.locator(".st-key-judged h1")).not_to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".st-key-judged h1")).to_have_text(first)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 1440
    settled(page)  # a form that is drawn anew loses the focus
    page.keyboard.press("Enter")
    expect(form.locator("textarea")).to_be_focused()
    page.keyboard.press("Tab")  # out of the note, to the field that digits choose in
    expect(now).to_have_text("Category")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(now).to_have_text("Step at fault")
    expect(form.locator("fieldset.now")).to_be_in_viewport(ratio=1)
    page.keyboard.press("o")
    page.wait_for_url(re.compile(r"/explore\?run=\w+"))


def test_a_click_right_after_the_note_chooses(page: Page, desk: str) -> None:
    begin(page, desk, "cleo", "&show=all")
    form = page.locator(".form")
    category = form.get_by_role("button", name="Reasoner hallucination")
    form.locator("textarea").click()
    page.keyboard.type("kept")
    category.hover()
    page.mouse.down()  # leaves the note, which is saved
    page.wait_for_timeout(700)  # meanwhile the page has run anew
    page.mouse.up()
    expect(category).to_have_attribute("aria-pressed", "true")
    expect(form.locator("textarea")).to_have_value("kept")


def test_on_a_phone_queue_run_and_form_stand_under_one_another(browser: Browser, desk: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{desk}&annotator=eve&show=all")
    expect(page.locator(".form .head").first).to_be_visible()
    settled(page)
    places = [page.locator(one).bounding_box() for one in (".queue", ".st-key-judged", ".form")]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops) and len(set(tops)) == 3
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    last = page.locator(".st-key-judged th.gear-final").bounding_box()
    assert last and last["x"] + last["width"] <= 390  # where the table is scrolled, too
    context.close()


def test_the_runs_of_judgements_are_made_while_one_looks(page: Page, served: Served) -> None:
    label = Label("n", "reader", "fail", complete=True)
    cases = [Case(factories.QUESTION, method) for method in ("bm25", "hybrid")]
    workspace = new_collection(served, "sent")
    row = workspace.store.collections.get("sent")
    records = [Record(one, "example", "2026-01-01T00:00:00Z", label) for one in cases]
    workspace.annotations.save(row.id, records)
    workspace.close()
    page.goto(f"{served.address}/annotate?collection=sent&annotator=ann&show=all")
    expect(page.get_by_text(runs_to_make.missing_words(2))).to_be_visible()
    page.get_by_role("button", name="Make these runs").click()
    expect(page.get_by_role("button", name="Make these runs")).to_have_count(0)
    expect(page.locator(".queue .head b")).to_have_text("0 of 2", timeout=60_000)  # no reload
