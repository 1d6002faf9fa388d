"""A model's reply as data: groups in brackets, triples, entities, fields.

The form is forgiven, the content is never added to. A reply is read once from left to right, and
each record in it is parsed alone: one broken triple costs nothing but itself, and a reply that was
cut off loses only what was cut. A record is an innermost group, or one that holds words or sides of
its own beside the groups within it. Every parser takes the reply's text and returns what
it could not use beside the value, or raises Unparsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from gear_app.llm.thinking import without_thinking
from gear_app.text import cut, normalise_entity, storable

MAX_REPLY = 100_000  # characters of a reply that is worth reading
MAX_THINKING = 500_000  # characters with all that was thought aloud before
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
_FIELD = re.compile(r"""["'“*]?(\w[\w ]{0,30})["'”*]*\s{0,9}[:=]""")  # a name with its value
_LIST_MARKS = re.compile(
    r"[\s,;*•>–-]*(?:\d{1,3}[.):]\s*)?(?:(?:facts?|triples?|new|\W)+\d*\s*:)?\s*", re.IGNORECASE
)
_NEAR = 48  # characters before a bracket that are looked at

_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_NONE = re.compile(
    r"\W*(?:none|nothing|no|null|n/a|not applicable)\W*|[\[(]\s*[\])]", re.IGNORECASE
)
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
_ASCII_BRACKETS = str.maketrans("｛｝［］", "{}[]")
_ASCII = str.maketrans("，：", ",:")
_WIDE_MARK = re.compile(r"(?<=[\"”\]}])\s{0,9}[，：]|[，：](?=\s{0,9}[\"“\[{])")
_NO_TRIPLES = re.compile(
    r"\b(?:no|none|not|cannot|can't|don't|doesn't|nothing|insufficient)\b.{0,80}?"
    r"\b(?:facts?|triples?|information|documents?|new|relevant|mention|contain|say|state)\b",
    re.IGNORECASE | re.DOTALL,
)
_SHORT = 400  # characters of a sentence that says "there is nothing"
_ITEM = re.compile(r"^[^\S\n]*(?:[-*•–]|\d{1,3}[.)])[^\S\n]+(\S.{0,80})$", re.MULTILINE)
_TRIPLES = re.compile(r"triple|fact|relation|edge|statement")
_NAMES = ("name", "entity", "text", "label", "value")
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
    """What stands between two brackets.

    `key` is the name before these brackets or those around them, lower-case; `named`: before these.
    `closed` False: the reply ended before the bracket did, and `text` ends with the last whole
    item. `own`: something in it is quoted, or no words stand before it on its line, so that it is
    no aside in a sentence. `items` are those of a group that has others within, of which `text` is
    the beginning; else they are in `text`.
    """

    kind: str
    text: str
    key: str = ""
    closed: bool = True
    own: bool = True
    named: bool = False
    items: tuple[GroupItem, ...] = ()

    @property
    def inner(self) -> list[Group]:
        """The groups within it and in no other."""
        return [group for item in self.items for group in item.inner]


class GroupItem(NamedTuple):
    """An item of a group: its own words, and the groups within it."""

    words: str
    inner: tuple[Group, ...]

    @property
    def is_words(self) -> bool:
        """Whether it is words, and no name with its value."""
        return not self.inner and _has_words(self.words) and not _FIELD.match(self.words)


@dataclass(slots=True)
class _OpenGroup:
    kind: str
    start: int
    whole: int  # where the last whole item ends
    key: str
    own: bool
    named: bool
    at: int  # to where its own words were taken
    words: str = ""  # of the item that goes on
    inner: list[Group] = field(default_factory=list)
    items: list[GroupItem] = field(default_factory=list)

    def take_words(self, reply: str, end: int) -> None:
        self.words += reply[self.at : end]
        self.at = max(self.at, end)

    def end_item(self, reply: str, end: int) -> None:
        self.take_words(reply, end)
        self.items.append(GroupItem(self.words.strip(" \t\n,"), tuple(self.inner)))
        self.words, self.inner = "", []

    def group(self, reply: str, end: int | None) -> Group:
        last = self.whole if end is None else end
        self.end_item(reply, last)
        outer = any(item.inner for item in self.items)
        text = reply[self.start : min(last, self.start + _NEAR) if outer else last]
        items = tuple(self.items) if outer else ()
        return Group(self.kind, text, self.key, end is not None, self.own, self.named, items)


def _outermost(reply: str) -> list[Group]:
    """The groups of a reply that stand in no other, in order. A bracket is closed by whichever
    comes next; one that never is has all that comes after it.
    """
    outermost: list[Group] = []
    opened: list[_OpenGroup] = []
    at = ended = 0
    while token := _TOKEN.search(reply, at):
        at = token.end()
        match token.lastgroup:
            case "open":
                own = bool(opened) or _stands_alone(reply, token.start(), ended, outermost)
                key, named = _key(reply, token.start(), opened)
                for outer in opened[-1:]:
                    outer.take_words(reply, token.start())
                opened.append(_OpenGroup(token[0], at, at, key, own, named, at))
            case "close" if opened:
                _close(reply, opened, outermost, token.start())
                ended = at
            case "comma" if opened:
                opened[-1].whole = token.start()
                opened[-1].end_item(reply, token.start())
            case "string" if opened:
                opened[-1].whole, opened[-1].own = at, True
            case "string":
                at = token.start() + 1  # a quotation in a sentence may hold brackets
    while opened:
        _close(reply, opened, outermost, None)
    return outermost


def _close(reply: str, opened: list[_OpenGroup], outermost: list[Group], end: int | None) -> None:
    """Put the last group that was opened into the one around it. `end` None: it is never closed."""
    group = opened.pop().group(reply, end)
    if opened:
        opened[-1].inner.append(group)
        opened[-1].at = len(reply) if end is None else end + 1
    else:
        outermost.append(group)


def _records(reply: str, within: Callable[[Group], Sequence[Group] | None]) -> list[Group]:
    """The innermost groups of a reply, and those outer ones that are a record themselves, in order.

    `within` tells which groups within an outer one are not part of its record; None where it is no
    record, but only holds some.
    """
    found: list[Group] = []
    waiting = _outermost(reply)[::-1]
    while waiting:
        group = waiting.pop()
        others = within(group) if group.items else []
        if others is not None:
            found.append(group)
        waiting += reversed(group.inner if others is None else others)
    return found


def groups(reply: str) -> list[Group]:
    """The innermost groups of a reply, in order."""
    return _records(reply, lambda group: None)


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
        import json_repair  # slow to import, and most replies need no repair

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
    text = storable(" ".join(str(item).split())) if isinstance(item, (str, int, float)) else ""
    return text if source is None or _plain(text) in _plain(source) else ""


def _plain(text: str) -> str:
    return re.sub(r"[\s\\\"']+", "", text)


def _key(reply: str, at: int, opened: list[_OpenGroup]) -> tuple[str, bool]:
    """The name before a bracket, or that of the brackets around it; whether it is its own."""
    name = _KEY.search(reply[max(0, at - _NEAR) : at])
    if name:
        return name[1].lower(), True
    return opened[-1].key if opened else "", False


def _stands_alone(reply: str, at: int, ended: int, before: list[Group]) -> bool:
    """Whether only list marks stand before a bracket on its line, or another such group."""
    line = reply.rfind("\n", max(0, at - _NEAR), at) + 1
    start = max(line, ended, at - _NEAR)
    if _LIST_MARKS.fullmatch(reply, start, at) is None:
        return False
    return start in (line, 0) or (start == ended and bool(before) and before[-1].own)


def reply_text(reply: str) -> str:
    """The reply without its thinking aloud and without code fences. Raises Unparsed if empty."""
    text = reply if len(reply) > MAX_THINKING else without_thinking(reply)
    if len(text) > MAX_REPLY:
        raise Unparsed(f"is {len(text):,} characters long, too long to be one")
    if refusal := _refusal(text):
        raise Unparsed(f"is a refusal: {cut(' '.join(refusal.split()), _SHORT).rstrip('.')}")
    words = _unwrapped(_FENCE.sub("", text).strip())
    if not words:
        thought = reply.strip() and not text.strip()
        raise Unparsed("holds nothing but thinking" if thought else "is empty")
    return words


def _refusal(text: str) -> str:
    """The words of a refusal, in a field of its own or as the beginning of a short text."""
    if marked := _REFUSAL.search(text):
        return marked[1]
    return text if len(text) <= _SHORT and _REFUSES.match(text) else ""


def _unwrapped(text: str) -> str:
    """The JSON within a string of JSON, or that a tool is called with; with ASCII punctuation, and
    without what is thought behind a whole object. Other text stays as it is.
    """
    if text[:1] in "｛［{[":
        text = text.translate(_ASCII_BRACKETS)
        text = _WIDE_MARK.sub(lambda mark: mark[0].translate(_ASCII), text)
    try:
        data, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return text
    behind = text[end:].strip()
    if isinstance(data, dict):
        arguments = data.get("arguments") if "name" in data else None
        if isinstance(arguments, str):
            return arguments.strip()
        return text[:end] if re.match(r"[^\W\d_]", behind) else text
    within = data.strip() if isinstance(data, str) and not behind else ""
    return within if within[:1] in ("{", "[") else text


def says_none(text: str) -> bool:
    """Whether a reply says in one word, or with empty brackets, that there is nothing."""
    return _NONE.fullmatch(text) is not None


def triples(reply: str) -> Parsed[tuple[StringTriple, ...]]:
    """The triples of a reply, each once. A reply that says there are none gives none.

    Lists and tuples of three, objects with three sides, and lines as `a | b | c`; lists of entities
    beside them are passed over. A side that is a list of several names is as many triples.
    """
    text = reply_text(reply)
    listed = [group for group in _records(text, _beside_triple) if group.key not in _ENTITIES]
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
    own = [group for group in _records(text, _beside_entity) if group.own]
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
    listed = _records(reply_text(reply), _beside_entity)
    return _names([group for group in listed if group.key in _ENTITIES])


def _names(listed: Iterable[Group]) -> Parsed[tuple[str, ...]]:
    names: list[str] = []
    dropped: list[str] = []
    for group in listed:
        items = _group_names(group)
        names += filter(None, items or [])
        if items is None or not all(items):
            dropped.append(group.text.strip())
    return Parsed(tuple(dict.fromkeys(names)), tuple(dropped))


def _beside_entity(group: Group) -> list[Group] | None:
    """What is no part of an outer group that names an entity, or several beside others."""
    if group.kind != "{":
        return group.inner if any(item.is_words for item in group.items) else None
    listed = any(one.named and one.key in _ENTITIES for one in group.inner)
    return [] if not listed and _name_in(_direct(group)) else None


def _group_names(group: Group) -> list[str] | None:
    """The names that a group lists, or that of the thing it describes; "" for one without. None
    where they cannot be told apart.
    """
    direct = _direct(group)
    return [_name_in(direct)] if isinstance(direct, dict) else direct


def _name_in(items: list[str] | dict[str, str] | None) -> str:
    """The name of a thing that is described; "" where it has none."""
    named = items if isinstance(items, dict) else {}
    return next((named[name] for name in _NAMES if named.get(name)), "")


def _direct(group: Group) -> list[str] | dict[str, str] | None:
    """The values of a group without those of the groups within it."""
    if not group.items:
        return values(group)
    return values(Group(group.kind, ", ".join(i.words for i in group.items if not i.inner)))


def fields(text: str) -> dict[str, str]:
    """The fields of the objects in a reply, names lower-case with spaces for underscores; none of
    those whose value is a list or an object.
    """
    merged: dict[str, str] = {}
    for group in _records(text, lambda group: group.inner):
        items = _direct(group) if group.kind == "{" else None
        if isinstance(items, dict):
            for name, value in items.items():
                merged[name.lower().replace("_", " ").strip()] = value
    return merged


def _triples_of(listed: Sequence[Group]) -> tuple[list[StringTriple], list[str]]:
    """The groups that are triples, and the text of those that were meant to be.

    Where some are under a name for triples a list of three under another name is none.
    """
    parsed: list[StringTriple] = []
    dropped: list[str] = []
    named = any(_TRIPLES.search(group.key) for group in listed)
    for group in listed:
        elsewhere = named and group.key and not _TRIPLES.search(group.key)
        found = _combined(_sides(group)) if group.own and not elsewhere else []
        parsed += found
        if not found and group.own and group.text.strip():
            dropped.append(group.text.strip())
    return parsed, dropped


def _beside_triple(group: Group) -> Sequence[Group] | None:
    """What is no part of an outer group that is a triple, or was meant to be one: one with sides or
    words of its own. Three words and then groups alone are a triple whose bracket was forgotten.
    """
    if not group.own:
        return None
    if group.kind == "{":
        named = {*(_direct(group) or ()), *(one.key for one in group.inner if one.named)}
        sides = sum(not {name.lower() for name in named}.isdisjoint(side) for side in _SIDES)
        return [one for one in group.inner if not one.named] if sides > 1 else None
    if not any(item.is_words for item in group.items):
        return None
    return [one for item in _items(group)[3:] for one in item.inner] if _unclosed(group) else []


def _unclosed(group: Group) -> bool:
    """Whether the bracket after three words was forgotten, and other groups follow."""
    items = [item.is_words for item in _items(group)]
    return len(items) > 3 and items == [True] * 3 + [False] * (len(items) - 3)


def _items(group: Group) -> list[GroupItem]:
    return [item for item in group.items if item.inner or _has_words(item.words)]


def _sides(group: Group) -> list[list[str]]:
    """The names on each side of a group that is to be a triple."""
    direct = _direct(group)
    if group.kind != "{" and group.items:
        items = _items(group)
        return [_item_names(item) for item in (items[:3] if _unclosed(group) else items)]
    if isinstance(direct, dict):
        lower = {name.lower(): [value] for name, value in direct.items() if value}
        lower |= {one.key: _inner_names(one) for one in group.inner if one.named}
        return [next((lower[name] for name in side if lower.get(name)), []) for side in _SIDES]
    return [[item] for item in direct or []]


def _item_names(item: GroupItem) -> list[str]:
    """The names that stand as one item, in words or in groups; words before a group are its own,
    but for a name of it.
    """
    if _has_words(item.words) and not (item.inner and _KEY.search(item.words)):
        words = values(Group("[", item.words))
        return words if isinstance(words, list) and len(words) == 1 else []
    return [name for group in item.inner for name in _inner_names(group)]


def _inner_names(group: Group) -> list[str]:
    """The names that a group within a triple stands for; [] where any of them cannot be read."""
    inner = group.inner if group.kind != "{" else []
    names = [name for one in inner or [group] for name in _group_names(one) or [""]]
    mixed = any(one.kind != "{" for one in inner) or any(item.is_words for item in group.items)
    return names if all(names) and not (inner and mixed) else []


def _combined(sides: Sequence[Sequence[str]]) -> list[StringTriple]:
    """The triples of three sides, of which the first or the last may have several names."""
    if len(sides) != 3 or sum(len(side) > 1 for side in sides) > 1 or len(sides[1]) > 1:
        return []
    rows = [_triple([a, b, c]) for a in sides[0] for b in sides[1] for c in sides[2]]
    return [row for row in rows if row is not None] if all(rows) else []


def _triple(items: list[str]) -> StringTriple | None:
    """Three items with words in each, unless they are the form itself, written down again."""
    parts = [item.strip(" \t\"'“”`") for item in items]
    if len(parts) != 3 or not all(map(_has_words, parts)):
        return None
    triple = (parts[0], parts[1], parts[2])
    return None if tuple(part.lower() for part in triple) == _FORM else triple


def _has_words(text: str) -> bool:
    return re.search(r"\w", text) is not None


def _is_empty(group: Group) -> bool:
    return group.kind != "{" and group.own and group.closed and not group.text.strip()
