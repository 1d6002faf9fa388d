"""One call over the network: what leaves this machine, how much may come back, and what came of it.

The openai package speaks the protocol. It reads the environment by itself, so every request is
stripped to the headers that we mean to send: a key or header meant for one server never reaches
another.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import httpx2
import openai

from gear_app.llm import embeddings_response
from gear_app.llm.environment import proxied
from gear_app.llm.request import Refused, Request, arguments
from gear_app.llm.response import Fault, Reply, model_names, refusal
from gear_app.llm.server import Server
from gear_app.llm.stream import Incoming
from gear_app.seams import Vectors

REPLY_BYTES = 4_000_000  # a reply of 16 000 tokens has 0.1 MB
# the same reply has 6 MB in pieces of one token; its words are bounded as others are
STREAM_BYTES = 32_000_000
VECTORS_BYTES = 8_000_000  # 16 vectors of 8192 numbers have 3 MB
_SENT = {"host", "accept", "content-type", "content-length", "transfer-encoding", "connection"}
# by this the package knows, when the response is there, that it is wanted unread
_RAW = "x-stainless-raw-response"
_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout)
T = TypeVar("T")


def client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client without retries of its own; it belongs to the event loop that
    uses it first.
    """

    async def sent(request: httpx2.Request) -> None:
        for name in set(request.headers) - _SENT - {_RAW}:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"  # a compressed reply has no bounds
        request.headers["Connection"] = (
            "close"  # else what a server sends too much is the reply to the next prompt
        )
        if server.key:
            request.headers["Authorization"] = f"Bearer {server.key.reveal()}"

    async def bounded(response: httpx2.Response) -> None:
        response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, _most(response))

    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    patience = server.patience
    limits = httpx2.Limits(max_connections=server.at_once + 1)
    # Where there is nothing to verify no certificates are read; with a transport of its own no
    # proxy is asked.
    plain = server.base_url.startswith("http:")
    direct = (
        None
        if proxied(server.base_url)
        else httpx2.AsyncHTTPTransport(verify=not plain, limits=limits)
    )
    http = httpx2.AsyncClient(
        event_hooks={"request": [sent], "response": [bounded]},
        limits=limits,
        timeout=httpx2.Timeout(patience.timeout_s, connect=patience.connect_s),
        transport=direct,
    )
    return openai.AsyncOpenAI(
        base_url=server.base_url, api_key="unused", max_retries=0, http_client=http
    )


def _most(response: httpx2.Response) -> int:
    """How many bytes its body may have."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return STREAM_BYTES
    return VECTORS_BYTES if response.request.url.path.endswith("/embeddings") else REPLY_BYTES


async def attempt(
    speaker: openai.AsyncOpenAI,
    server: Server,
    request: Request,
    refused: Refused,
    came: Callable[[int], None],
) -> Reply | Fault:
    """Ask once. Nothing the server does raises; cancelling closes the connection.

    `came` is told how many characters of a streamed reply have come, whenever some do.
    """
    began = time.perf_counter()
    asked = speaker.chat.completions.with_raw_response.create(**arguments(server, request, refused))
    found = await _fetched(_read(asked, request, came), server)
    said = found if isinstance(found, Fault) else found.reply((time.perf_counter() - began) * 1000)
    if isinstance(said, Fault):
        return _hidden(said, server)
    return dataclasses.replace(
        said, text=server.key.redact(said.text)
    )  # a server may repeat the key it was sent


async def _read(asked: Awaitable[_Raw], request: Request, came: Callable[[int], None]) -> Incoming:
    """The body, as it comes in where it was asked for so, until its end or nonsense."""
    response = (await asked).http_response
    incoming = Incoming(request, response.headers.get("content-type", ""))
    try:
        async for part in response.aiter_bytes():
            incoming.feed(part)
            came(incoming.characters)
            if incoming.ended:  # what comes after the end is not waited for
                break
    finally:
        await response.aclose()
    return incoming


async def models(speaker: openai.AsyncOpenAI, server: Server) -> tuple[str, ...] | Fault:
    """The names of the models the server has."""
    raw = await _fetched(speaker.models.with_raw_response.list(), server)
    if isinstance(raw, Fault):
        return raw
    found = model_names(raw.content, raw.headers.get("content-type", ""))
    return (
        _hidden(found, server) if isinstance(found, Fault) else tuple(map(server.key.redact, found))
    )


async def vectors(
    speaker: openai.AsyncOpenAI, server: Server, texts: Sequence[str]
) -> Vectors | Fault:
    """The texts' vectors, (n, d) float32, rows L2-normalised. Nothing the server does raises."""
    asked = speaker.embeddings.with_raw_response.create(
        model=server.model, input=list(texts), encoding_format="float"
    )
    raw = await _fetched(asked, server)
    if isinstance(raw, Fault):
        asked_for = f"{len(texts)} texts of up to {max(map(len, texts)):,} characters"
        return raw._replace(words=f"{raw.words} (for {asked_for})") if raw.refused else raw
    found = embeddings_response.vectors(
        raw.content, raw.headers.get("content-type", ""), len(texts)
    )
    return _hidden(found, server) if isinstance(found, Fault) else found


async def _fetched(call: Awaitable[T], server: Server) -> T | Fault:
    try:
        async with asyncio.timeout(server.patience.timeout_s):
            return await call
    except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException) as error:
        words = f"gave no whole reply within {server.patience.timeout_s:g} s"
        return Fault(words, again=True, free=isinstance(error.__cause__, _UNREACHED))
    except openai.APIStatusError as error:
        response = error.response
        return _hidden(
            refusal(error.status_code, response.headers, response.content, time.time()),
            server,
        )
    except (openai.APIConnectionError, httpx2.HTTPError, httpx2.InvalidURL) as error:
        words = f"could not be reached, or broke off: {error.__cause__ or error}"
        return _hidden(
            Fault(words, again=True, free=isinstance(error.__cause__ or error, _UNREACHED)), server
        )
    except _TooLarge as error:
        return Fault(f"sent more than {error} MB, which is no reply")


def _hidden(fault: Fault, server: Server) -> Fault:
    return fault._replace(words=server.key.redact_cut(fault.words))


class _Raw(Protocol):
    """What the package gives where the response is wanted as it is."""

    @property
    def http_response(self) -> httpx2.Response: ...


class _TooLarge(Exception):
    """More bytes than any reply has; how many megabytes that is."""


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends with an error where it grows too long."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner, self._most = inner, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._most:
                raise _TooLarge(self._most // 1_000_000)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
