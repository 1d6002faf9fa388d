"""The entity graph in a real browser: walking on by mouse and keyboard, reading, and reloading."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import settled

FOCUS = re.compile("Looked at now")


def open_graph(page: Page, server: str, more: str = "") -> None:
    page.goto(f"{server}/collections?tab=entities&entity=Clifton+Suspension+Bridge{more}")
    expect(focus_of(page)).to_have_attribute("aria-label", re.compile("^Clifton Suspension Bridge"))


def focus_of(page: Page) -> Locator:
    return page.locator(".graph").get_by_label(FOCUS)


def node(page: Page, name: str) -> Locator:
    return page.locator(f'.graph .stop[aria-label^="{name}"]')


def test_a_click_on_a_node_walks_on_and_back_comes_back(page: Page, server: str) -> None:
    open_graph(page, server)
    page.wait_for_timeout(800)
    box = node(page, "Isambard Kingdom Brunel").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(focus_of(page)).to_have_attribute("aria-label", re.compile("^Isambard Kingdom Brunel"))
    assert "entity=Isambard+Kingdom+Brunel" in page.url
    page.reload()
    expect(focus_of(page)).to_have_attribute("aria-label", re.compile("^Isambard Kingdom Brunel"))
    page.go_back()
    expect(focus_of(page)).to_have_attribute("aria-label", re.compile("^Clifton Suspension Bridge"))


def test_arrow_keys_and_enter_walk_on(page: Page, server: str) -> None:
    open_graph(page, server)
    focus_of(page).focus()
    before = page.evaluate("document.location.href")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(focus_of(page)).not_to_have_attribute(
        "aria-label", re.compile("^Clifton Suspension Bridge")
    )
    settled(page)
    assert page.url != before


def test_a_click_on_a_passage_shows_its_text(page: Page, server: str) -> None:
    open_graph(page, server, "&with=passages")
    passage = page.locator('.graph .stop[aria-label*="Passage, states"]').first
    name = (passage.get_attribute("aria-label") or "").partition(". Passage")[0]
    passage.focus()
    page.keyboard.press("Enter")
    settled(page)
    expect(page.locator(".gear-title").filter(has_text=name).last).to_be_visible()


def test_the_picture_comes_in_the_applications_own_font(page: Page, server: str) -> None:
    open_graph(page, server)
    font = page.locator(".graph").evaluate("root => getComputedStyle(root).fontFamily")
    assert "Source Sans" in font
    assert page.locator(".graph canvas").count() == 1


def test_on_a_phone_a_graph_that_goes_on_beside_its_box_says_so(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_graph(page, server)
    graph, hint = page.locator(".graph"), page.locator(".graph .tools span")
    expect(hint).to_contain_text("wider than the page: drag it, or press Fit or Full screen")
    assert hint.evaluate("(one) => one.scrollWidth <= one.clientWidth")  # all of it is seen
    expect(graph).to_have_class(re.compile("more-left"))
    expect(graph).to_have_class(re.compile("more-right"))
    page.get_by_role("button", name="Fit", exact=True).click()
    expect(graph).not_to_have_class(re.compile("more-"))


DRAWN = """(canvas) => {
  const { width, height } = canvas;
  const dots = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const rows = new Set();
  for (let at = 3; at < dots.length; at += 4) if (dots[at]) rows.add(Math.floor(at / 4 / width));
  return rows.size / height;
}"""  # the share of rows with something in them


def test_full_screen_is_filled_by_the_picture_and_does_not_grow(page: Page, server: str) -> None:
    open_graph(page, server)
    page.wait_for_timeout(800)
    canvas = page.locator(".graph canvas")
    before = canvas.bounding_box()
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement")
    heights = []
    for _ in range(2):
        page.wait_for_timeout(500)
        heights.append(canvas.evaluate("(one) => one.clientHeight"))
    assert heights[0] == heights[1]
    assert 0.9 < heights[0] / page.evaluate("innerHeight") <= 1
    assert canvas.evaluate(DRAWN) > 0.1
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("!document.fullscreenElement")
    page.wait_for_timeout(500)
    assert canvas.bounding_box() == before


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
    page.goto(f"{server}/collections?tab=entities&entity=Clifton+Suspension+Bridge")
    expect(page.locator(".graph .tools span")).to_contain_text("could not be drawn")
    page.close()
    assert errors == ["broken"]
