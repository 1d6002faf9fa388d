"""One call over the network: what leaves this machine, how much may come back, and its outcome.

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

from gear_app.llm.environment import uses_proxy
from gear_app.llm.request import Request, Unsupported, arguments
from gear_app.llm.response import (
    Fault,
    Reply,
    StreamedReply,
    parse_error,
    parse_model_names,
    parse_vectors,
)
from gear_app.llm.server import Server
from gear_app.seams import Vectors
from gear_app.text import cut

REPLY_BYTES = 4_000_000  # a reply of 16 000 tokens has 0.1 MB
# The same reply has 6 MB in pieces of one token; its text is bounded as others are.
STREAM_BYTES = 32_000_000
BEGINNING = 80  # characters of a text that was refused
VECTORS_BYTES = 8_000_000  # 16 vectors of 8192 numbers have 3 MB
_SENT = {"host", "accept", "content-type", "content-length", "transfer-encoding", "connection"}
# By this the package knows, when the response is there, that it is wanted unread.
_RAW = "x-stainless-raw-response"
_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout)
# What systems say of the same few faults, and what it means.
_NO_NAME = "no server of this name is known"
_NETWORK_FAULTS = {
    "Name or service not known": _NO_NAME,
    "nodename nor servname": _NO_NAME,
    "getaddrinfo failed": _NO_NAME,
    "No address associated": _NO_NAME,
    "Temporary failure in name resolution": "names of servers cannot be looked up at the moment",
    "Connection refused": "no server answers at this address and port",
    "All connection attempts failed": "no server answers at this address and port",
    "Network is unreachable": "this machine has no network",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not one that this machine trusts",
    "WRONG_VERSION_NUMBER": "it speaks http, and the address says https",
}
T = TypeVar("T")


def make_client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client without retries; it belongs to the loop that uses it first."""

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
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, _byte_limit(response))

    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    patience = server.patience
    limits = httpx2.Limits(max_connections=server.at_once + 1)
    transport = None
    if not uses_proxy(server.base_url):  # with a transport of its own no proxy is asked
        # Where there is nothing to verify no certificates are read.
        verify = not server.base_url.startswith("http:")
        transport = httpx2.AsyncHTTPTransport(verify=verify, limits=limits)
    http = httpx2.AsyncClient(
        event_hooks={"request": [strip_headers], "response": [bound_body]},
        limits=limits,
        timeout=httpx2.Timeout(patience.timeout_s, connect=patience.connect_s),
        transport=transport,
    )
    return openai.AsyncOpenAI(
        base_url=server.base_url, api_key="unused", max_retries=0, http_client=http
    )


def _byte_limit(response: httpx2.Response) -> int:
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return STREAM_BYTES
    return VECTORS_BYTES if response.request.url.path.endswith("/embeddings") else REPLY_BYTES


async def complete(
    client: openai.AsyncOpenAI,
    server: Server,
    request: Request,
    unsupported: Unsupported,
    on_progress: Callable[[int], None],
) -> Reply | Fault:
    """Ask once. Nothing the server does raises; cancelling closes the connection.

    `on_progress` gets how many characters of a streamed reply have come, whenever some do.
    """
    began = time.perf_counter()
    call = client.chat.completions.with_raw_response.create(
        **arguments(server, request, unsupported)
    )
    outcome = await catch_faults(_read_stream(call, request, on_progress), server)
    if isinstance(outcome, Fault):
        return outcome
    reply = outcome.reply((time.perf_counter() - began) * 1000)
    if isinstance(reply, Fault):
        return _redact(reply, server)
    # A server may repeat the key it was sent.
    return dataclasses.replace(reply, text=server.key.redact(reply.text))


async def _read_stream(
    call: Awaitable[_RawResponse], request: Request, on_progress: Callable[[int], None]
) -> StreamedReply:
    """The body, streamed or not, until its end or nonsense."""
    response = (await call).http_response
    streamed = StreamedReply(request, response.headers.get("content-type", ""))
    try:
        async for part in response.aiter_bytes():
            streamed.feed(part)
            on_progress(streamed.characters)
            if streamed.ended:  # what comes after the end is not waited for
                break
    finally:
        await response.aclose()
    return streamed


async def list_models(client: openai.AsyncOpenAI, server: Server) -> tuple[str, ...] | Fault:
    """The names of the models the server has."""
    raw = await catch_faults(client.models.with_raw_response.list(), server)
    if isinstance(raw, Fault):
        return raw
    names = parse_model_names(raw.content, raw.headers.get("content-type", ""))
    if isinstance(names, Fault):
        return _redact(names, server)
    return tuple(map(server.key.redact, names))


async def embed(
    client: openai.AsyncOpenAI, server: Server, texts: Sequence[str]
) -> Vectors | Fault:
    """The texts' vectors, (n, d) float32, rows L2-normalised. Nothing the server does raises."""
    call = client.embeddings.with_raw_response.create(
        model=server.model, input=list(texts), encoding_format="float"
    )
    raw = await catch_faults(call, server)
    if isinstance(raw, Fault):
        return _with_texts(raw, texts) if raw.bad_request else raw
    vectors = parse_vectors(raw.content, raw.headers.get("content-type", ""), len(texts))
    return _redact(vectors, server) if isinstance(vectors, Fault) else vectors


def _with_texts(fault: Fault, texts: Sequence[str]) -> Fault:
    """A refusal with what was refused: mostly the longest text, which begins with its title."""
    longest = max(texts, key=len)
    sent = f"{len(texts)} texts of up to {len(longest):,} characters"
    begins = cut(" ".join(longest.split()), BEGINNING)
    return fault._replace(message=f"{fault.message} (for {sent}). The longest begins: {begins}")


async def catch_faults(call: Awaitable[T], server: Server) -> T | Fault:
    """What the call gives within the server's time; a Fault, without the key, where it fails."""
    try:
        async with asyncio.timeout(server.patience.timeout_s):
            return await call
    except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException) as error:
        message = f"gave no whole reply within {server.patience.timeout_s:g} s"
        unreached = isinstance(error.__cause__, _UNREACHED)
        return Fault(message, retryable=True, unbilled=unreached)
    except openai.APIStatusError as error:
        response = error.response
        fault = parse_error(error.status_code, response.headers, response.content, time.time())
        return _redact(fault, server)
    except (openai.APIConnectionError, httpx2.HTTPError, httpx2.InvalidURL) as error:
        cause = error.__cause__ or error
        message = f"could not be reached, or broke off: {_in_words(cause)}"
        unreached = isinstance(cause, _UNREACHED)
        return _redact(Fault(message, retryable=True, unbilled=unreached), server)
    except _TooLarge as error:
        return Fault(f"sent more than {error} MB, which is no reply")


def _in_words(cause: BaseException) -> str:
    """A failure of the network for somebody who does not know the system's error numbers."""
    said = str(cause) or type(cause).__name__
    return next((words for sign, words in _NETWORK_FAULTS.items() if sign in said), said)


def _redact(fault: Fault, server: Server) -> Fault:
    return fault._replace(message=server.key.redact_cut(fault.message))


class _RawResponse(Protocol):
    """What the package gives where the response is wanted as it is."""

    @property
    def http_response(self) -> httpx2.Response: ...


class _TooLarge(Exception):
    """More bytes than any reply has; how many megabytes that is."""


class _BoundedStream(httpx2.AsyncByteStream):
    """A stream that raises _TooLarge after `limit` bytes."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner, self._limit = inner, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._limit:
                raise _TooLarge(self._limit // 1_000_000)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
