"""What a model thinks aloud, told from what it replies. Pure.

Servers send thinking in fields or parts of its own, or within the text between marks that differ
from model to model; whether a server takes them apart depends on how it was started. Here a reply
has one form: its thinking between `<think>` and `</think>`, so that it is kept and can be shown,
and its text. `without_thinking` takes off this form and every other; no other place knows of any.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Fields of a message, the first that is there: vLLM and DeepSeek, OpenRouter and Ollama, Ollama's
# own, OpenRouter's in parts.
FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_INNER = ("text", "thinking", "reasoning", "content", "summary")  # of a part, the first that is
_PART = re.compile(r"think|reason", re.IGNORECASE)

_NAME = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)"
_PREFIX = r"(?:(?!no_)\w{1,12}[:_])?"  # <seed:think>, <|START_THINKING|>
_MARK = re.compile(
    rf"""
    (?P<string> (?<=[\s\[{{(,:]) "(?:\\.|[^"\\\n]){{0,600}}+" (?=\s*[,:\])}}]) )  # what data says
    | (?P<close>
        </\|? {_PREFIX} {_NAME} \s* \|?>                   # </think>, </seed:think>, </|thinking|>
        | <\| (?:end|stop) (?:[_▁]of)? [_▁] {_NAME} \|>    # <|end_of_thought|>, <|END_THINKING|>
        | <\| (?: / {_NAME} | {_NAME} [_▁] (?:end|stop) ) \|>
        | (?-i:\[/THINK\]) | ◁/think▷ | <channel\|> )
    | (?P<begin>
        <\|channel\|>\s*final\b (?:[^\n]{{0,60}}?<\|message\|>)?   # harmony
        | <\| (?:START_RESPONSE | begin_of_solution) \|> | \[BEGIN\ FINAL\ RESPONSE\]
        | < (?:final_)?(?:answer|response|solution) > )
    | (?P<open>
        <\|? {_PREFIX} {_NAME} \b [^<>\n]{{0,60}} (?<!/)>  # <think>, <|thinking|>
        | <\| (?: (?:begin|start) (?:[_▁]of)? [_▁] {_NAME} | {_NAME} [_▁] (?:start|begin) ) \|>
        | (?-i:\[THINK\]) | ◁think▷
        | <\|channel\|?>\s*(?:analysis|commentary|thought)\b )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Forms without marks of their own, with which a reply begins.
_PREAMBLE = re.compile(
    r"""\s*(?:
      Thinking(?:\.\.\.|…)\s*\n .*? (?:(?:\.\.\.|…)\s*done\ thinking\.? | \Z)
      | Here(?:['’]s|\ is)\ my\ thought\ process:? .*? (?:Here(?:['’]s|\ is)\ my\ response:? | \Z)
      | analysis(?=[A-Z]) .*? assistant\s?final
      | <details\s[^<>]*\btype="reasoning"[^<>]*> .*? (?:</details> | \Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_EDGE = (
    r"(?:\s|<\|[\w▁]{1,30}\|>|</(?:final_)?(?:answer|response|solution)>|\[END FINAL RESPONSE\])"
)
_EDGES = re.compile(rf"\A{_EDGE}+|(?:(?<!\s)|(?<=\A)){_EDGE}+\Z", re.IGNORECASE)


def parts_of(fields: Mapping[str, Any]) -> tuple[str, str]:
    """A message's thinking and text: text in one string or in parts, of which some may be thinking,
    and thinking in a field of its own. Raises TypeError where its content is neither.
    """
    content = fields.get("content")
    thoughts = [_inner(next((fields[name] for name in FIELDS if fields.get(name)), ""))]
    if isinstance(content, list):
        parts = [{"text": part} if isinstance(part, str) else part for part in content]
        if not all(isinstance(part, dict) for part in parts):
            raise TypeError
        thoughts += [_inner(part) for part in parts if _is_thinking(part)]
        texts = [part["text"] for part in parts if "text" in part and not _is_thinking(part)]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str | None):
        raise TypeError
    return "".join(thoughts), content or ""


def _is_thinking(part: Mapping[str, Any]) -> bool:
    return bool(_PART.search(str(part.get("type", "")))) or part.get("thought") is True


def _inner(value: object) -> str:
    """All text within a part, however it is nested."""
    if isinstance(value, list):
        return "".join(map(_inner, value))
    if isinstance(value, dict):
        return _inner(next((value[name] for name in _INNER if value.get(name)), ""))
    return value if isinstance(value, str) else ""


def whole(thinking: str, text: str) -> str:
    """A message in one text, its thinking before it between marks."""
    return f"<think>\n{thinking}\n</think>\n\n{text}" if thinking else text


def without_thinking(reply: str) -> str:
    """The reply without what was thought aloud, and without the marks around it.

    Thinking that does not end is all thinking; a mark that ends it without one before ends what
    began with the reply, and so does one that begins the answer. What stands in a string of JSON is
    no mark: a text can be about them.
    """
    preamble = _PREAMBLE.match(reply)
    start = preamble.end() if preamble else 0
    kept: list[str] = []
    thinking = False
    for mark in _MARK.finditer(reply, start):
        if mark.lastgroup == "open" and not thinking:
            kept.append(reply[start : mark.start()])
            thinking = True
        elif mark.lastgroup in ("close", "begin"):
            if not thinking or mark.lastgroup == "begin":
                kept.clear()
            start, thinking = mark.end(), False
    if not thinking:
        kept.append(reply[start:])
    return _EDGES.sub("", "".join(kept))
