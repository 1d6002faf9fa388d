"""The web application: the pages of navigation.py, and what is decided before them: who is let in,
and what browsers are told.

Streamlit checks the name a server is called by at its WebSocket only, and looks up this machine's
public address on the internet when a page of another origin knocks there. Here both are decided
before Streamlit hears of a request, for all of it: page, health, media, uploads, WebSocket.

`streamlit run` looks for the call of `App` in the file that it runs. `gear-app serve` runs this
file, which it finds from any folder; app.py at the top of the project makes the same call.
"""

from __future__ import annotations

import ipaddress
import re
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.starlette import App

from gear_app.core import demonstration

PAGE = Path(__file__).with_name("navigation.py")
UPLOADS = "/_stcore/upload_file"
ANY_IP = "*"
MISDIRECTED, FORBIDDEN = 421, 403
NOT_THIS_NAME = (
    "This server does not go by the name in your address bar. Whoever runs it can add the name:"
    " gear-app serve --allow-host NAME\n"
)
NOT_THIS_PAGE = "Pages of other sites cannot use this server.\n"
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
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


class Door:
    """Lets in what is addressed to this server by one of its names, from no other site's page."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """`hosts` are names as `is_name` takes them; `app` gets what is let in."""
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on. The server's start and end are handed on as they are."""
        headers = Headers(scope=scope) if scope["type"] != "lifespan" else None
        refusal = _refusal(headers, self._hosts) if headers is not None else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await refusal(scope, receive, send)


def _refusal(headers: Headers, names: Sequence[str]) -> Response | None:
    """The answer to a request that is not let in.

    An Origin, which browsers send with whatever a page's scripts ask for, has to be this very
    server as the request calls it, port included. Programs that are no browser send none.
    """
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not is_name(hosts[0], names):
        return PlainTextResponse(NOT_THIS_NAME, MISDIRECTED)
    if any(origin.partition("://")[2] != hosts[0] for origin in headers.getlist("origin")):
        return PlainTextResponse(NOT_THIS_PAGE, FORBIDDEN)
    return None


def is_name(host: str, names: Sequence[str]) -> bool:
    """Whether a Host header, with or without port, has one of these names.

    `*.example.org` is every name below example.org. `*` is every IP address but no name: a name can
    be made to lead to this machine by whoever owns it, an address cannot.
    """
    if not _HOST.fullmatch(host):
        return False
    name = _plain(urlsplit(f"//{host}").hostname or "")
    return any(_fits(name, listed) for listed in names)


def _fits(name: str, listed: str) -> bool:
    if listed == ANY_IP:
        with suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return False
    plain = _plain(listed)
    return name.endswith(plain[1:]) if plain.startswith("*.") else name == plain


def _plain(name: str) -> str:
    return name.lower().strip("[]").rstrip(".")


def security_headers(host: str) -> dict[str, str]:
    """Headers of every answer, to a request that called this server `host`."""
    policy = list(_POLICY)
    if _HOST.fullmatch(host):  # not every browser takes 'self' to include the WebSocket
        policy.append(f"connect-src 'self' ws://{host} wss://{host}")
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }


async def answer(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """The application's answer with its policies; files are refused in a demonstration."""
    if demonstration.is_on() and request.url.path.startswith(UPLOADS):
        response: Response = PlainTextResponse(demonstration.CLOSED, FORBIDDEN)
    else:
        response = await call_next(request)
    for name, value in security_headers(request.headers.get("host", "")).items():
        response.headers.setdefault(name, value)
    return response


def middleware() -> list[Middleware]:
    """Middleware before Streamlit, from the outside in."""
    return [
        Middleware(BaseHTTPMiddleware, dispatch=answer),
        Middleware(Door, hosts=st.get_option("server.allowedHosts")),
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
