"""Evaluate in a real browser: define, measured in the background, table and intervals, from a number
down to the step that decided, and files out and in.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gear_app.rendering.html import STYLE, draw
from gear_app.store.evaluations import ORACLE
from gear_app.types import Hop
from gear_app.views import glossary, palette
from gear_app.views.evaluate import figures, tables
from gear_app.views.evaluate.tables import Look
from tests.browser.conftest import settled
from tests.browser.test_journeys import shoot
from tests.factories import GOLD, QUESTION
from tests.views.evaluated import (
    BETTER,
    WORSE,
    compared,
    evaluation,
    line,
    lines_of,
    question,
    results,
)

MINE = f"q1 Q0 {GOLD[0]} 1 2.5 colbert\nq1 Q0 rouen 2 1.5 colbert\n"


def test_methods_are_measured_and_a_number_leads_to_the_step_that_decided(
    page: Page, server: str, tmp_path: Path
) -> None:
    page.goto(f"{server}/evaluate")
    page.get_by_role("button", name="Evaluate Hybrid, chain and GEAR", exact=False).click()
    expect(page.get_by_text("3 runs complete, 0 failed")).to_be_visible(timeout=90_000)
    table = page.locator("table.main").first
    expect(table.get_by_role("row")).to_have_count(4)
    dots = page.locator("table.dots [data-pick='measure|recall@5|gear']")
    expect(dots).to_have_attribute("title", re.compile(r"Recall@5: [\d.]+ \([\d.]+ to [\d.]+\)"))
    expect(page.locator(".gear-facts-line")).to_contain_text(re.compile("demo .* commit "))
    table.get_by_text("p, Holm").hover()
    expect(page.locator(".gear-tip")).to_have_text(glossary.TERMS["p, Holm"])
    table.locator("[data-pick='measure|recall@5|hybrid']").click()
    expect(page).to_have_url(re.compile("pick=measure"))
    behind = page.locator(".behind")
    expect(behind).to_contain_text(QUESTION)
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
    expect(page.get_by_text("colbert stands beside the methods in every table.")).to_be_visible()
    page.get_by_role("tab", name="Result").click()
    theirs = page.locator("table.main [data-pick='measure|recall@5|file:colbert']")
    expect(theirs).to_have_text(f"{1 / len(GOLD):.3f}")

    page.get_by_role("tab", name="Kinds of question").click()
    overlap = page.locator("[class*=st-key-evaluate-overlap]")
    expect(overlap).to_contain_text("both find")
    expect(overlap).to_contain_text("neither")

    page.get_by_role("tab", name="Causes").click()
    cause = page.locator("table.causes [data-pick^='cause|'][data-pick$='|hybrid']").first
    cause.click()
    lost = page.locator(".behind a[data-step]").first
    expect(lost).to_be_visible()
    settled(page)
    step = lost.get_attribute("data-step")
    lost.click()
    expect(page).to_have_url(re.compile(rf"/explore\?run=\w+&step={step}"))
    expect(page.get_by_role("heading", name=QUESTION).first).to_be_visible()


def show(page: Page, figure: str, width: int) -> None:
    """Only a figure, in a card of this width in pixels."""
    style = palette.css_variables(palette.LIGHT) + STYLE
    page.set_content(
        f"<style>{style} body {{ font-family: sans-serif }}</style>"
        f"<div class=evaluation style='width:{width}px'>{figure}</div>"
    )


@pytest.mark.parametrize("links", [2, 5])
def test_the_number_of_a_link_stays_in_its_cell(page: Page, links: int) -> None:
    """A card is 452 px wide where two stand side by side in a window of 1440."""
    hops = tuple(Hop("What?", "x", key) for key in "abcde"[:links])
    missed = [[None] * links]
    found = compared(
        evaluation(
            [line("q0", method, *missed) for method in ("hybrid", "hipporag", ORACLE)],
            questions=(question("q0", "abcde"[:links], hops),),
        )
    )
    drawn = draw(figures.chain_positions(found, Look("hybrid", 5)))
    show(page, drawn, 452)
    numbers = page.locator("td > button")
    assert numbers.all_inner_texts() == ["100 %"] * 3 * links
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("td > button")].filter((one) =>
            one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right)
            .length + Math.max(0, document.querySelector(".scroll").scrollWidth - 452)"""
    )
    assert beyond == 0


def test_no_line_crosses_the_words_of_a_row_that_is_not_measured(page: Page) -> None:
    lines = lines_of({"hybrid": [WORSE, BETTER]})
    part = compared(evaluation(lines, methods=("hybrid", "chain")))
    show(page, draw(tables.dots(part, Look("hybrid", 5))), 900)
    seen = page.evaluate(
        """() => [...document.querySelectorAll(".track span")]
            .filter((one) => one.textContent === "not measured")
            .flatMap((words) => [...words.parentElement.querySelectorAll("i")].map((line) => {
                const [at, across] = [words, line].map((one) => one.getBoundingClientRect());
                const x = across.left + across.width / 2, y = at.top + at.height / 2;
                return at.left < x && x < at.right ? document.elementFromPoint(x, y) === words : null;
            })).filter((one) => one !== null)"""
    )
    assert len(seen) > 3 and all(seen)


@pytest.mark.parametrize(("width", "shaded"), [(452, False), (620, True)])
def test_a_figure_of_lines_is_shaded_only_where_it_can_be_scrolled(
    page: Page, width: int, shaded: bool
) -> None:
    found = results({"hybrid": [WORSE] * 2, "gear": [BETTER] * 2})
    show(
        page, draw(figures.recall_chart(found, Look("hybrid", 5), figures.course(found, 5))), width
    )
    style = page.locator(".course .scroll").evaluate(
        "(one) => [getComputedStyle(one).overflowX, getComputedStyle(one).backgroundImage]"
    )
    assert (style[0] == "auto", style[1] != "none") == (shaded, shaded)
