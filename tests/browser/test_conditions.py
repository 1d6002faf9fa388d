"""What a browser does to the pages: Back and Forward, a reload during a run, a second tab in which
a collection is renamed or deleted, runs of removed methods, and runs of 200 steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

import gear_app
from gear_app.store.processes import Lock, new_name
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app import played as played_runs
from tests.app.played import played
from tests.browser.conftest import Served, new_collection, pick, settled, unfold

EVENTS = factories.gear_run()
FIRST = next(at for at, event in enumerate(EVENTS) if event.is_of("expand")) + 1
READ, LINK, EXPAND = (f"Iteration 1, {verb}" for verb in ("read", "link", "expand"))
GONE = "was renamed or deleted elsewhere"


def expect_step(page: Page, title: str) -> None:
    """The one step that is shown; what the last run of the script drew is gone."""
    expect(page.locator(".st-key-stage .gear-title h2")).to_have_text([title])


@pytest.fixture
def workspace(served: Served) -> Iterator[Workspace]:
    """The workspace of the application, as another process has it."""
    opened = gear_app.open(served.path)
    yield opened
    opened.close()


def test_back_leaves_a_page_at_once_and_goes_through_its_steps(
    page: Page, served: Served, workspace: Workspace
) -> None:
    run = played(workspace, "gear", EVENTS)
    page.goto(f"{served.address}/learn")
    settled(page)
    page.get_by_role("link", name="Explore", exact=True).click()
    settled(page)
    page.go_back()
    page.wait_for_url(re.compile("/learn"))
    page.goto(f"{served.address}/explore?run={run}&step=1")
    expect_step(page, READ)
    settled(page)
    for name in (LINK, EXPAND):
        page.keyboard.press("ArrowRight")
        expect_step(page, name)
    for name in (LINK, READ):
        page.go_back()
        expect_step(page, name)
    page.go_forward()
    expect_step(page, LINK)


def test_a_run_is_followed_through_a_reload(
    page: Page, served: Served, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = new_name()
    lock = Lock(served.path, process)  # held, so that the worker lets this process finish the run
    assert lock.acquire()
    monkeypatch.setattr(played_runs, "new_name", lambda: process)
    run = played(workspace, "gear", EVENTS[:FIRST], done=False)
    page.goto(f"{served.address}/explore?run={run}")
    expect_step(page, EXPAND)
    page.reload()
    expect_step(page, EXPAND)
    number = workspace.store.runs.get(run).number
    for position, event in enumerate(EVENTS[FIRST:], start=FIRST + 1):
        workspace.store.events.add(number, position, float(position), event)
    workspace.store.tasks.finish(workspace.store.runs.get(run), "done", ms=42.0, iterations=2)
    expect_step(page, "Rank")
    lock.release()


def test_a_collection_that_another_tab_renames_or_deletes_gives_its_question_to_no_other(
    page: Page, served: Served
) -> None:
    workspace = new_collection(served, "minutes")
    page.goto(f"{served.address}/explore?collection=minutes")
    settled(page)
    other = page.context.new_page()
    other.goto(f"{served.address}/collections?collection=demo")
    settled(other)
    runs = len(workspace.runs.recent())
    workspace.store.collections.rename("minutes", "protocols")
    unfold(page)
    page.get_by_label("Question", exact=True).fill("Who keeps the minutes?")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(GONE)).to_be_visible()
    pick(page, "collection", "protocols")
    expect(page.get_by_text("Nothing has been asked of “protocols” yet")).to_be_visible()
    workspace.store.collections.delete("protocols")
    page.get_by_role("link", name="Evaluate", exact=True).click()
    expect(page.get_by_text(GONE)).to_be_visible()
    assert len(workspace.runs.recent()) == runs
    expect(other.locator(".st-key-collection input")).to_have_value("demo")


def test_a_run_of_a_removed_method_is_shown_next_to_others(
    page: Page, served: Served, workspace: Workspace
) -> None:
    runs = [played(workspace, method, EVENTS) for method in ("title_beam", "gear")]
    page.goto(f"{served.address}/explore?run={runs[0]}")
    expect_step(page, EXPAND)
    page.goto(f"{served.address}/compare?runs={','.join(runs)}")
    expect(page.locator(".aligned")).to_contain_text("title_beam")
    expect(page.locator(".aligned")).to_contain_text("GEAR")


def test_two_hundred_steps_can_be_walked(page: Page, served: Served, workspace: Workspace) -> None:
    iteration = [event for event in EVENTS[1:-2] if event.iteration == 1]
    more = [replace(event, iteration=number) for number in range(3, 26) for event in iteration]
    run = played(workspace, "gear", [*EVENTS[:-2], *more, *EVENTS[-2:]])
    page.goto(f"{served.address}/explore?run={run}&step=190")
    expect(page.locator(".st-key-controls")).to_contain_text("191 of 200")
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-controls")).to_contain_text("192 of 200")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"]  # type: ignore[index]
