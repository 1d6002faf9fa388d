"""The HTTP client under the openai package, and why a call got no reply.

The package asks again what a server refuses for a while, and waits as long as the server says. It
reads the environment by itself, so every request is stripped to the headers that we mean to send: a
key or header meant for one server never reaches another. Replies, whole or streamed, are read to
their end here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from contextlib import aclosing, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
import openai

from gear_app.core.text import cut, storable
from gear_app.models.errors import Fault
from gear_app.models.messages import BROKEN
from gear_app.models.server import Secret, Server, proxy_for

LARGEST = 32_000_000  # bytes of a body
AFTER_END_S = 2.0  # a stream that has ended may go on for so long, to count its tokens
ADDRESS = "Its address mostly ends in /v1, without /chat/completions"
_ENDPOINT = re.compile(r"/+(?:(?:chat/)?completions|embeddings|models)?/*$")
_SENT = ("host", "accept", "content-type", "content-length", "transfer-encoding")
# Of a streamed reply's last piece, or of an error in it; within a text such marks are escaped.
_END = re.compile(rb'(?<!\\)"(?:finish_reason|error)" ?: ?["{]')
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|h1)\b", re.IGNORECASE)
_WAIT = re.compile(
    r"(?:retry|try again) (?:in|after) (?:(\d+)m)?(\d+(?:\.\d+)?) ?(ms|s)", re.IGNORECASE
)
_NETWORK_FAULTS = {  # what systems say, and what it means
    "Name or service not known": "no server of this name is known",
    "nodename nor servname": "no server of this name is known",
    "getaddrinfo failed": "no server of this name is known",
    "Connection refused": "no server answers at this address and port",
    "All connection attempts failed": "no server answers at this address and port",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not one that this machine trusts. Name the"
    " file of the authority that signed it in SSL_CERT_FILE",
    "WRONG_VERSION_NUMBER": "it speaks http, and the address says https",
}


@dataclass
class Call:
    """A call that is under way."""

    attempts: int = 0
    pieces: int = 0  # of a streamed reply that have come


CALL: ContextVar[Call] = ContextVar("call")


class _Transport(httpx2.AsyncHTTPTransport):
    """One attempt of a call, within the server's time."""

    def __init__(self, server: Server) -> None:
        address = server.base_url  # where there is nothing to verify no certificates are read
        super().__init__(verify=not address.startswith("http:"), proxy=proxy_for(address))
        self._server = server

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, read. Raises Fault or TimeoutError for what is not asked again."""
        key, call, body, ended = self._server.key, CALL.get(), b"", False
        timeout_s, clock = self._server.patience.timeout_s, asyncio.get_running_loop().time
        call.attempts, call.pieces = call.attempts + 1, 0
        headers = {name: value for name, value in request.headers.items() if name in _SENT}
        # A compressed reply has no bounds; and what a server sends too much on a connection that
        # stays open is the reply to the next prompt.
        headers |= {"accept-encoding": "identity", "connection": "close"}
        headers |= {"authorization": f"Bearer {key.reveal()}"} if key else {}
        request.headers = httpx2.Headers(headers)
        try:
            async with asyncio.timeout(timeout_s) as limit:
                response = await super().handle_async_request(request)
                streams = response.is_success and response.headers.get(
                    "content-type", ""
                ).startswith("text/event-stream")
                if streams:  # the time before its first piece, of a long prompt, is not counted
                    limit.reschedule(clock() + timeout_s)
                assert isinstance(response.stream, httpx2.AsyncByteStream)
                async with aclosing(response.stream) as parts:
                    async for part in parts:
                        body += part
                        call.pieces += part.count(b"data:")
                        if len(body) > LARGEST:
                            raise Fault(f"sent more than {LARGEST // 1_000_000} MB")
                        if streams and not ended and _END.search(body[-len(part) - 50 :]):
                            ended = True  # what comes long after the last piece is not waited for
                            limit.reschedule(clock() + AFTER_END_S)
        except (httpx2.ReadError, httpx2.RemoteProtocolError) as error:
            raise Fault(BROKEN) from error
        except TimeoutError:
            if not ended:
                raise
            body = body[: body.rfind(b"\n")]  # its last line may be unfinished
        text = body.decode("utf-8", "replace")
        return httpx2.Response(200, text=text) if streams else _checked(response, text, key)


def _checked(response: httpx2.Response, body: str, key: Secret) -> httpx2.Response:
    """The response with its true status; a refusal in words, with the wait that its body states.
    Raises Fault for a reply that is no JSON.
    """
    data, status = None, response.status_code
    with suppress(ValueError, RecursionError):
        data = json.loads(body)
    error = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
    if response.is_success and data is not None and not error:
        return httpx2.Response(status, headers={"content-type": "application/json"}, text=body)
    words = excerpt(body if data is None else _words(data), key)
    code = str(error.get("code") or "") if isinstance(error, dict) else ""
    if "insufficient_quota" in code:
        status = 402  # OpenAI's 429 that waiting does not cure
    elif error and response.is_success:  # as gateways send it
        status = int(code) if re.fullmatch("[45][0-9]{2}", code) else 500
    elif response.is_success and _PAGE.match(body):
        raise Fault(f"sent a web page: {words}. {ADDRESS}", 0)
    elif response.is_success:
        raise Fault(f"sent what is not JSON: {words!r}. {ADDRESS}")
    message = f"answered {status}: {words}".rstrip(".: ")
    if status in (404, 405) and data is None:
        message += f". {ADDRESS}"
    headers = {
        name: response.headers[name]
        for name in ("retry-after", "retry-after-ms")
        if name in response.headers
    }
    if "retry-after" in headers:
        message += f", and asks to wait {headers['retry-after']} s"
    if wait := _WAIT.search(body):
        minutes, number, unit = wait.groups()
        seconds = 60 * int(minutes or 0) + float(number) / (1000 if unit.lower() == "ms" else 1)
        headers.setdefault("retry-after-ms", str(1000 * seconds))
    return httpx2.Response(status, headers=headers, text=message)


def make_client(server: Server) -> openai.AsyncOpenAI:
    """The openai package's client; it belongs to the event loop that uses it first."""
    for name in ("openai", "httpx2", "httpcore2"):  # what they log may hold what a server echoes
        logging.getLogger(name).setLevel(logging.WARNING)
    # The endpoints are below the address: without the path of one of them, and with /v1 where only
    # a host was given.
    address = _ENDPOINT.sub("", server.base_url)
    timeout = httpx2.Timeout(None, connect=server.patience.connect_s)
    return openai.AsyncOpenAI(
        base_url=address if urlsplit(address).path else f"{address}/v1",
        api_key="unused",
        max_retries=server.patience.retries,
        timeout=timeout,
        http_client=httpx2.AsyncClient(transport=_Transport(server), timeout=timeout),
    )


