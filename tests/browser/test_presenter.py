"""Stepping and presenting, in a real browser: what is covered, what the keys do, and what fits."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

import gear_app
from gear_app.trace import timeline
from tests import factories, rivals
from tests.app.played import played
from tests.browser.conftest import Served, new_collection, settled, unfold
from tests.waiting import until

HALL = {"width": 1280, "height": 720}
BARE_WORDS = "all => all.some(one => [...one.childNodes].some(part => part.nodeType === 3))"
METHODS = {
    "gear": factories.gear_run(),
    "bdtr": rivals.bdtr_run(),
    "griever": rivals.griever_run(),
    "hipporag": rivals.hippo_run(),
}


class Shown(NamedTuple):
    """A server, and the runs that are there by their method."""

    address: str
    runs: dict[str, str]

    def at(self, method: str, step: int, more: str = "") -> str:
        """The address of a step."""
        return f"{self.address}/explore?run={self.runs[method]}&step={step}{more}"


@pytest.fixture(scope="module")
def there(served: Served) -> Shown:
    """The application with runs made by hand."""
    workspace = gear_app.open(served.path)
    runs = {method: played(workspace, method, events) for method, events in METHODS.items()}
    workspace.close()
    return Shown(served.address, runs)


def stage(page: Page, step: int) -> Locator:
    found = page.locator(f".presenter .stage[data-step='{step}']")
    expect(found).to_be_visible()
    return found


def bottom(page: Page) -> float:
    """The lowest edge of anything that a slide shows of its step."""
    edges = "all => Math.max(0, ...all.map(one => one.getBoundingClientRect().bottom))"
    return float(page.locator(".presenter .card, .presenter .more").evaluate_all(edges))


def smallest(page: Page) -> float:
    """The smallest type on the cards and in the headings, in pixels."""
    sizes = "all => Math.min(...all.map(one => parseFloat(getComputedStyle(one).fontSize)))"
    words = ".presenter .card b, .presenter .words, .presenter h2, .presenter h3, .presenter .lead"
    return float(page.locator(words).evaluate_all(sizes))


def until_in_the_upper_third(panel: Locator) -> None:
    """Wait until the page's styles and pictures are there, and this begins in the upper third."""

    def inside() -> bool:
        box = panel.bounding_box()
        return box is not None and box["y"] <= HALL["height"] / 3

    until(inside)


@pytest.mark.parametrize(
    ("path", "panel"),
    [
        ("compare?runs={gear},{bdtr}", ".st-key-found, .st-key-rankings"),
        ("learn?lesson=01-why-triples", ".st-key-lesson-stage"),
        ("annotate?annotator=ann&show=all", ".st-key-judgement"),
    ],
)
def test_what_one_looks_at_begins_in_the_upper_third(
    page: Page, there: Shown, path: str, panel: str
) -> None:
    page.set_viewport_size(HALL)
    page.goto(f"{there.address}/{path.format(**there.runs)}")
    found = page.locator(panel).first
    expect(found).to_be_visible()
    until_in_the_upper_third(found)


def test_the_evidence_of_a_run_begins_in_the_upper_third(page: Page, served: Served) -> None:
    run = new_collection(served, "looked at").ask(factories.QUESTION, "looked at", "gear").run
    page.set_viewport_size(HALL)
    page.goto(f"{served.address}/explore?run={run}")
    found = page.locator(".st-key-found")
    expect(found).to_be_visible()
    until_in_the_upper_third(found)


@pytest.mark.parametrize("method", METHODS)
def test_every_step_fits_a_hall_covered_and_uncovered(
    page: Page, there: Shown, method: str
) -> None:
    page.set_viewport_size(HALL)
    page.goto(there.at(method, 0, "&present=1"))
    for step in timeline.steps(METHODS[method]):
        stage(page, step.number)
        fold = page.locator(".presenter footer").bounding_box()
        assert fold and fold["y"] + fold["height"] <= HALL["height"]
        assert bottom(page) <= fold["y"], f"covered: {step.verb}"
        page.keyboard.press("a")
        expect(page.locator(".presenter h2:not(.prompt)")).to_be_visible()
        assert bottom(page) <= fold["y"], f"uncovered: {step.verb}"
        assert not page.locator(".presenter .column").evaluate_all(BARE_WORDS), step.verb
        assert smallest(page) >= 20, step.verb
        page.keyboard.press("ArrowRight")


