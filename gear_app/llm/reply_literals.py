"""The lists, tuples and objects in a model's reply, wherever they stand in it and however badly
they are written.

A reply is read once from left to right, and only its innermost groups are parsed, each alone: one
broken triple costs nothing but itself, and a reply that was cut off loses only what was cut.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import json_repair

REPAIRED = 1_000  # characters; the repair library takes more than the square of the length
_TOKEN = re.compile(
    r"""
    (?P<string> (?:\A|(?<=[\s(\[{⟨,:="'”]))      # a quote opens only after one of these …
      (?: "(?: \\. | [^"\\\n] | "(?! [^\S\n]*(?:[,:=)\]}⟩"\n]|$) ) ){0,600}+"  # closes
        | '(?: \\. | [^'\\\n] | '(?! [^\S\n]*(?:[,:=)\]}⟩'\n]|$) ) ){0,600}+'
        | “[^”\n]{0,600}+” ) )
    | (?P<open> [(\[{⟨]) | (?P<close> [)\]}⟩]) | (?P<comma> ,)
    """,
    re.VERBOSE,
)
_KEY = re.compile(r"""(\w[\w ]{0,30}?)["'”*]*\s{0,9}[:=]\s{0,9}$""")
_MARKS = re.compile(
    r"[\s,;*•>–-]*(?:\d{1,3}[.):]\s*)?(?:(?:facts?|triples?|new|\W)+\d*\s*:)?\s*", re.IGNORECASE
)
_NEAR = 48  # characters before a bracket that are looked at


class Group(NamedTuple):
    """What stands between two brackets with no others between them.

    `key` is the name before these brackets or those around them, lower-case. `closed` False: the
    reply ended before the bracket did, and `text` ends with the last whole item. `own`: something
    in it is quoted, or no words stand before it on its line, so that it is no aside in a sentence.
    """

    kind: str
    text: str
    key: str
    closed: bool
    own: bool


@dataclass(slots=True)
class _Opened:
    kind: str
    start: int
    whole: int  # where the last whole item ends
    key: str
    own: bool
    inner: bool = False

    def group(self, reply: str, end: int | None) -> Group:
        text = reply[self.start : self.whole if end is None else end]
        return Group(self.kind, text, self.key, end is not None, self.own)


def groups(reply: str) -> list[Group]:
    """The innermost groups of a reply, in order. A bracket is closed by whichever comes next."""
    found: list[Group] = []
    opened: list[_Opened] = []
    at = ended = 0
    while token := _TOKEN.search(reply, at):
        at = token.end()
        match token.lastgroup:
            case "open":
                for outer in opened[-1:]:
                    outer.inner = True
                own = bool(opened) or _stands_alone(reply, token.start(), ended, found)
                opened.append(_Opened(token[0], at, at, _key(reply, token.start(), opened), own))
            case "close" if opened:
                last = opened.pop()
                found += [] if last.inner else [last.group(reply, token.start())]
                ended = at
            case "comma" if opened:
                opened[-1].whole = token.start()
            case "string" if opened:
                opened[-1].whole, opened[-1].own = at, True
            case "string":
                at = token.start() + 1  # a quotation in a sentence may hold brackets
    return found + [last.group(reply, None) for last in opened[-1:] if not last.inner]


def values(group: Group) -> list[str] | dict[str, str] | None:
    """A group's items as strings, spelled as they are; None where they cannot be told apart.

    What stands for nothing (null, None) is "". A value that the repair made up, not found, is left
    out as "".
    """
    for text in (group.text, _TOKEN.sub(_requoted, group.text).rstrip(", \t\n")):
        try:
            return _strings(
                json.loads(_whole(group, text), parse_int=str, parse_float=str, parse_constant=str)
            )
        except (ValueError, RecursionError):
            continue
    if len(group.text) > REPAIRED:
        return None
    try:
        return _strings(
            json_repair.loads(_whole(group, group.text), skip_json_loads=True), group.text
        )
    except (ValueError, RecursionError):
        return None


def _whole(group: Group, text: str) -> str:
    return f"{{{text}}}" if group.kind == "{" else f"[{text}]"


def _requoted(token: re.Match[str]) -> str:
    """A quoted string as JSON writes it, whatever its quotes are and whichever others stand in
    it.
    """
    if token.lastgroup != "string":
        return token[0]
    inside = re.sub(r"""\\(['"])""", r"\1", token[0][1:-1])
    try:
        return json.dumps(json.loads('"' + inside.replace('"', '\\"') + '"'))
    except ValueError:
        return json.dumps(inside)


def _strings(data: object, source: str | None = None) -> list[str] | dict[str, str] | None:
    if isinstance(data, list):
        return [_string(item, source) for item in data]
    if isinstance(data, dict):
        return {str(name): _string(item, source) for name, item in data.items()}
    return None


def _string(item: Any, source: str | None) -> str:  # noqa: ANN401
    if isinstance(item, bool):
        return str(item)
    text = " ".join(str(item).split()) if isinstance(item, (str, int, float)) else ""
    return text if source is None or _plain(text) in _plain(source) else ""


def _plain(text: str) -> str:
    return re.sub(r"[\s\\\"']+", "", text)


def _key(reply: str, at: int, opened: list[_Opened]) -> str:
    """The name before a bracket, or that of the brackets around it."""
    named = _KEY.search(reply[max(0, at - _NEAR) : at])
    return named[1].lower() if named else opened[-1].key if opened else ""


def _stands_alone(reply: str, at: int, ended: int, found: list[Group]) -> bool:
    """Whether only list marks stand before a bracket on its line, or another such group."""
    line = reply.rfind("\n", max(0, at - _NEAR), at) + 1
    start = max(line, ended, at - _NEAR)
    marked = _MARKS.fullmatch(reply, start, at) is not None
    return marked and (start in (line, 0) or (start == ended and bool(found) and found[-1].own))
