"""A model's reply as data: groups in brackets, triples, entities, fields.

The form is forgiven, the content is never added to. A reply is read once from left to right, and
only its innermost groups are parsed, each alone: one broken triple costs nothing but itself, and a
reply that was cut off loses only what was cut. Every parser takes the reply's text and returns what
it could not use beside the value, or raises Unparsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import json_repair

from gear_app.text import normalise_entity

MAX_REPLY = 100_000  # characters of a reply that is worth reading
MAX_REPAIR = 1_000  # characters; the repair library takes more than the square of the length
T = TypeVar("T")
StringTriple = tuple[str, str, str]
Item = TypeVar("Item", str, StringTriple)

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
_LIST_MARKS = re.compile(
    r"[\s,;*•>–-]*(?:\d{1,3}[.):]\s*)?(?:(?:facts?|triples?|new|\W)+\d*\s*:)?\s*", re.IGNORECASE
)
_NEAR = 48  # characters before a bracket that are looked at

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_NONE = re.compile(
    r"\W*(?:none|nothing|no|null|n/a|not applicable)\W*|[\[(]\s*[\])]", re.IGNORECASE
)
_NO_TRIPLES = re.compile(
    r"\b(?:no|none|not|cannot|can't|don't|doesn't|nothing|insufficient)\b.{0,80}?"
    r"\b(?:facts?|triples?|information|documents?|new|relevant|mention|contain|say|state)\b",
    re.IGNORECASE | re.DOTALL,
)
_SHORT = 400  # characters of a sentence that says "there is nothing"
_ITEM = re.compile(r"^[^\S\n]*(?:[-*•–]|\d{1,3}[.)])[^\S\n]+(\S.{0,80})$", re.MULTILINE)
_ENTITIES = ("named_entities", "named entities", "entities", "entity")
_SIDES = (
    ("subject", "head", "s", "subj"),
    ("predicate", "relation", "relationship", "p", "verb", "pred"),
    ("object", "tail", "o", "obj"),
)
_FORM = ("subject", "predicate", "object")


class Parsed(NamedTuple, Generic[T]):
    """What was parsed, and the pieces of the reply that could not be, as they stand in it."""

    value: T
    dropped: tuple[str, ...] = ()


class Unparsed(Exception):
    """A reply that cannot be used; the message goes on from "The model's reply …"."""


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
class _OpenGroup:
    kind: str
    start: int
    whole: int  # where the last whole item ends
    key: str
    own: bool
    has_inner: bool = False

    def group(self, reply: str, end: int | None) -> Group:
        text = reply[self.start : self.whole if end is None else end]
        return Group(self.kind, text, self.key, end is not None, self.own)


def groups(reply: str) -> list[Group]:
    """The innermost groups of a reply, in order. A bracket is closed by whichever comes next."""
    innermost: list[Group] = []
    opened: list[_OpenGroup] = []
    at = ended = 0
    while token := _TOKEN.search(reply, at):
        at = token.end()
        match token.lastgroup:
            case "open":
                for outer in opened[-1:]:
                    outer.has_inner = True
                own = bool(opened) or _stands_alone(reply, token.start(), ended, innermost)
                key = _key(reply, token.start(), opened)
                opened.append(_OpenGroup(token[0], at, at, key, own))
            case "close" if opened:
                last = opened.pop()
                if not last.has_inner:
                    innermost.append(last.group(reply, token.start()))
                ended = at
            case "comma" if opened:
                opened[-1].whole = token.start()
            case "string" if opened:
                opened[-1].whole, opened[-1].own = at, True
            case "string":
                at = token.start() + 1  # a quotation in a sentence may hold brackets
    return innermost + [last.group(reply, None) for last in opened[-1:] if not last.has_inner]


def values(group: Group) -> list[str] | dict[str, str] | None:
    """A group's items as strings, spelled as they are; None where they cannot be told apart.

    What stands for nothing (null, None) is "", and so is a value that the repair made up.
    """
    for text in (group.text, _TOKEN.sub(_requoted, group.text).rstrip(", \t\n")):
        try:
            return _strings(
                json.loads(
                    _bracketed(group, text), parse_int=str, parse_float=str, parse_constant=str
                )
            )
        except (ValueError, RecursionError):
            continue
    if len(group.text) > MAX_REPAIR:
        return None
    try:
        repaired = json_repair.loads(_bracketed(group, group.text), skip_json_loads=True)
        return _strings(repaired, group.text)
    except (ValueError, RecursionError):
        return None


def _bracketed(group: Group, text: str) -> str:
    return f"{{{text}}}" if group.kind == "{" else f"[{text}]"


def _requoted(token: re.Match[str]) -> str:
    """A quoted string as JSON writes it, whatever its quotes are and whichever stand in it."""
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
    """An item on one line; "" where it does not stand in `source`, if one is given."""
    if isinstance(item, bool):
        return str(item)
    text = " ".join(str(item).split()) if isinstance(item, (str, int, float)) else ""
    return text if source is None or _plain(text) in _plain(source) else ""


def _plain(text: str) -> str:
    return re.sub(r"[\s\\\"']+", "", text)


def _key(reply: str, at: int, opened: list[_OpenGroup]) -> str:
    """The name before a bracket, or that of the brackets around it."""
    name = _KEY.search(reply[max(0, at - _NEAR) : at])
    if name:
        return name[1].lower()
    return opened[-1].key if opened else ""


def _stands_alone(reply: str, at: int, ended: int, before: list[Group]) -> bool:
    """Whether only list marks stand before a bracket on its line, or another such group."""
    line = reply.rfind("\n", max(0, at - _NEAR), at) + 1
    start = max(line, ended, at - _NEAR)
    if _LIST_MARKS.fullmatch(reply, start, at) is None:
        return False
    return start in (line, 0) or (start == ended and bool(before) and before[-1].own)


def reply_text(reply: str) -> str:
    """The reply without its thinking aloud and without code fences. Raises Unparsed if empty."""
    if len(reply) > MAX_REPLY:
        raise Unparsed(f"is {len(reply):,} characters long, too long to be one")
    text = _FENCE.sub("", _THINKING.sub("", reply)).strip()
    if not text:
        raise Unparsed("is empty")
    return text


def says_none(text: str) -> bool:
    """Whether a reply says in one word, or with empty brackets, that there is nothing."""
    return _NONE.fullmatch(text) is not None


def triples(reply: str) -> Parsed[tuple[StringTriple, ...]]:
    """The triples of a reply, each once. A reply that says there are none gives none.

    Lists and tuples of three, objects with three sides, and lines as `a | b | c`; lists of entities
    beside them are passed over.
    """
    text = reply_text(reply)
    listed = [group for group in groups(text) if group.key not in _ENTITIES]
    parsed, dropped = _triples_of(listed)
    if not parsed and not dropped:
        rows = [line.split("|") for line in text.splitlines() if line.count("|") == 2]
        parsed = [triple for row in rows if (triple := _triple(row)) is not None]
    unique = tuple(dict.fromkeys(parsed))
    if dropped and not unique:
        raise Unparsed("holds no triple of three items")
    if unique or any(_is_empty(group) for group in listed) or says_none(text):
        return Parsed(unique, tuple(dropped))
    if len(text) <= _SHORT and _NO_TRIPLES.search(text):
        return Parsed(())
    raise Unparsed("holds no triples, and does not say that there are none")


def without_example(
    parsed: Parsed[tuple[Item, ...]], example: Collection[Item], material: str
) -> Parsed[tuple[Item, ...]]:
    """Without the prompt's own example, which small models repeat as if they had read it.

    `example` holds its triples or names; one that names something in the material stays.
    """
    words = f" {normalise_entity(material)} "
    left: list[Item] = []
    dropped = list(parsed.dropped)
    for item in parsed.value:
        names = (item,) if isinstance(item, str) else (item[0], item[2])
        if item in example and not any(f" {normalise_entity(name)} " in words for name in names):
            dropped.append(", ".join(names))
        else:
            left.append(item)
    return Parsed(tuple(left), tuple(dropped))


def at_least_one(parsed: Parsed[tuple[Item, ...]]) -> Parsed[tuple[Item, ...]]:
    """The same. Raises Unparsed where everything in it was dropped."""
    if parsed.dropped and not parsed.value:
        raise Unparsed(f"holds nothing of use, only {parsed.dropped[0]!r}")
    return parsed


def entities(reply: str) -> Parsed[tuple[str, ...]]:
    """The named entities of a reply that was to hold nothing else, each once."""
    text = reply_text(reply)
    own = [group for group in groups(text) if group.own]
    if any(group.key in _ENTITIES for group in own):
        return listed_entities(reply)
    if own or says_none(text):
        return _names(own)
    items: list[str] = _ITEM.findall(text)
    if not items:
        raise Unparsed("holds no list of entities")
    return Parsed(tuple(dict.fromkeys(item.strip() for item in items)))


def listed_entities(reply: str) -> Parsed[tuple[str, ...]]:
    """The entities in a reply's list of that name, each once; none where it has no such list."""
    return _names([group for group in groups(reply_text(reply)) if group.key in _ENTITIES])