def test_cards_are_covered_until_they_are_revealed_and_no_line_gives_them_away(
    page: Page, there: Shown
) -> None:
    page.set_viewport_size(HALL)
    page.goto(there.at("gear", 3, "&present=1"))
    shown = stage(page, 3)
    heading = page.locator(".presenter h2")
    expect(heading).to_have_text("Where do these facts lead?")
    assert "Isambard" not in page.locator(".presenter").inner_text()
    page.keyboard.press("r")
    expect(shown.locator(".card:not(.cover)")).to_have_count(1)
    for _ in range(4):
        page.keyboard.press("r")
    expect(shown.locator(".card:not(.cover)")).to_have_count(5)
    expect(shown.locator("path")).to_have_count(0)
    page.keyboard.press("r")
    expect(shown.locator("path")).to_have_count(1)
    expect(heading).to_have_class("prompt")
    page.keyboard.press("A")
    expect(shown.locator(".cover")).to_have_count(0)
    expect(heading).to_contain_text("The facts lead to “Isambard Kingdom Brunel”")
    page.keyboard.press("ArrowRight")
    stage(page, 4)
    page.keyboard.press("ArrowLeft")  # what was shown once stays so
    expect(stage(page, 3).locator(".cover")).to_have_count(0)


def test_keys_lead_through_a_presentation_and_out_of_it(page: Page, there: Shown) -> None:
    page.set_viewport_size(HALL)
    page.goto(there.at("gear", 8))
    expect(page.locator(".strip [data-step]")).to_have_count(16)  # what listens to keys is there
    settled(page)
    page.keyboard.press("p")
    stage(page, 8)
    page.wait_for_url(re.compile("present=1"))
    page.keyboard.press("4")
    stage(page, 11)
    page.keyboard.press("7")  # reason: the last of this iteration
    stage(page, 14)
    page.keyboard.press("PageDown")  # a clicker
    stage(page, 15)
    page.keyboard.press("ArrowRight")  # there is no further one
    page.keyboard.press("ArrowLeft")
    stage(page, 14)
    keys = page.locator(".presenter .keys")
    expect(keys).to_have_css("opacity", "0")  # after some seconds
    page.mouse.move(300, 300)
    expect(keys).to_have_css("opacity", "1")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-stage .gear-title h2")).to_have_text(["Iteration 2, reason"])
    expect(page.locator(".presenter")).to_have_count(0)
    page.wait_for_url(re.compile("step=14$"))


def test_keys_do_nothing_while_one_types(page: Page, there: Shown) -> None:
    page.goto(there.at("gear", 3))
    unfold(page)
    field = page.get_by_label("Question", exact=True)
    expect(field).not_to_have_value("")  # the run's own question, which comes once
    expect(page.locator(".st-key-stage .gear-title h2")).to_have_count(1)
    field.fill("")
    field.press_sequentially("par 4")
    expect(field).to_have_value("par 4")
    expect(page.locator(".presenter")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-stage .gear-title h2")).to_have_text(["Iteration 1, fuse"])


def test_nothing_hangs_out_of_the_page_on_a_phone_or_at_200_percent(
    page: Page, there: Shown
) -> None:
    page.goto(there.at("gear", 11, ""))
    settled(page)
    wider = "one => one.scrollWidth - one.clientWidth"
    for width in (390, 640, 720):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(300)  # until it is drawn so
        assert page.locator("[data-testid=stMain]").evaluate(wider) <= 0, width
        for name in ("Previous step", "Next step"):
            box = page.get_by_role("button", name=name).bounding_box()
            assert box and box["width"] < 80 and box["x"] + box["width"] <= width, width
        beams = page.locator(".st-key-stage").bounding_box()
        assert beams and beams["width"] > min(width, 480) * 0.85, width