def explain(error: Exception, server: Server) -> Fault:
    """Fault of a call by its exception, without the key."""
    match error:
        case Fault():
            return Fault(server.key.redact(error.message), error.status)
        case openai.APIStatusError(response=response):
            return Fault(response.text, response.status_code)
        case openai.APIConnectionError():
            cause = str(error.__cause__ or error)
            words = next((w for sign, w in _NETWORK_FAULTS.items() if sign in cause), cause)
            return Fault(f"could not be reached: {excerpt(words, server.key)}", 0)
        case TimeoutError():
            return Fault(f"gave no whole reply within {server.patience.timeout_s:g} s")
    return Fault(
        f"cannot be used, or sent what cannot be read: {excerpt(str(error), server.key)}",
        None if CALL.get().attempts else 0,
    )


def _words(data: object) -> str:
    """The server's own words in an error: OpenAI's form, Gemini's list, Ollama's, FastAPI's; and
    those of the server behind a gateway (`error.metadata.raw`).
    """
    if isinstance(data, list) and data:
        return _words(data[0])
    if not isinstance(data, dict):
        return str(data or "")
    parts = [
        _words(data[name]).rstrip(".")
        for name in ("error", "message", "detail", "metadata", "raw")
        if data.get(name)
    ]
    return ": ".join(parts) or json.dumps(data)


def excerpt(sent: str, key: Secret) -> str:
    """The beginning of what a server sent, on one line, without the key and marks of a page."""
    sent = key.redact(sent.replace("\\/", "/"))
    if _PAGE.match(sent):
        sent = re.sub("<[^>]*>", " ", sent)
    return cut(storable(" ".join(sent.split())), 300)
