"""A class and a presentation that is followed, in real browsers on a server that is open for both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

import gear_app
from tests import factories
from tests.app.played import played
from tests.browser.conftest import saved_figures, serving_app, settled
from tests.browser.test_accessibility import grave, seriously_wrong
from tests.browser.test_journeys import shoot

TOKEN = "the-operators"
PHONE = {"width": 390, "height": 844}
HALL = {"width": 1280, "height": 720}
LEARNERS = 8  # thirty answer in tests/classroom/test_routes.py; a browser each takes a minute
LESSON = """
title = "Beams by hand"

[[run]]
collection = "demo"
question = "Who?"
method = "gear"

[[page]]
title = "What a beam is"
text = "A path of facts."

[[page]]
title = "Which survive?"
text = "Two places are taken."
after = "The penalty takes it from Portsmouth."

[page.task]
question = "Who gets the third?"
asks = "survivor: 1"
solution = 3
[[page.task.option]]
text = "Portsmouth"
[[page.task.option]]
text = "the railway"
[[page.task.option]]
text = "Avon Gorge"
remark = "first in its own beam"
"""


class Open(NamedTuple):
    """A server that is open for a class: its address, and a run."""

    address: str
    run: str

    def mine(self, path: str) -> str:
        """The operator's link to a page."""
        return f"{self.address}{path}{'&' if '?' in path else '?'}operator={TOKEN}"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """The application with a lesson and a run made by hand."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "lessons").mkdir()
    (folder / "lessons" / "1-by-hand.toml").write_text(LESSON, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEAR_OPERATOR", TOKEN)
        patch.setenv("GEAR_LESSONS", str(folder / "lessons"))
        with serving_app(folder) as (address, path):
            workspace = gear_app.open(path)
            run = played(workspace, "gear", factories.gear_run())
            workspace.close()
            yield Open(address, run)


def test_a_class_joins_predicts_and_sees_the_reveal_and_can_do_nothing_else(
    page: Page, there: Open, browser: Browser
) -> None:
    page.goto(there.mine("/class?lesson=by-hand"))
    page.get_by_role("button", name="Open the class").click()
    code = page.locator(".gear-class-code").inner_text().replace(" ", "")
    expect(page.locator(".gear-class-qr")).to_have_js_property("complete", True)
    with ExitStack() as stack:
        phones = []
        for _ in range(LEARNERS):  # all load at once, each with a storage of its own
            context = stack.enter_context(closing(browser.new_context(viewport=PHONE)))
            phones.append(context.new_page())
            phones[-1].goto(f"{there.address}/join?code={code}", wait_until="commit")
        for number, phone in enumerate(phones):
            phone.get_by_label("Nickname").fill(f"learner {number}")
            phone.get_by_label("Nickname").press("Enter")
        expect(page.get_by_text(f"{LEARNERS} are here")).to_be_visible()
        phones[7].goto(f"{there.address}/join")  # typed again, and the form filled in again
        phones[7].get_by_label("Code").fill(code)
        phones[7].get_by_label("Nickname").fill("learner 7")
        phones[7].get_by_label("Nickname").press("Enter")
        expect(phones[7].locator(".who")).to_have_text("learner 7")
        expect(page.get_by_text(f"{LEARNERS} are here")).to_be_visible()
        page.get_by_role("button", name="Next page").click()
        for number, phone in enumerate(phones):
            phone.locator(".option").nth(number % 2).click()
        rows = page.locator(".gear-class-row")
        expect(rows.locator("b")).to_have_text(["4", "4", "0", "0"])
        expect(page.locator(".gear-class-right")).to_have_count(0)
        expect(phones[0].locator(".bar, .right")).to_have_count(0)
        shoot(page, "class-light")
        page.get_by_role("button", name="Talk it over").click()
        for phone in phones[:6]:
            phone.get_by_text("Asked again").wait_for()
            phone.locator(".option").nth(2).click()
        expect(rows.nth(2).locator("b")).to_have_text(["0", "6"])
        page.get_by_role("button", name="Reveal").click()
        for phone in phones:
            expect(phone.locator(".right")).to_contain_text("Avon Gorge ✓ right")
        expect(page.locator(".gear-class-right")).to_contain_text("Avon Gorge ✓ right")
        expect(phones[0].locator(".said")).to_have_text("C is right, as you said.")
        expect(phones[0].locator(".right .vote")).to_have_text(["before", "after"])
        shoot(phones[0], "class-phone")
        [bars] = saved_figures(page.locator("body"))
        assert {"Avon Gorge", "6", "✓ right"} <= bars
        assert grave(page) == [] and seriously_wrong(phones[0]) == []
        nothing_else(phones[1], there.address)
        page.get_by_role("button", name="Close the class").click()
        page.get_by_role("button", name="Close and forget").click()
        expect(phones[0].get_by_role("status")).to_contain_text("The class is closed.")
        phones[1].goto(f"{there.address}/join")  # it was elsewhere when the class was closed
        phones[1].wait_for_function("localStorage.length === 0")
        assert phones[0].evaluate("localStorage.length") == 0
        phones[0].get_by_role("button", name="Join another class").click()
        expect(phones[0].get_by_label("Code")).to_have_value("")


def nothing_else(phone: Page, address: str) -> None:
    """Whatever a learner's browser tries of the rest of the server is refused."""
    refused = phone.evaluate(
        """async () => {
            const paths = ["/settings", "/collections", "/explore", "/class", "/evaluate",
                "/_stcore/host-config", "/_stcore/upload_file/a/b", "/following/point"]
            const got = await Promise.all(paths.map(async path => (await fetch(path)).status))
            const socket = new WebSocket(`ws://${location.host}/_stcore/stream`, ["streamlit"])
            const opened = await new Promise(done => {
                socket.onopen = () => done("opened")
                socket.onerror = () => done("refused")
            })
            return [...new Set(got), opened]
        }"""
    )
    assert refused == [403, "refused"]
    answer = phone.goto(f"{address}/settings?operator=guessed")
    assert answer and answer.status == 403
    phone.goto(f"{address}/")
    expect(phone).to_have_url(re.compile("/join$"))


