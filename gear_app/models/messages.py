"""OpenAI's chat protocol: what an endpoint is called with, and what a model's reply says without
thinking aloud, fences and marks.

Servers speak the protocol to different lengths: some know no `seed`, some models take no
temperature, some give no JSON by a schema and follow the prompt alone. What a server refuses is
learned once and remembered by its client. Thinking comes in fields or parts of a message, or
between marks within its text. A reply is stored in one form, with its thinking between `<think>`
and `</think>`, so that it can be shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, cast

from gear_app.core.text import cut, storable
from gear_app.models import prompts
from gear_app.models.errors import Fault
from gear_app.models.prompts import Prompt
from gear_app.models.server import Server
from gear_app.trace.events import Called

T = TypeVar("T")
# Parameters that can be left out, and how a refusal names them.
_REFUSED = {
    "max_tokens": "max_completion_tokens",
    "temperature": "temperature",
    "seed": "seed",
    "stream_options": "stream_options",
    "stream": "stream",
    "tools": "tool",
    "response_format": "format|schema|json|grammar|guided|structured|Unsupported",
}

BROKEN = "broke off before its reply was whole"  # not asked again: it may have to be paid for
MAX_REPLY = 100_000  # characters of a reply without its thinking
_SHORT = 400  # characters of a text that can be a refusal, and of one that is shown
# Why replies are cut off, by the limit of tokens or by a filter of the server's, in the words of
# OpenAI, of gateways and of the servers behind them.
_CUT = ("length", "max_tokens", "MAX_TOKENS", "content_filter", "safety", "SAFETY")
# Fields of a message and of its parts: vLLM and DeepSeek, OpenRouter and Ollama, Ollama's own.
_THINKING = ("reasoning_content", "reasoning", "thinking")

_PIECES = re.compile(
    r"[A-Za-z]{1,6}|\d{1,3}|[^\W\d_A-Za-z\u0900-\U0010ffff]{1,2}|[^\W\d_\x00-\u08ff]|[^\w\s]|_"
)
_NAME = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
_CHANNEL = r"(?:<\|start\|>assistant)?<\|channel\|>"  # of OpenAI's open models
_OPEN = rf"<\|?(?:\w+:)?{_NAME}\|?>|(?-i:\[THINK\])|{_CHANNEL}(?:analysis|commentary)\b"
_CLOSE = (
    rf"</\|?(?:\w+:)?{_NAME}\|?>|(?-i:\[/THINK\])"
    rf"|{_CHANNEL}final\b[^<\n]{{0,60}}(?:<\|constrain\|>\w{{1,20}})?<\|message\|>"
)
# Between marks; what comes before a last closing mark, and after an opening one that is not closed.
_THOUGHT = re.compile(
    rf"(?:{_OPEN})(?:(?!{_OPEN}|{_CLOSE}).)*+(?:{_CLOSE})", re.IGNORECASE | re.DOTALL
)
_OPENING, _CLOSING = re.compile(_OPEN, re.IGNORECASE), re.compile(_CLOSE, re.IGNORECASE)
_EDGE = r"(?:\s|<\|\w{1,30}\|>|</?(?:final_)?(?:answer|response|solution)>)"
_EDGES = re.compile(rf"\A{_EDGE}+|(?<!\s){_EDGE}+\Z", re.IGNORECASE)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_REFUSAL = re.compile(r"<refusal>(.*?)</refusal>", re.DOTALL)
_REFUSES = re.compile(
    r"\W*(?:i['’]m (?:very )?sorry|i am sorry|sorry|i apologi[sz]e|unfortunately)?[,.;]?\s*"
    r"(?:but )?"
    r"(?:as an ai[^.,]{0,40},\s*)?i\s?(?:can['’]?t|cannot|can not|won['’]t|will not"
    r"|am unable to|['’]m unable to|['’]m not able to|am not able to)\s+"
    r"(?:assist|comply|fulfil|help (?:you|with)|provide (?:that|this|an answer)|do that"
    r"|(?:answer|discuss) (?:that|this|questions))\b",
    re.IGNORECASE,
)


class Parsed(NamedTuple, Generic[T]):
    """The value of a reply, and the parts of the reply that could not be used."""

    value: T
    dropped: tuple[str, ...] = ()


class Unparsed(Exception):
    """A reply that cannot be used; the message goes on from "The model's reply …"."""


class Request(Generic[T]):
    """A request to a model in one role."""

    role: str  # its name in messages and stored events

    @property
    def template(self) -> str:
        """The file of the prompt."""
        return self.role

    @property
    def model(self) -> type[Any]:
        """The model of the reply (reply_model.ReplyModel), which gives schema and parser."""
        raise NotImplementedError

    def values(self) -> dict[str, str]:
        """The values of the places in the prompt."""
        raise NotImplementedError

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt of a language model."""
        return prompts.prompt(self.template, **self.values())

    def call(self, server: Server) -> Called:
        """The call that it is for a server, before any reply."""
        prompt = self.prompt
        return Called(self.role, server.model, prompt.hash, prompt.text, "", 0, 0, 0.0, 0.0)

    def parse(self, reply: str) -> Parsed[T]:
        """The value of a language model's reply. Raises Unparsed."""
        material = "\n".join(self.values().values())
        parsed, dropped = self.model.parse(reply, prompts.text(self.template), material)
        return Parsed(cast(T, parsed.value(self)), dropped)

    def keep(self, value: T) -> bool:
        """Whether the reply is stored; one that is not is asked for again."""
        return True


