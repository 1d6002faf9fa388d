"""What a server sends, parsed: replies, whole or in pieces, errors, lists of models, vectors. Pure.

Every form of nonsense becomes a Fault; nothing a server sends raises. A streamed reply comes as
server-sent events, parsed here while they come in: the openai package brings the bytes, and its own
parser of events is not used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gear_app.llm.prices import estimated_tokens
from gear_app.llm.request import FEWER_TOKENS, Request, refuses_limit
from gear_app.llm.retry import retry_after
from gear_app.llm.server import CUT
from gear_app.llm.thinking import Message, message_of, whole
from gear_app.seams import Vectors

_RETRYABLE = {408, 409, 429}
_BAD_REQUEST = {400, 422}
# Why replies end, in the words of OpenAI, of gateways and of the servers behind them.
_CUT = ("length", "max_tokens", "MAX_TOKENS")
_FILTERED = ("content_filter", "safety", "SAFETY")
_PERMANENT = {401, 402, 403, 404, 405}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates, both possible in JSON
_EXCERPT = 300  # characters of a body in a message
LIMIT = 4_000_000  # bytes of a line, characters of a reply
_EVENTS = b"deir:"  # a body that begins so is events: data, event, id, retry, comment


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. Tokens are the server's count, or `estimated`.

    `cut`: it ended at the limit of tokens. `filtered`: the server's own filter ended it.
    """

    text: str
    input_tokens: int
    output_tokens: int
    ms: float
    estimated: bool = False
    cut: bool = False
    attempts: int = 1
    filtered: bool = False


class Fault(NamedTuple):
    """Why there is no reply, in words that go on from "The model server at …".

    `retryable`: another attempt may help, after `retry_after_s` seconds at least where the server
    says so. `bad_request`: the server took exception to what it was asked. `permanent`: no other
    call will do better. `unbilled`: it did no work that it could charge for.
    """

    message: str
    retryable: bool = False
    retry_after_s: float | None = None
    bad_request: bool = False
    permanent: bool = False
    unbilled: bool = False


def parse_reply(body: bytes, content_type: str, request: Request, ms: float) -> Reply | Fault:
    """The reply in a response of status 200; an empty one is a reply too, and an error is none."""
    data = parse_json(body, content_type)
    if isinstance(data, Fault):
        return data
    if fault := _error_within(data):
        return fault
    try:
        choice = data["choices"][0]
        if fault := _error_within(choice):
            return fault
        message = message_of(choice["message"])
    except (LookupError, TypeError, AttributeError):
        counted = isinstance(data, dict) and bool(data.get("usage"))
        words = f"sent JSON without a reply: {excerpt(body)!r}"
        return Fault(words, retryable=True, unbilled=not counted)
    return make_reply(message, data.get("usage"), choice.get("finish_reason"), request, ms)


def make_reply(
    message: Message, usage: object, finish: object, request: Request, ms: float
) -> Reply:
    """The reply of a message, its thinking included; tokens as the server counts them, or
    estimated.
    """
    text = _UNSTORABLE.sub("\ufffd", whole(message))
    counted = _usage(usage, text)
    tokens = counted or (estimated_tokens(request.prompt), estimated_tokens(text))
    cut, filtered = finish in _CUT, finish in _FILTERED
    return Reply(text, *tokens, ms, counted is None, cut, filtered=filtered)


def _error_within(data: object) -> Fault | None:
    """The error in a body of status 200, as gateways send those of the servers behind them; None
    where there is none. A code that is no status is that of a server in trouble.
    """
    error = data.get("error") if isinstance(data, dict) else None
    if not error:
        return None
    code = str(error.get("code", "")) if isinstance(error, dict) else ""
    status = int(code) if re.fullmatch("[45][0-9]{2}", code) else 500
    fault = parse_error(status, {}, json.dumps(data).encode(), 0.0)
    return fault._replace(message=f"answered: {error_message(data)}")


def parse_model_names(body: bytes, content_type: str) -> tuple[str, ...] | Fault:
    """The names in a list of models."""
    data = parse_json(body, content_type)
    if isinstance(data, Fault):
        return data
    try:
        return tuple(_UNSTORABLE.sub("\ufffd", str(row["id"])) for row in data["data"] or ())
    except (LookupError, TypeError):
        return Fault(f"sent JSON without models: {excerpt(body)!r}")


