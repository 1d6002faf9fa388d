"""A model's reply, whole or in pieces, as the openai package gives it; why there is none; and lists
of models and vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gear_app.core.protocols import Vectors
from gear_app.core.text import storable
from gear_app.models.prices import estimated_tokens
from gear_app.models.reply_text import parts_of, tool_calls, value_of, with_thinking
from gear_app.models.request import Request

# Why replies end, in the words of OpenAI, of gateways and of the servers behind them.
_CUT = ("length", "max_tokens", "MAX_TOKENS")
_FILTERED = ("content_filter", "safety", "SAFETY")


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


@dataclass(eq=False)
class Fault(Exception):
    """Why there is no reply, in words that go on from "The model server at …".

    `retryable`: another attempt may help, after `wait_s` seconds at least where the server says so.
    `bad_request`: the server took exception to what it was sent. `permanent`: no other call will do
    better. `unbilled`: the server did no work that it could charge for.
    """

    message: str
    retryable: bool = False
    wait_s: float | None = None
    bad_request: bool = False
    permanent: bool = False
    unbilled: bool = False


class ErrorWithin(Exception):
    """An error in the place of a reply, in a body of status 200."""

    def __init__(self, error: object) -> None:
        super().__init__()
        self.error = error


@dataclass
class IncomingReply:
    """A reply while it comes in; `characters` of it have come."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)  # arguments of a tool that it calls
    usage: object = None
    finish: object = None
    characters: int = 0
    has_choices: bool = False

    def add(self, answer: object) -> None:
        """Take a whole answer, or a piece of a streamed one. Raises ErrorWithin where it is an
        error, TypeError where it is neither.
        """
        choices = value_of(answer, "choices")
        error = value_of(answer, "error")
        if not choices and isinstance(value_of(answer, "message"), str):
            error = error or {name: value_of(answer, name) for name in ("message", "code")}
        if error:
            raise ErrorWithin(error)
        self.usage = value_of(answer, "usage") or self.usage
        # The piece with the usage has no choice.
        for choice in choices if isinstance(choices, list) else ():
            if value_of(choice, "index") in (0, None):
                self._add_choice(choice)

    def _add_choice(self, choice: object) -> None:
        if error := value_of(choice, "error"):
            raise ErrorWithin(error)
        self.finish = value_of(choice, "finish_reason") or self.finish
        message = value_of(choice, "delta") or value_of(choice, "message")
        from pydantic import BaseModel  # the openai package has loaded it; commands without do not

        if not isinstance(message, Mapping | BaseModel | None):
            raise TypeError
        self.has_choices = True
        thinking, text = parts_of(message)
        refusal = value_of(message, "refusal")
        calls = [call.arguments for call in tool_calls(message)]
        self.thoughts.append(thinking)
        self.texts.append(text)
        self.refusals.append(refusal if isinstance(refusal, str) else "")
        self.calls += calls
        self.characters += len(thinking) + len(text) + sum(map(len, calls))

    def reply(self, request: Request, ms: float) -> Reply:
        """The reply; tokens as the server counts them, or estimated."""
        text, calls = "".join(self.texts), "".join(self.calls)
        text = f"{text}\n{calls}".strip() if request.tools else text or calls
        if refusal := "" if text else "".join(self.refusals):
            text = f"<refusal>{refusal}</refusal>"
        text = storable(with_thinking("".join(self.thoughts), text))
        counted = _usage(self.usage, text)
        tokens = counted or (estimated_tokens(request.prompt), estimated_tokens(text))
        cut, filtered = self.finish in _CUT, self.finish in _FILTERED
        return Reply(text, *tokens, ms, counted is None, cut, filtered=filtered)


def _usage(usage: object, text: str) -> tuple[int, int] | None:
    """Tokens in and out, where the server gives both as counts.

    A prompt has at least 1 token, and so has a text that is not empty.
    """
    tokens_in, tokens_out = value_of(usage, "prompt_tokens"), value_of(usage, "completion_tokens")
    if type(tokens_in) is not int or type(tokens_out) is not int:
        return None
    fits = 1 <= tokens_in < 2**53 and (1 if text else 0) <= tokens_out < 2**53
    return (tokens_in, tokens_out) if fits else None


def model_names(data: object) -> tuple[str, ...]:
    """The names in a list of models. Raises Fault."""
    rows = value_of(data, "data") if isinstance(data, Mapping) else 0
    if not isinstance(rows, list | None):
        raise Fault("sent JSON without models")
    return tuple(storable(str(name)) for row in rows or () if (name := value_of(row, "id")))


def unit_vectors(data: object, texts: int) -> Vectors:
    """(texts, d) float32, rows L2-normalised, by their index; without any, in the order sent.

    Raises Fault where one is missing, of another length than the others, no list of finite
    numbers, or nothing but zeros.
    """
    try:
        rows = _in_order(data["data"])  # type: ignore[index]
        if len(rows) != texts:
            raise Fault(f"sent {len(rows)} vectors for {texts} texts", retryable=True)
        vectors = np.array(rows, dtype=np.float64)
    except (LookupError, TypeError, ValueError, OverflowError):
        raise Fault("sent JSON without vectors of one length", retryable=True) from None
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        raise Fault("sent vectors that are no lists of finite numbers", retryable=True)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not largest.all():
        raise Fault("sent a vector of nothing but zeros", retryable=True)
    vectors /= largest  # so that no square is too large or too small
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _in_order(rows: list[dict[str, object]]) -> list[object]:
    """The vectors by their index. Raises ValueError where these are not all from 0 on."""
    if all("index" not in row for row in rows):
        return [row["embedding"] for row in rows]
    by_index = {row["index"]: row["embedding"] for row in rows}
    if sorted(by_index) != list(range(len(rows))):  # type: ignore[type-var]
        raise ValueError
    return [by_index[n] for n in range(len(rows))]
