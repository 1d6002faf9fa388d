"""The entity graph in a real browser: a click on an entity, Back, and a failure to draw."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

ADDRESS = "/collections?tab=Entities&entity=Isambard+Kingdom+Brunel"
ENTITY = re.compile("entity=(?!Isambard)")


def test_a_click_on_an_entity_goes_there_and_back_comes_back(page: Page, server: str) -> None:
    page.goto(f"{server}{ADDRESS}")
    canvas = page.locator(".graph canvas")
    expect(canvas).to_be_visible()
    page.wait_for_timeout(800)
    box = canvas.bounding_box()
    assert box
    for share in range(20, 81, 4):  # down the column of subjects
        page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * share / 100)
        page.wait_for_timeout(400)
        if ENTITY.search(page.url):
            break
    assert ENTITY.search(page.url)
    page.go_back()
    expect(page.locator(".st-key-entity input").first).to_have_value("Isambard Kingdom Brunel")


def test_a_graph_that_cannot_be_drawn_says_so_and_its_error_is_reported(
    browser: Browser, server: str
) -> None:
    page, errors = browser.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    broken = "window.vis = { Network: function () { throw new Error('broken'); } };"
    page.route(
        "**/vis-network.min.js",
        lambda route: route.fulfill(body=broken, content_type="text/javascript"),
    )
    page.goto(f"{server}{ADDRESS}")
    expect(page.locator(".graph")).to_contain_text("could not be drawn")
    page.close()
    assert errors == ["broken"]