def parse_vectors(body: bytes, content_type: str, texts: int) -> Vectors | Fault:
    """(texts, d) float32, rows L2-normalised, by their index; without any, in the order sent.

    A fault where one is missing, of another length than the others, no list of finite numbers, or
    nothing but zeros.
    """
    data = parse_json(body, content_type)
    if isinstance(data, Fault):
        return data
    try:
        rows = _in_order(data["data"])
        if len(rows) != texts:
            return Fault(f"sent {len(rows)} vectors for {texts} texts", retryable=True)
        vectors = np.array(rows, dtype=np.float64)
    except (LookupError, TypeError, ValueError, OverflowError):
        return Fault(f"sent JSON without vectors of one length: {excerpt(body)!r}", retryable=True)
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        return Fault("sent vectors that are no lists of finite numbers", retryable=True)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not largest.all():
        return Fault("sent a vector of nothing but zeros", retryable=True)
    vectors /= largest  # so that no square is too large or too small
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _in_order(data: Any) -> list[Any]:  # noqa: ANN401
    """The vectors by their index. Raises ValueError where these are not all from 0 on."""
    if all("index" not in row for row in data):
        return [row["embedding"] for row in data]
    by_index = {row["index"]: row["embedding"] for row in data}
    if sorted(by_index) != list(range(len(data))):
        raise ValueError
    return [by_index[n] for n in range(len(data))]


