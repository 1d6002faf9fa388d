"""What a server sends, understood: replies, refusals, lists of models. Pure; every form of nonsense
is a Fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gear_app.llm.prices import estimated_tokens
from gear_app.llm.request import Request
from gear_app.llm.retry import retry_after
from gear_app.llm.server import CUT

_AGAIN = {408, 409, 429}
_FOR_GOOD = {401, 402, 403, 404, 405}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates, both possible in JSON
_SHOWN = 300  # characters of a body in a message


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. Tokens are the server's count, or `estimated`; `cut`: it ended at the
    limit of tokens.
    """

    text: str
    input_tokens: int
    output_tokens: int
    ms: float
    estimated: bool = False
    cut: bool = False
    attempts: int = 1


class Fault(NamedTuple):
    """Why there is no reply: words for a person; whether to try again, and after how many seconds
    at least.

    `refused`: the server took exception to what it was asked. `for_good`: no other call will do
    better. `free`: it did no work that it could charge for.
    """

    words: str
    again: bool = False
    after_s: float | None = None
    refused: bool = False
    for_good: bool = False
    free: bool = False


def reply(body: bytes, kind: str, request: Request, ms: float) -> Reply | Fault:
    """The reply in a response of status 200 and this content type; an empty one is a reply too."""
    data = parsed(body, kind)
    if isinstance(data, Fault):
        return data
    try:
        choice = data["choices"][0]
        text = content(choice["message"])
    except (LookupError, TypeError, AttributeError):
        return Fault(f"sent JSON without a reply: {short(body)!r}", again=True)
    return made(text, data.get("usage"), choice.get("finish_reason"), request, ms)


def made(text: str, usage: object, finish: object, request: Request, ms: float) -> Reply:
    """The reply of this text; tokens as the server counts them, or estimated."""
    text = _UNSTORABLE.sub("\ufffd", text)
    tokens = _usage(usage, text)
    input_tokens, output_tokens = tokens or (
        estimated_tokens(request.prompt),
        estimated_tokens(text),
    )
    return Reply(text, input_tokens, output_tokens, ms, tokens is None, finish == "length")


def model_names(body: bytes, kind: str) -> tuple[str, ...] | Fault:
    """The names in a list of models."""
    data = parsed(body, kind)
    if isinstance(data, Fault):
        return data
    try:
        return tuple(_UNSTORABLE.sub("\ufffd", str(row["id"])) for row in data["data"])
    except (LookupError, TypeError):
        return Fault(f"sent JSON without models: {short(body)!r}")


def refusal(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Fault:
    """What a status of 300 or more means for the next call; `now` in seconds since 1970."""
    try:
        data = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        data = body
    words = said(data)
    shown = f"answered {status}: {words}" if words else f"answered {status}"
    if 300 <= status < 400:
        return Fault(
            f"{shown}. It sends callers elsewhere; give the address it sends them to",
            for_good=True,
            free=True,
        )
    spent = b"insufficient_quota" in body  # OpenAI's 429 that waiting does not cure
    again = (status in _AGAIN or status >= 500) and not spent
    after_s = retry_after(headers, now) if again else None
    return Fault(
        shown,
        again,
        after_s,
        status in (400, 422),
        for_good=spent or status in _FOR_GOOD,
        free=True,
    )


def parsed(body: bytes, kind: str) -> Any:  # noqa: ANN401
    """The body as JSON, whatever type it claims; else a fault. A garbled one is worth another
    attempt.
    """
    try:
        return json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        return Fault("sent a reply that is not UTF-8", again=True)
    except (ValueError, RecursionError):
        about = kind.partition(";")[0].strip() or "something"
        return Fault(
            f"sent {about} that is not JSON: {short(body)!r}. Does its address end in /v1?",
            again=True,
        )


def content(message: dict[str, Any]) -> str:
    """The words of a message, or of a piece of one: a string, or parts of which some are text.

    A refusal's words where it has no others. Raises TypeError, LookupError or AttributeError where
    it is neither.
    """
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    text = content or message.get("refusal") or ""
    if not isinstance(text, str):
        raise TypeError
    return text


def _usage(usage: object, text: str) -> tuple[int, int] | None:
    """Tokens in and out, where the server tells both as counts; no prompt takes 0 tokens, and no
    words do.
    """
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    told = [
        count
        for count, least in zip(counts, (1, 1 if text else 0), strict=True)
        if type(count) is int and least <= count < 2**53
    ]
    return (told[0], told[1]) if len(told) == len(counts) else None


def said(data: object) -> str:
    """The server's own words in an error's body: OpenAI's form, Ollama's, FastAPI's, or plain
    text.
    """
    for name in ("error", "message", "detail"):
        if isinstance(data, dict) and data.get(name):
            data = data[name]
    return short(
        data
        if isinstance(data, (str, bytes))
        else json.dumps(data, ensure_ascii=False)
        if data
        else ""
    )


def short(words: str | bytes) -> str:
    """The beginning of what a server sent, on one line, fit to be kept once the key is taken out of
    it.

    Wherever it was cut stands an ellipsis, before which a part of the key can be left
    (Secret.redact_cut).
    """
    read = words[: 4 * _SHOWN]
    text = read.decode("utf-8", "replace") if isinstance(read, bytes) else read
    text = _UNSTORABLE.sub("\ufffd", " ".join(text.split()))
    return text if len(text) <= _SHOWN and len(read) == len(words) else text[:_SHOWN] + CUT
