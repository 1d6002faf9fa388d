"""What a browser makes of the headers: no other site has the application in a frame, and no page of
it fetches anything from elsewhere.
"""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.conftest import settled


def test_another_site_cannot_show_the_application_in_a_frame(server: str, browser: Browser) -> None:
    context = browser.new_context()
    frame = f'<iframe src="{server}/"></iframe>'
    context.route("**/frame", lambda route: route.fulfill(body=frame, content_type="text/html"))
    page = context.new_page()
    other = server.replace("localhost", "127.0.0.1")
    shown = {}
    for site in (server, other):
        page.goto(f"{site}/frame")
        page.wait_for_timeout(1000)
        shown[site] = page.frames[1].url.partition("?")[0]  # a finished run adds itself
    assert shown == {server: f"{server}/", other: "chrome-error://chromewebdata/"}
    context.close()


def test_a_page_of_the_application_fetches_nothing_from_elsewhere(
    server: str, browser: Browser
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server}/explore")
    settled(page)
    stopped = page.evaluate(
        """async () => {
            const stopped = []
            document.addEventListener("securitypolicyviolation", e => stopped.push(e.effectiveDirective))
            const image = new Image()
            image.src = "http://evil.example/image.png"
            await fetch("http://evil.example/fetch").catch(() => null)
            try { new WebSocket("ws://evil.example/socket") } catch {}
            await new Promise(done => setTimeout(done, 300))
            return stopped.sort()
        }"""
    )
    assert stopped == ["connect-src", "connect-src", "img-src"]
    context.close()