def parse_error(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Fault:
    """What a status of 300 or more means for the next call; `now` in seconds since 1970."""
    try:
        data = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        data = body
    words = error_message(data)
    message = f"answered {status}: {words}" if words else f"answered {status}"
    if 300 <= status < 400:
        message += ". It sends callers elsewhere; give the address it sends them to"
        return Fault(message, permanent=True, unbilled=True)
    if status in _BAD_REQUEST and refuses_limit(words):
        message = f"{message.rstrip('.')}. {FEWER_TOKENS}"
    spent = b"insufficient_quota" in body  # OpenAI's 429 that waiting does not cure
    retryable = (status in _RETRYABLE or status >= 500) and not spent
    return Fault(
        message,
        retryable,
        retry_after(headers, now) if retryable else None,
        bad_request=status in _BAD_REQUEST,
        permanent=spent or status in _PERMANENT,
        unbilled=True,
    )


def parse_json(body: bytes, content_type: str) -> Any:  # noqa: ANN401
    """The body as JSON, whatever type it claims; else a fault that is worth another attempt."""
    try:
        return json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        return Fault("sent a reply that is not UTF-8", retryable=True)
    except (ValueError, RecursionError):
        sent = content_type.partition(";")[0].strip() or "something"
        return Fault(
            f"sent {sent} that is not JSON: {excerpt(body)!r}. Does its address end in /v1?",
            retryable=True,
        )


def _usage(usage: object, text: str) -> tuple[int, int] | None:
    """Tokens in and out, where the server gives both as counts.

    A prompt has at least 1 token, and so has a text that is not empty.
    """
    if not isinstance(usage, dict):
        return None
    counts: list[int] = []
    for name, least in (("prompt_tokens", 1), ("completion_tokens", 1 if text else 0)):
        count = usage.get(name)
        if type(count) is not int or not least <= count < 2**53:
            return None
        counts.append(count)
    return counts[0], counts[1]


def error_message(data: object) -> str:
    """The server's own words in an error's body: OpenAI's form, Ollama's, FastAPI's, or text; with
    those of the server behind a gateway, where it repeats them.
    """
    behind = _words_behind(data)
    for name in ("error", "message", "detail"):
        if isinstance(data, dict) and data.get(name):
            data = data[name]
    if not isinstance(data, str | bytes):
        data = json.dumps(data, ensure_ascii=False) if data else ""
    words = excerpt(data)
    return f"{words.rstrip('.')}: {behind}" if behind and behind not in words else words


def _words_behind(data: object) -> str:
    """What a gateway repeats of the server behind it (OpenRouter's `error.metadata.raw`)."""
    for name in ("error", "metadata", "raw"):
        data = data.get(name) if isinstance(data, dict) else None
    if not isinstance(data, str):
        return ""
    try:
        return error_message(json.loads(data))
    except (ValueError, RecursionError):
        return excerpt(data)


def excerpt(sent: str | bytes) -> str:
    """The beginning of what a server sent, on one line, fit to be stored without the key.

    Where it was cut stands CUT, before which a part of the key can be left (Secret.redact_cut).
    """
    read = sent[: 4 * _EXCERPT]
    text = read.decode("utf-8", "replace") if isinstance(read, bytes) else read
    text = _UNSTORABLE.sub("\ufffd", " ".join(text.split()))
    whole = len(text) <= _EXCERPT and len(read) == len(sent)
    return text if whole else text[:_EXCERPT] + CUT


TOO_LARGE = Fault(f"sent more than {LIMIT // 1_000_000} MB, which is no reply")


class StreamedReply:
    """The body of one response while it comes in: events, or JSON where a server streams nothing.

    `characters` is how many characters of the reply have come.
    """

    def __init__(self, request: Request, content_type: str) -> None:
        """`content_type` is only repeated in messages."""
        self._request, self._content_type = request, content_type
        self._line, self._data, self._body = bytearray(), list[bytes](), bytearray()
        self._is_events: bool | None = None  # not known before the first byte
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._usage: object = None
        self._finish: object = None
        self._fault: Fault | None = None
        self._has_choices = self._done = False
        self.characters = 0

    @property
    def ended(self) -> bool:
        """Whether the server said that this was all, or what came is no reply."""
        return self._done or self._fault is not None

    def feed(self, part: bytes) -> None:
        """Take the next bytes."""
        if self._is_events is None and part.strip():
            self._is_events = part.lstrip()[0] in _EVENTS
        if not self._is_events:
            self._body += part
            return
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._end_line(bytes(self._line + line).removesuffix(b"\r"))
            self._line.clear()
        self._line += rest
        if len(self._line) > LIMIT or self.characters > LIMIT:
            self._fault = TOO_LARGE

    def reply(self, ms: float) -> Reply | Fault:
        """The reply, when no more bytes come; the same as if it had been sent in one body."""
        if not self._is_events:
            body = bytes(self._body)
            return parse_reply(body, self._content_type, self._request, ms)
        if not self.ended:  # the last event may lack its blank line
            self._end_line(bytes(self._line))
            self._end_line(b"")
        if self._fault:
            return self._fault
        if not (self._done or self._finish):
            return Fault("broke off before its reply was whole", retryable=True)
        if not self._has_choices:
            return Fault("sent events without a reply", retryable=True)
        # Through JSON and back: joins the halves of a character that came in two pieces.
        parts = ["".join(self._thoughts), "".join(self._texts)]
        message = Message(*json.loads(json.dumps(parts)))
        return make_reply(message, self._usage, self._finish, self._request, ms)

    def _end_line(self, line: bytes) -> None:
        """One line; a blank one ends an event."""
        if self.ended:
            return
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return
        data, self._data = b"\n".join(self._data), []
        if data.strip() == b"[DONE]":
            self._done = True
        elif data.strip():
            self._end_event(data)

    def _end_event(self, data: bytes) -> None:
        event = parse_json(data, self._content_type)
        if isinstance(event, Fault):
            self._fault = event
        elif fault := _error_within(event):
            self._fault = self._broken_off(fault, event)
        else:
            self._add_piece(event, data)

    def _broken_off(self, fault: Fault, data: object) -> Fault:
        """An error instead of the reply; after a part of it, which may have been charged for."""
        if not self.characters:
            return fault
        message = f"broke off with an error: {error_message(data)}"
        return fault._replace(message=message, unbilled=False)

    def _add_piece(self, event: Any, data: bytes) -> None:  # noqa: ANN401
        try:
            self._usage = event.get("usage") or self._usage
            for choice in event.get("choices") or []:  # the event with the usage has none
                if fault := _error_within(choice):
                    self._fault = self._broken_off(fault, choice)
                    return
                self._has_choices = True
                piece = message_of(choice.get("delta") or {})
                self._thoughts.append(piece.thinking)
                self._texts.append(piece.text)
                self.characters += len(piece.thinking) + len(piece.text)
                self._finish = choice.get("finish_reason") or self._finish
        except (LookupError, TypeError, AttributeError):
            self._fault = Fault(
                f"sent an event that is no part of a reply: {excerpt(data)!r}",
                retryable=True,
            )
