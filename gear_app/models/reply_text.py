"""What a reply says, without thinking aloud, fences and marks; and whether it is a refusal.

Servers send thinking in fields or parts of a message, or between marks within its text. A reply is
stored in one form, with its thinking between `<think>` and `</think>`, so that it can be shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from gear_app.core.text import cut

T = TypeVar("T")
MAX_REPLY = 100_000  # characters of a reply without its thinking
MAX_THINKING = 500_000
_SHORT = 400  # characters of a text that can be a refusal, and of one that is shown
# Fields of a message: vLLM and DeepSeek, OpenRouter and Ollama, Ollama's own, OpenRouter's parts.
THINKING_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_INNER = ("text", "thinking", "reasoning", "content", "summary")

_NAME = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
_CHANNEL = r"(?:<\|start\|>assistant)?<\|channel\|>"  # of OpenAI's open models
_OPEN = rf"<\|?(?:\w+:)?{_NAME}\|?>|(?-i:\[THINK\])|{_CHANNEL}(?:analysis|commentary)\b"
_CLOSE = (
    rf"</\|?(?:\w+:)?{_NAME}\|?>|(?-i:\[/THINK\])"
    rf"|{_CHANNEL}final\b[^<\n]{{0,60}}(?:<\|constrain\|>\w{{1,20}})?<\|message\|>"
)
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


class ToolCall(NamedTuple):
    """A tool that a message calls; `arguments` are JSON, as the server sent them."""

    name: str
    arguments: str


def value_of(value: object, name: str) -> Any:  # noqa: ANN401
    """A field of an object of the openai package, or of JSON that fits none of its kinds; None
    where it is missing.
    """
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def tool_calls(message: object) -> list[ToolCall]:
    """The tools that a message, or a piece of a streamed one, calls."""
    calls = value_of(message, "tool_calls")
    functions = [value_of(c, "function") for c in calls] if isinstance(calls, list) else []
    return [
        ToolCall(str(value_of(f, "name") or ""), arguments)
        for f in functions
        if isinstance(arguments := value_of(f, "arguments"), str)
    ]


def parts_of(message: object) -> tuple[str, str]:
    """A message's thinking and text: text in one string or in parts, of which some may be thinking,
    and thinking in a field. Raises TypeError where its content is neither.
    """
    content = value_of(message, "content")
    fields = (value_of(message, name) for name in THINKING_FIELDS)
    thoughts = [_inner(next(filter(None, fields), ""))]
    if isinstance(content, list):
        parts = [{"text": part} if isinstance(part, str) else part for part in content]
        if not all(isinstance(part, Mapping) for part in parts):
            raise TypeError
        is_thinking = [
            re.search("think|reason", str(part.get("type")), re.IGNORECASE) or part.get("thought")
            for part in parts
        ]
        pairs = list(zip(parts, is_thinking, strict=True))
        thoughts += [_inner(part) for part, thinking in pairs if thinking]
        content = "".join(str(p.get("text") or "") for p, thinking in pairs if not thinking)
    if not isinstance(content, str | None):
        raise TypeError
    return "".join(thoughts), content or ""


def _inner(value: object) -> str:
    """All text within a part, however it is nested."""
    if isinstance(value, list):
        return "".join(map(_inner, value))
    if isinstance(value, Mapping):
        return _inner(next((value[name] for name in _INNER if value.get(name)), ""))
    return value if isinstance(value, str) else ""


def with_thinking(thinking: str, text: str) -> str:
    """A message in one text, its thinking before it between marks."""
    return f"<think>\n{thinking}\n</think>\n\n{text}" if thinking else text


def without_thinking(reply: str) -> str:
    """The reply without what was thought aloud, and without the marks around it. A text that is
    JSON stays as it is, whatever its strings say of such marks.
    """
    if _is_json(reply):
        return reply
    text = _THOUGHT.sub("", reply)
    for mark in list(_CLOSING.finditer(text))[-1:]:
        text = text[mark.end() :]  # the opening mark is missing
    for mark in list(_OPENING.finditer(text))[:1]:
        text = text[: mark.start()]
    return _EDGES.sub("", text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def reply_text(reply: str) -> str:
    """The reply without its thinking and without fences; the content of one that is a string of
    JSON. Raises Unparsed for an empty reply and for a refusal.
    """
    text = reply if len(reply) > MAX_THINKING else without_thinking(reply)
    if len(text) > MAX_REPLY:
        raise Unparsed(f"is {len(text):,} characters long, too long to be one")
    if words := refusal(text):
        raise Unparsed(f"is a refusal: {words}")
    words = _FENCE.sub("", text).strip()
    if not words:
        is_thinking = reply.strip() and not text.strip()
        raise Unparsed("holds nothing but thinking" if is_thinking else "is empty")
    encoded = json.loads(words) if words.startswith('"') and _is_json(words) else ""
    return encoded.strip() if encoded[:1] in ("{", "[") else words


def refusal(text: str) -> str:
    """The words of a refusal, in the field of a message or as the beginning of a short text."""
    marked = _REFUSAL.search(text)
    words = marked[1] if marked else text if len(text) <= _SHORT and _REFUSES.match(text) else ""
    return cut(" ".join(words.split()), _SHORT).rstrip(".")
