"""The HTTP client under the openai package: which headers leave, how many bytes may come back, and
which proxy is used.

The package reads the environment by itself, so every request is stripped to the headers that we
mean to send: a key or header meant for one server never reaches another.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx2
import openai

from gear_app.models.environment import uses_proxy
from gear_app.models.server import Server

BODY_BYTES = 8_000_000  # 16 vectors of 8192 numbers have 3 MB, a reply of 16 000 tokens 0.1 MB
STREAM_BYTES = 32_000_000  # the same reply has 6 MB in pieces of one token
END = b"[DONE]"  # of a stream
_ENDPOINTS = ("/chat/completions", "/completions", "/embeddings", "/models")
_SENT = {"host", "accept", "content-type", "content-length", "transfer-encoding", "connection"}
# By this the package knows, when the response is there, that it is wanted unread.
_RAW = "x-stainless-raw-response"


class TooLarge(Exception):
    """More bytes came than any reply has; the message is how many megabytes that is."""


class BoundedStream(httpx2.AsyncByteStream):
    """A body that raises TooLarge after `limit` bytes; `ended`: a stream's mark of the end came."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner, self._limit = inner, limit
        self.ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, last = 0, b""
        async for part in self._inner:
            size += len(part)
            if size > self._limit:
                raise TooLarge(self._limit // 1_000_000)
            last = last[-len(END) :] + part
            self.ended = self.ended or END in last
            yield part

    async def aclose(self) -> None:
        """Close what is read."""
        await self._inner.aclose()


def api_address(address: str) -> str:
    """The address that the endpoints are below: without the path of one of them, and with /v1 where
    only a host was given.
    """
    address = address.rstrip("/")
    for endpoint in _ENDPOINTS:
        address = address.removesuffix(endpoint)
    return address if urlsplit(address).path else f"{address}/v1"


def make_client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client without retries; it belongs to the event loop that uses it first.

    Raises ImportError or ValueError for a proxy that cannot be used.
    """

    async def strip_headers(request: httpx2.Request) -> None:
        for name in set(request.headers) - _SENT - {_RAW}:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"  # a compressed reply has no bounds
        # Else what a server sends too much is the reply to the next prompt.
        request.headers["Connection"] = "close"
        if server.key:
            request.headers["Authorization"] = f"Bearer {server.key.reveal()}"

    async def bound_body(response: httpx2.Response) -> None:
        response.headers.pop("content-encoding", None)
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        limit = STREAM_BYTES if streamed else BODY_BYTES
        response.stream = BoundedStream(response.stream, limit)

    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    limits = httpx2.Limits(max_connections=server.at_once + 1)
    # Where there is nothing to verify no certificates are read.
    verify = not server.base_url.startswith("http:")
    direct = httpx2.AsyncHTTPTransport(verify=verify, limits=limits)
    http = httpx2.AsyncClient(
        event_hooks={"request": [strip_headers], "response": [bound_body]},
        limits=limits,
        timeout=httpx2.Timeout(server.patience.timeout_s, connect=server.patience.connect_s),
        transport=None if uses_proxy(server.base_url) else direct,
    )
    return openai.AsyncOpenAI(
        base_url=api_address(server.base_url), api_key="unused", max_retries=0, http_client=http
    )