def arguments(server: Server, request: Request[Any], unsupported: frozenset[str]) -> dict[str, Any]:
    """Arguments of the chat endpoint, without the unsupported parameters."""
    strict = {"name": request.role, "schema": request.model.schema_of(), "strict": True}
    schema = {"type": "json_schema", "json_schema": strict}
    # Newer models of OpenAI want the limit under another name.
    limit = "max_completion_tokens" if "max_tokens" in unsupported else "max_tokens"
    sent: dict[str, Any] = {
        "model": server.model,
        "messages": [{"role": "user", "content": storable(request.prompt.text)}],
        limit: server.max_tokens,
        "temperature": server.temperature,
        "seed": server.seed,
        "response_format": schema if strict["schema"] else None,
        "tools": list(request.model.tools) or None,
    }
    if not request.model.tools and "stream" not in unsupported:
        # Without the options tokens are estimated.
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    return {n: value for n, value in sent.items() if value is not None and n not in unsupported}


def add_unsupported(sent: Mapping[str, Any], message: str) -> frozenset[str]:
    """The first parameter of those sent that the server's message refuses; none where it refuses
    the prompt or a value.
    """
    names = (name for name, words in _REFUSED.items() if name in sent and re.search(words, message))
    return frozenset(list(names)[:1])


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has. Always shown as an estimate.

    Counts pieces of up to six Latin letters, two of another alphabet or three digits, and every
    mark and every sign of a script that has many, such as Chinese. English prose gives about four
    characters a token.
    """
    return len(_PIECES.findall(text))


def read_reply(body: str, request: Request[Any], server: Server) -> Called:
    """A request's call with the reply in a body, whole or as a stream of pieces; tokens as the
    server counts them, or estimated. Raises Fault where there is none, or not all of it.
    """
    pieces = [line[5:].strip() for line in body.split("\n") if line.startswith("data:")]
    answers = [json.loads(piece) for piece in pieces or [body] if piece != "[DONE]"]
    choices = [choice for answer in answers for choice in _choices(answer)]
    errors = [_field(part, "error") for part in (*answers, *choices)]
    errors += [_field(answer, "message") for answer in answers if not _choices(answer)]
    if error := next(filter(None, errors), None):
        raise Fault(f"broke off with an error: {_field(error, 'message') or error}")
    usage, finish = _last(answers, "usage"), _last(choices, "finish_reason")
    messages = [_field(choice, "delta") or _field(choice, "message") for choice in choices]
    if all(message is None for message in messages):
        raise Fault("sent JSON without a reply", None if usage else 0)
    if pieces and not finish:
        raise Fault(BROKEN)
    thinking, text = map("".join, zip(*map(_parts, messages), strict=True))
    tools = [_field(tool, "function") for m in messages for tool in _field(m, "tool_calls") or ()]
    arguments_ = "".join(_field(tool, "arguments") or "" for tool in tools)
    text = f"{text}\n{arguments_}".strip() if request.model.tools else text or arguments_
    if (refusal := "".join(_field(m, "refusal") or "" for m in messages)) and not text:
        text = f"<refusal>{refusal}</refusal>"
    text = storable((f"<think>\n{thinking}\n</think>\n\n" if thinking else "") + text)
    tokens = _field(usage, "prompt_tokens"), _field(usage, "completion_tokens")
    # A prompt has at least 1 token, and so has a text that is not empty.
    counted = all(type(n) is int for n in tokens) and tokens[0] > 0 and tokens[1] >= bool(text)
    if not counted:
        tokens = estimated_tokens(request.prompt.text), estimated_tokens(text)
    return replace(
        request.call(server),
        reply=text,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        estimated=not counted,
        cut=finish in _CUT,
    )


def _choices(answer: object) -> list[object]:
    """The first choice of an answer; none of the piece of a stream that has the usage."""
    return [c for c in _field(answer, "choices") or () if not _field(c, "index")][:1]


def _last(parts: Sequence[object], name: str) -> Any:  # noqa: ANN401
    return next(filter(None, (_field(part, name) for part in reversed(parts))), None)


def _field(value: object, name: str) -> Any:  # noqa: ANN401
    return value.get(name) if isinstance(value, Mapping) else None


def _parts(message: object) -> tuple[str, str]:
    """A message's thinking and text: text in one string or in parts, of which some may be thinking,
    and thinking in a field.
    """
    content = _field(message, "content")
    thinking = _text(next(filter(None, (_field(message, name) for name in _THINKING)), ""))
    text = ""
    for part in content if isinstance(content, list) else [content]:
        if _field(part, "thought") or re.search("think|reason", str(_field(part, "type"))):
            thinking += _text(part)
        else:
            text += _text(part)
    return thinking, text


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(map(_text, value))
    if isinstance(value, Mapping):
        return _text(next((value[n] for n in ("text", "content", *_THINKING) if value.get(n)), ""))
    return value if isinstance(value, str) else ""


def reply_text(reply: str) -> str:
    """The reply without what was thought aloud, marks around it and fences; the content of one that
    is a string of JSON. Raises Unparsed for an empty reply and for a refusal.

    A reply that is JSON stays as it is, whatever its strings say of such marks.
    """
    text = _THOUGHT.sub("", reply)
    text = text[max((mark.end() for mark in _CLOSING.finditer(text)), default=0) :]
    text = _EDGES.sub("", _OPENING.split(text, maxsplit=1)[0])
    with suppress(ValueError, RecursionError):
        data = json.loads(reply)
        text = data if isinstance(data, str) and data.lstrip()[:1] in ("{", "[") else reply
    if len(text) > MAX_REPLY:
        raise Unparsed(f"is {len(text):,} characters long, too long to be one")
    check_refusal(text)
    words = _FENCE.sub("", text).strip()
    if not words:
        raise Unparsed(
            "holds nothing but thinking" if reply.strip() and not text.strip() else "is empty"
        )
    return words


def check_refusal(text: str) -> None:
    """Raise Unparsed for a refusal: in the field of a message, or as the beginning of a short
    text.
    """
    marked = _REFUSAL.search(text)
    if marked or (len(text) <= _SHORT and _REFUSES.match(text)):
        words = cut(" ".join((marked[1] if marked else text).split()), _SHORT)
        raise Unparsed(f"is a refusal: {words.rstrip('.')}")
