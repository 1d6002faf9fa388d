"""Which browser a page is in: a secret that the page brings and the browser keeps as a cookie.

What was begun in one is known again after a reload, and in no other, whatever its address says.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_app.classroom.access import JOIN

COOKIE = "gear_browser"


class BrowserSecret:
    """Gives every browser that asks for a page its secret; learners' browsers need none."""

    def __init__(self, app: ASGIApp) -> None:
        """`app` makes the answers."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and add the cookie to the answer where the browser has none."""
        if not _needs_secret(scope):
            await self._app(scope, receive, send)
            return

        async def send_with_secret(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    kept = f"{COOKIE}={secrets.token_urlsafe(24)}; Path=/; HttpOnly; SameSite=Lax"
                    headers.append("set-cookie", kept)
            await send(message)

        await self._app(scope, receive, send_with_secret)


def _needs_secret(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and "text/html" in Headers(scope=scope).get("accept", "")
        and not scope["path"].startswith(JOIN)
        and COOKIE not in HTTPConnection(scope).cookies
    )
