"""Who may use the server while it is open for a class: the operator, and learners their few routes.

Everything passes here before Streamlit hears of it: pages, files, uploads and the WebSocket by
which pages are run. The operator's browser has a cookie, which the link that `gear-app serve
--class` prints gives it. Being on the same machine is not enough: a proxy there looks like it.

Every browser has a secret, too, which the page brings and the browser keeps as a cookie: what was
begun in it is known again after a reload, and in no other, whatever its address says.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_app.classroom.access import JOIN, PARAMETER
from gear_app.ui.classroom.routes import FILES

COOKIE = "gear_operator"
FORBIDDEN = 403
FOR_THE_OPERATOR = (
    "This server is open for a class: learners can join it and answer, at /join. Who runs it opens"
    " the link that gear-app serve printed.\n"
)
HEALTH = "/_stcore/health"  # says "ok" and no more
# Exact paths: whatever is not listed is the operator's, also what is added to Streamlit one day.
ASKED = ("palette.css", "enter", "page", "answer", "slide")
PUBLIC = frozenset({JOIN, HEALTH, *(f"{JOIN}/{name}" for name in (*FILES, *ASKED))})


class Gate:
    """Hands on what the operator asks for, and of others what is public."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        """`app` gets what is let in; with the token "" that is everything."""
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if not self._token or scope["type"] == "lifespan" or self._lets_in(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await self._refused(scope)(scope, receive, send)

    def _lets_in(self, scope: Scope) -> bool:
        if scope["type"] == "http" and scope["path"] in PUBLIC:
            return True
        return is_operator(Headers(scope=scope), self._token)

    def _refused(self, scope: Scope) -> ASGIApp:
        """The way in for who brings the operator's link; learners at the front page are sent on."""
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        given = asked.pop(PARAMETER, [""])[0]
        if given and _same(given, self._token):
            rest = urlencode(asked, doseq=True)
            path = "/" + scope["path"].lstrip("/")  # "//host" would lead to another host
            entered = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
            entered.set_cookie(COOKIE, self._token, httponly=True, samesite="lax", path="/")
            return entered
        if scope["path"] == "/" and scope["method"] == "GET":
            return RedirectResponse(JOIN, 303)
        return PlainTextResponse(FOR_THE_OPERATOR, FORBIDDEN)


def is_operator(headers: Mapping[str, str], token: str) -> bool:
    """Whether a request with these headers comes from a browser that has the operator's cookie."""
    try:
        kept = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return False
    return kept is not None and _same(kept.value, token)


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(), token.encode())


BROWSER_COOKIE = "gear_browser"


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
                    secret = f"{BROWSER_COOKIE}={secrets.token_urlsafe(24)}"
                    headers.append("set-cookie", f"{secret}; Path=/; HttpOnly; SameSite=Lax")
            await send(message)

        await self._app(scope, receive, send_with_secret)


def _needs_secret(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and "text/html" in Headers(scope=scope).get("accept", "")
        and not scope["path"].startswith(JOIN)
        and BROWSER_COOKIE not in HTTPConnection(scope).cookies
    )