def _names(listed: Iterable[Group]) -> Parsed[tuple[str, ...]]:
    names: list[str] = []
    dropped: list[str] = []
    for group in listed:
        items = values(group)
        if isinstance(items, dict):
            named = [items[key] for key in ("name", "entity", "text") if items.get(key)]
            items = named[:1] or [""]
        names += filter(None, items or [])
        if items is None or not all(items):
            dropped.append(group.text.strip())
    return Parsed(tuple(dict.fromkeys(names)), tuple(dropped))


def fields(text: str) -> dict[str, str]:
    """The fields of the flat objects in a reply, names lower-case with spaces for underscores."""
    merged: dict[str, str] = {}
    for group in groups(text):
        items = values(group) if group.kind == "{" else None
        if isinstance(items, dict):
            for name, value in items.items():
                merged[name.lower().replace("_", " ").strip()] = value
    return merged


def _triples_of(listed: Iterable[Group]) -> tuple[list[StringTriple], list[str]]:
    """The groups that are triples, and the text of those that were meant to be."""
    parsed: list[StringTriple] = []
    dropped: list[str] = []
    for group in listed:
        items = values(group) if group.own else []
        triple = _triple(_sides(items) if isinstance(items, dict) else items or [])
        if triple:
            parsed.append(triple)
        elif group.own and group.text.strip():
            dropped.append(group.text.strip())
    return parsed, dropped


def _sides(items: dict[str, str]) -> list[str]:
    lower = {name.lower(): value for name, value in items.items()}
    return [next((lower[name] for name in side if lower.get(name)), "") for side in _SIDES]


def _triple(items: list[str]) -> StringTriple | None:
    """Three items with words in each, unless they are the form itself, written down again."""
    parts = [item.strip(" \t\"'“”`") for item in items]
    if len(parts) != 3 or not all(re.search(r"\w", part) for part in parts):
        return None
    triple = (parts[0], parts[1], parts[2])
    return None if tuple(part.lower() for part in triple) == _FORM else triple


def _is_empty(group: Group) -> bool:
    return group.kind != "{" and group.own and group.closed and not group.text.strip()
