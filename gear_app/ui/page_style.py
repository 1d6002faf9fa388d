"""The style of every page, in the page itself: it is there before anything is drawn.

Streamlit's page is empty until its script has run, and a style sheet that comes with the script
moves what is drawn already: the navigation, the margins, the first lines.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHEET = Path(__file__).with_name("style.css")
# The page that Streamlit answers every address with, and where the sheet goes: behind all that
# Streamlit adds to the head later, so that a rule of ours outdoes a rule of Streamlit's.
_PAGE, _END = b'<div id="root">', b"</body>"
_OF_THE_FILE = ("etag", "last-modified")  # a browser would keep the page with an earlier style
# What would have Streamlit answer with something else than the words of the page.
_UNASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


class PageStyle:
    """Writes the style sheet into the page that every visit begins with."""

    def __init__(self, app: ASGIApp) -> None:
        """`app` makes the answers."""
        self._app = app
        self._sheet = b"<style>" + SHEET.read_bytes() + b"</style>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on; an answer that is a page is held back until it is whole."""
        if not _wants_page(scope):
            await self._app(scope, receive, send)
            return
        asked = [(name, value) for name, value in scope["headers"] if name not in _UNASKED]
        start: Message | None = None
        body = bytearray()

        async def send_with_style(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_html(message):
                start = message
            elif start is None or message["type"] != "http.response.body":
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    whole = self._styled(start, bytes(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": whole})

        await self._app({**scope, "headers": asked}, receive, send_with_style)

    def _styled(self, start: Message, page: bytes) -> bytes:
        """The page with the sheet in it, and its headers as they are then."""
        if _PAGE not in page:
            return page
        before, end, after = page.rpartition(_END)
        styled = before + self._sheet + end + after
        headers = MutableHeaders(scope=start)
        headers["content-length"] = str(len(styled))
        for name in _OF_THE_FILE:
            if name in headers:
                del headers[name]
        return styled


def _wants_page(scope: Scope) -> bool:
    """Whether a browser goes to an address, other than for a script or a picture."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and "text/html" in Headers(scope=scope).get("accept", "")
    )


def _is_html(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/html")
