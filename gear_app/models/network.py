"""The HTTP client under the openai package, and why a call got no reply.

The package asks again what a server refuses for a while, and waits as long as the server says. It
reads the environment by itself, so every request is stripped to the headers that we mean to send: a
key or header meant for one server never reaches another.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from gear_app.core.text import cut, storable
from gear_app.models.environment import uses_proxy
from gear_app.models.errors import Fault
from gear_app.models.server import REPLY_LIMIT, Secret, Server

if TYPE_CHECKING:
    import openai  # late: 0.4 s, which pages that ask no model do not need

LARGEST = 32_000_000  # bytes of a body: a streamed reply of 16,000 tokens has 6 MB
END = b"[DONE]"  # of a stream
BROKEN = "broke off before its reply was whole"  # not asked again: it may have to be paid for
_ENDPOINTS = ("/chat/completions", "/completions", "/embeddings", "/models")
_SENT = {"host", "accept", "content-type", "content-length", "transfer-encoding", "connection"}
_EXCERPT = 300  # characters of a body in a message
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|h1)\b", re.IGNORECASE)
_TITLE = re.compile(r"<(title|h1)\b[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_WAIT = re.compile(
    r"(?:retry|try again) (?:in|after) (?:(\d+)m)?(\d+(?:\.\d+)?) ?(ms|s)", re.IGNORECASE
)
_LIMIT = re.compile(r"max_\w*tokens|maximum context length", re.IGNORECASE)
ADDRESS = "Its address mostly ends in /v1, without /chat/completions"
_NO_NAME = "no server of this name is known"
_NETWORK_FAULTS = {  # what systems say, and what it means
    "Name or service not known": _NO_NAME,
    "nodename nor servname": _NO_NAME,
    "getaddrinfo failed": _NO_NAME,
    "Connection refused": "no server answers at this address and port",
    "All connection attempts failed": "no server answers at this address and port",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not one that this machine trusts. Name the"
    " file of the authority that signed it in SSL_CERT_FILE",
    "WRONG_VERSION_NUMBER": "it speaks http, and the address says https",
}


@dataclass
class Call:
    """A call that is under way."""

    role: str = ""
    attempts: int = 0
    characters: int = 0  # of its reply that have come
    fault: str = ""  # of the last attempt
    limit: asyncio.Timeout | None = None  # of this attempt


CALL: ContextVar[Call] = ContextVar("call")


class BoundedStream(httpx2.AsyncByteStream):
    """A body that raises Fault after LARGEST bytes; `ended`: a stream's mark of the end came."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner, self.ended = inner, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, last = 0, b""
        try:
            async for part in self._inner:
                size += len(part)
                if size > LARGEST:
                    raise Fault(f"sent more than {LARGEST // 1_000_000} MB, which is no reply")
                last = last[-len(END) :] + part
                self.ended = self.ended or END in last
                yield part
        except httpx2.TransportError as error:
            raise Fault(BROKEN) from error

    async def aclose(self) -> None:
        """Close what is read."""
        await self._inner.aclose()


class _Transport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response. Raises Fault where the connection broke after the request was sent."""
        try:
            return await super().handle_async_request(request)
        except (httpx2.ReadError, httpx2.RemoteProtocolError) as error:
            raise Fault(BROKEN) from error


def api_address(address: str) -> str:
    """The address that the endpoints are below: without the path of one of them, and with /v1 where
    only a host was given.
    """
    address = address.rstrip("/")
    for endpoint in _ENDPOINTS:
        address = address.removesuffix(endpoint)
    return address if urlsplit(address).path else f"{address}/v1"


def make_client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client; it belongs to the event loop that uses it first."""
    import openai

    async def begin_attempt(request: httpx2.Request) -> None:
        call = CALL.get()
        call.attempts, call.characters = call.attempts + 1, 0
        if call.limit:
            now_s = asyncio.get_running_loop().time()
            call.limit.reschedule(now_s + server.patience.timeout_s)
        for name in set(request.headers) - _SENT:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"  # a compressed reply has no bounds
        # Else what a server sends too much is the reply to the next prompt.
        request.headers["Connection"] = "close"
        if server.key:
            request.headers["Authorization"] = f"Bearer {server.key.reveal()}"

    async def read_refusal(response: httpx2.Response) -> None:
        response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = BoundedStream(response.stream)
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return
        await response.aread()
        response.status_code = _status(response)
        if response.status_code >= 300:
            call = CALL.get()
            call.fault = _refusal(response, server.key)
            if call.limit:
                call.limit.reschedule(None)  # the wait is no part of an attempt
            if response.status_code == 402:
                response.headers["x-should-retry"] = "false"
            if wait := _WAIT.search(response.text):
                minutes, number, unit = wait.groups()
                wait_ms = float(number) * (1 if unit.lower() == "ms" else 1000)
                wait_ms += 60_000 * int(minutes or 0)
                response.headers.setdefault("retry-after-ms", str(wait_ms))

    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    limits = httpx2.Limits(max_connections=server.at_once + 1)
    # Where there is nothing to verify no certificates are read.
    verify = not server.base_url.startswith("http:")
    direct = _Transport(verify=verify, limits=limits)
    http = httpx2.AsyncClient(
        event_hooks={"request": [begin_attempt], "response": [read_refusal]},
        limits=limits,
        timeout=httpx2.Timeout(None, connect=server.patience.connect_s),
        transport=None if uses_proxy(server.base_url) else direct,
    )
    return openai.AsyncOpenAI(
        base_url=api_address(server.base_url),
        api_key="unused",
        max_retries=server.patience.retries,
        timeout=http.timeout,
        http_client=http,
    )