def test_a_follower_sees_the_step_and_what_is_pointed_at_and_nothing_covered(
    page: Page, there: Open, browser: Browser
) -> None:
    page.set_viewport_size(HALL)
    page.goto(there.mine(f"/explore?run={there.run}&step=3&present=1"))
    expect(page.locator(".presenter .stage[data-step='3']")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Let others follow").click()
    where = page.locator(".invitation b").inner_text()
    page.keyboard.press("f")
    expect(page.locator(".invitation")).to_have_count(0)
    with closing(browser.new_context(viewport=PHONE)) as context:
        follower = context.new_page()
        follower.goto(f"{there.address}/join?follow={where.partition('follow=')[2]}")
        slide = follower.locator(".stage[data-step='3']")
        expect(slide.locator(".cover").first).to_be_visible()
        assert "Isambard" not in follower.content()
        expect(slide).not_to_contain_text("Isambard")
        page.keyboard.press("a")
        expect(slide.locator(".cover")).to_have_count(0)
        expect(follower.locator("h2")).to_contain_text("The facts lead to")
        page.locator(".presenter .card").nth(1).hover()
        expect(follower.locator(".card").nth(1)).to_have_class(re.compile("lit"))
        expect(follower.locator(".lit")).to_have_count(1)
        page.keyboard.press("ArrowRight")
        expect(follower.locator(".stage[data-step='4']")).to_be_visible()
        expect(follower.locator(".presenter .keys, .dots button:enabled")).to_have_count(0)
        page.keyboard.press("Escape")  # out of presenter mode: they still follow
        expect(page.get_by_text("Others follow at")).to_be_visible()
        settled(page)
        name = page.locator(".gear-header [data-entity]").first
        name.hover()
        expect(follower.locator(".pointed")).to_have_text(
            f"pointed at: {name.get_attribute('data-entity')}"
        )
        page.reload()
        expect(page.get_by_text("Others follow at")).to_be_visible()
        with closing(browser.new_context()) as elsewhere:
            other = elsewhere.new_page()
            other.goto(there.mine(page.url.removeprefix(there.address)))
            expect(other.get_by_text("that of somebody who presents")).to_be_visible()
            expect(other).not_to_have_url(re.compile("following="))
            expect(other.get_by_text("Others follow at")).to_have_count(0)
        page.goto(there.mine(f"/explore?run={there.run}&step=6"))  # typed, without the code
        expect(follower.locator(".stage[data-step='6']")).to_be_visible()
        expect(page.get_by_text("Others follow at")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(follower.get_by_role("status")).to_contain_text("Nobody presents")
