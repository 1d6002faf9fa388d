"""The web application: the pages of navigation.py, and what stands before them: who is let in, and
what browsers are told.

Streamlit checks the name a server is called by at its WebSocket only, and looks up this machine's
public address on the internet when a page of another origin knocks there. Here both are decided
before Streamlit hears of a request, for all of it: page, health, media, uploads, WebSocket.

`streamlit run` looks for the call of `App` in the file that it runs. `gear-app serve` runs this
file, which it finds from any folder; app.py at the top of the project makes the same call.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.starlette import App

from gear_app.app.shared.visitors import BROWSER_COOKIE
from gear_app.core import demonstration

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
        self._app = app
        self._sheet = b"<style>" + SHEET.read_bytes() + b"</style>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on; an answer that is a page is held back until it is whole."""
        if not _wants_page(scope):
            await self._app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in _UNASKED]
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
                    page = self._styled(start, bytes(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        await self._app({**scope, "headers": headers}, receive, send_with_style)

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


ANY_IP = "*"
MISDIRECTED, FORBIDDEN = 421, 403
NOT_THIS_NAME = (
    "This server does not go by the name in your address bar. Whoever runs it can add the name:"
    " gear-app serve --allow-host NAME\n"
)
NOT_THIS_PAGE = "Pages of other sites cannot use this server.\n"
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
# Streamlit needs inline scripts and styles, and eval for charts. What matters is that nothing can
# be fetched from, or sent to, another host, whatever a document managed to put on a page.
_POLICY = (
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "frame-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
)


class Refusal(NamedTuple):
    """Why a request is not let in."""

    status: int
    reason: str


class Door:
    """Lets in what is addressed to this server by one of its names, from no other site's page."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """`hosts` are names as `known` takes them; `app` gets what is let in."""
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on. The server's start and end are handed on as they are."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = refusal_of(headers.getlist("host"), headers.getlist("origin"), self._hosts)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await PlainTextResponse(refusal.reason, refusal.status)(scope, receive, send)


class Policies:
    """Tells browsers with every answer that it is for this site alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and add to the answer's headers what it does not say itself."""
        policies = (
            security_headers(Headers(scope=scope).get("host", ""))
            if scope["type"] == "http"
            else {}
        )

        async def send_with_policies(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in policies.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_policies)


def refusal_of(
    hosts: Sequence[str], origins: Sequence[str], names: Sequence[str]
) -> Refusal | None:
    """Why a request with these Host and Origin headers is not let in; None where it is.

    An Origin, which browsers send with whatever a page's scripts ask for, has to be this very
    server as the request calls it, port included. Programs that are no browser send none.
    """
    if len(hosts) != 1 or not known(hosts[0], names):
        return Refusal(MISDIRECTED, NOT_THIS_NAME)
    if any(_place(origin) != hosts[0] for origin in origins):
        return Refusal(FORBIDDEN, NOT_THIS_PAGE)
    return None


def known(host: str, names: Sequence[str]) -> bool:
    """Whether a Host header, with or without port, has one of these names.

    `*.example.org` is every name below example.org. `*` is every IP address but no name: a name can
    be made to lead to this machine by whoever owns it, an address cannot.
    """
    if not _HOST.fullmatch(host):
        return False
    name = _plain(urlsplit(f"//{host}").hostname or "")
    return any(_fits(name, listed) for listed in names)


def security_headers(host: str) -> dict[str, str]:
    """What every answer tells browsers, to a request that called this server `host`."""
    policy = list(_POLICY)
    if _HOST.fullmatch(host):  # not every browser takes 'self' to include the WebSocket
        policy.append(f"connect-src 'self' ws://{host} wss://{host}")
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }


def _fits(name: str, listed: str) -> bool:
    if listed == ANY_IP:
        return _is_ip(name)
    if listed.startswith("*."):
        return name.endswith(_plain(listed[1:]))
    return name == _plain(listed)


def _plain(name: str) -> str:
    return name.lower().strip("[]").rstrip(".")


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _place(origin: str) -> str:
    """The host and port of an Origin header; "" for "null" and for what is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


class BrowserSecret:
    """Gives every browser a secret cookie with its first page: what was chosen in it is known again
    after a reload, and in no other browser, whatever its address says.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and add the cookie to the page where the browser has none."""
        if not _wants_page(scope) or BROWSER_COOKIE in HTTPConnection(scope).cookies:
            await self._app(scope, receive, send)
            return

        async def send_with_secret(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                secret = f"{BROWSER_COOKIE}={secrets.token_urlsafe(24)}"
                headers = MutableHeaders(scope=message)
                headers.append("set-cookie", f"{secret}; Path=/; HttpOnly; SameSite=Lax")
            await send(message)

        await self._app(scope, receive, send_with_secret)


UPLOADS = "/_stcore/upload_file"


class NoUploads:
    """Refuses files in a demonstration, whatever page would have taken them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if demonstration.is_on() and scope.get("path", "").startswith(UPLOADS):
            await PlainTextResponse(demonstration.CLOSED, FORBIDDEN)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


PAGE = Path(__file__).with_name("navigation.py")


def middleware() -> list[Middleware]:
    """What stands before Streamlit, from the outside in."""
    return [
        Middleware(Policies),
        Middleware(Door, hosts=st.get_option("server.allowedHosts")),
        Middleware(BrowserSecret),
        Middleware(NoUploads),
        Middleware(PageStyle),
    ]


@asynccontextmanager
async def lifespan(_: App) -> AsyncIterator[None]:
    """Open a browser as the server begins, unless it was told not to."""
    if not st.get_option("server.headless"):
        address, port = st.get_option("browser.serverAddress"), st.get_option("server.port")
        # The port is open already: a browser that is too early waits for its answer.
        Thread(target=webbrowser.open, args=[f"http://{address}:{port}"], daemon=True).start()
    yield


app = App(PAGE, middleware=middleware(), lifespan=lifespan)
