"""The entity graph in a real browser: a click on an entity, and Back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

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
