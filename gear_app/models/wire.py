"""One call over the network: what leaves this machine, how much may come back, and what came of it.

The openai package speaks the protocol. It reads the environment by itself, so every request is stripped to the
headers that we mean to send: a key or header meant for one server never reaches another.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import time
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

import httpx2
import openai

from gear_app.models import body
from gear_app.models.body import Fault, Reply
from gear_app.models.offers import Refused, Request, arguments
from gear_app.models.server import Server

REPLY_BYTES = 4_000_000  # a reply of 16 000 tokens has 0.1 MB
_SENT = {"host", "accept", "content-type", "content-length", "transfer-encoding", "connection"}
_RAW = "x-stainless-raw-response"  # by this the package knows, when the response is there, that it is wanted unread
T = TypeVar("T")


def client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client without retries of its own; it belongs to the event loop that uses it first."""

    async def sent(request: httpx2.Request) -> None:
        for name in set(request.headers) - _SENT - {_RAW}:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"  # a compressed reply has no bounds
        if server.key:
            request.headers["Authorization"] = f"Bearer {server.key.reveal()}"

    async def bounded(response: httpx2.Response) -> None:
        response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream)

    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    patience = server.patience
    http = httpx2.AsyncClient(
        event_hooks={"request": [sent], "response": [bounded]},
        verify=not server.base_url.startswith("http:"),  # where there is nothing to verify no certificates are read
        timeout=httpx2.Timeout(patience.timeout_s, connect=patience.connect_s),
        limits=httpx2.Limits(max_connections=server.at_once + 1),
    )
    return openai.AsyncOpenAI(base_url=server.base_url, api_key="unused", max_retries=0, http_client=http)


async def attempt(speaker: openai.AsyncOpenAI, server: Server, request: Request, refused: Refused) -> Reply | Fault:
    """Ask once. Nothing the server does raises; cancelling closes the connection."""
    began = time.perf_counter()
    ask = speaker.chat.completions.with_raw_response.create
    raw = await _fetched(ask(**arguments(server, request, refused)), server)
    if isinstance(raw, Fault):
        return raw
    ms = (time.perf_counter() - began) * 1000
    said = body.reply(raw.content, raw.headers.get("content-type", ""), request, ms)
    if isinstance(said, Fault):
        return _hidden(said, server)
    return dataclasses.replace(said, text=server.key.redact(said.text))  # a server may repeat the key it was sent


async def models(speaker: openai.AsyncOpenAI, server: Server) -> tuple[str, ...] | Fault:
    """The names of the models the server has."""
    raw = await _fetched(speaker.models.with_raw_response.list(), server)
    if isinstance(raw, Fault):
        return raw
    found = body.models(raw.content, raw.headers.get("content-type", ""))
    return _hidden(found, server) if isinstance(found, Fault) else tuple(map(server.key.redact, found))


async def _fetched(call: Awaitable[T], server: Server) -> T | Fault:
    try:
        async with asyncio.timeout(server.patience.timeout_s):
            return await call
    except (TimeoutError, openai.APITimeoutError):
        return Fault(f"gave no whole reply within {server.patience.timeout_s:g} s", again=True)
    except openai.APIStatusError as error:
        response = error.response
        return _hidden(body.refusal(error.status_code, response.headers, response.content, time.time()), server)
    except openai.APIConnectionError as error:
        words = f"could not be reached, or broke off: {error.__cause__ or error}"
        return _hidden(Fault(words, again=True), server)
    except _TooLarge:
        return Fault(f"sent more than {REPLY_BYTES // 1_000_000} MB, which is no reply")


def _hidden(fault: Fault, server: Server) -> Fault:
    return fault._replace(words=server.key.redact(fault.words))


class _TooLarge(Exception):
    """More bytes than any reply has."""


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends with an error where it grows too long."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > REPLY_BYTES:
                raise _TooLarge
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