def _status(response: httpx2.Response) -> int:
    """The status of a response; that of the error within a body of status 200, as gateways send it,
    and 402 for OpenAI's 429 that waiting does not cure.
    """
    data = _json(response.text)
    error = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
    code = str(error.get("code") or "") if isinstance(error, dict) else ""
    if "insufficient_quota" in code:
        return 402
    if response.status_code != 200 or not error:
        return response.status_code
    return int(code) if re.fullmatch("[45][0-9]{2}", code) else 500


def explain(error: Exception, call: Call, server: Server) -> Fault:
    """Fault of a call by its exception, without the key."""
    import openai

    patience, key = server.patience, server.key
    match error:
        case Fault():
            return error
        case openai.APIStatusError(response=response):
            return Fault(_refusal(response, key), response.status_code)
        case openai.APITimeoutError():
            return Fault(f"could not be reached within {patience.connect_s:g} s", 0)
        case TimeoutError():
            return Fault(f"gave no whole reply within {patience.timeout_s:g} s")
        case openai.APIConnectionError():
            cause = str(error.__cause__ or error)
            words = next((w for sign, w in _NETWORK_FAULTS.items() if sign in cause), cause)
            return Fault(f"could not be reached, or broke off: {excerpt(words, key)}", 0)
        case openai.APIError(body=body):
            words = error_words(json.dumps({"error": body or str(error)}, default=str), key)
            return Fault(f"broke off with an error: {words}")
        case json.JSONDecodeError():
            return text_fault(error.doc, key)
    words = excerpt(str(error), key)
    sent = None if call.attempts else 0
    return Fault(f"cannot be used, or sent what cannot be read: {words}", sent)


def text_fault(text: str, key: Secret) -> Fault:
    """The fault of a reply that is no JSON at all."""
    words = excerpt(text, key)
    if _PAGE.match(text):
        return Fault(f"sent a web page: {words}. {ADDRESS}", 0)
    return Fault(f"sent what is not JSON: {words!r}. {ADDRESS}")


def _refusal(response: httpx2.Response, key: Secret) -> str:
    """The words of a status of 300 or more."""
    status, words = response.status_code, error_words(response.text, key)
    message = f"answered {status}: {words}" if words else f"answered {status}"
    message = message.replace(f"{status}: {status}", str(status)).rstrip(".")  # of a page's title
    if 300 <= status < 400:
        message += ". It sends callers elsewhere; give the address it sends them to"
    if status in (404, 405) and _json(response.text) is None:
        message += f". {ADDRESS}"
    if status in (400, 422) and _LIMIT.search(words):
        message += f". Allow a reply fewer tokens: {REPLY_LIMIT}"
    wait = response.headers.get("retry-after")
    return f"{message}, and asks to wait {wait} s" if wait else message


def error_words(body: str, key: Secret) -> str:
    """The server's own words in an error's body: OpenAI's form, Gemini's list, Ollama's, FastAPI's,
    a page's title, or text; with those of the server behind a gateway (`error.metadata.raw`).
    """
    data, behind = _json(body), ""
    while isinstance(data, list | dict) and data:
        inner = data[0] if isinstance(data, list) else None
        if isinstance(data, dict):
            metadata = data.get("metadata")
            raw = metadata.get("raw") if isinstance(metadata, dict) else None
            behind = error_words(str(raw), key) if raw else behind
            names = ("error", "message", "detail")
            inner = next((data[name] for name in names if data.get(name)), json.dumps(data))
        data = inner
    words = excerpt(body if data is None else str(data or ""), key)
    return words if behind in words else f"{words.rstrip('.')}: {behind}"


def _json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


def excerpt(sent: str, key: Secret) -> str:
    """The beginning of what a server sent, on one line, without the key; of a page its title."""
    sent = key.redact(sent.replace("\\/", "/"))
    if _PAGE.match(sent):
        title = _TITLE.search(sent)
        sent = title[2] if title else re.sub("<[^>]*>", " ", sent)
    return cut(storable(" ".join(sent.split())), _EXCERPT)
