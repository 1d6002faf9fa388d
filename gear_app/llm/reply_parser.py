"""What a model said, as data: triples, entities, fields. The form is forgiven, the content is never
added to.

Every parser takes the reply's text and says what it could not use, or raises Unparsed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Generic, NamedTuple, TypeVar

from gear_app.llm.reply_literals import Group, groups, values
from gear_app.text import normalise_entity

LONGEST = 100_000  # characters of a reply that is worth reading
T = TypeVar("T")
Fact = tuple[str, str, str]
Item = TypeVar("Item", str, Fact)

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_NONE = re.compile(
    r"\W*(?:none|nothing|no|null|n/a|not applicable)\W*|[\[(]\s*[\])]", re.IGNORECASE
)
_NO_FACTS = re.compile(
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
    """What was understood, and the pieces of the reply that were not, as they stand in it."""

    value: T
    dropped: tuple[str, ...] = ()


class Unparsed(Exception):
    """A reply that cannot be used; the words go on from "The model's reply …"."""


def spoken(reply: str) -> str:
    """The reply without its thinking aloud and without code fences. Raises Unparsed where nothing
    is left.
    """
    if len(reply) > LONGEST:
        raise Unparsed(f"is {len(reply):,} characters long, too long to be one")
    text = _FENCE.sub("", _THINKING.sub("", reply)).strip()
    if not text:
        raise Unparsed("is empty")
    return text


def says_none(text: str) -> bool:
    """Whether a reply says in one word, or with empty brackets, that there is nothing."""
    return _NONE.fullmatch(text) is not None


def triples(reply: str) -> Parsed[tuple[Fact, ...]]:
    """The triples of a reply, each once. A reply that says there are none gives none.

    Lists and tuples of three, objects with three sides, and lines as `a | b | c`; entities beside
    them are passed over.
    """
    text = spoken(reply)
    listed = [group for group in groups(text) if group.key not in _ENTITIES]
    found, dropped = _sorted(listed)
    if not found and not dropped:
        found = [_fact(line.split("|")) for line in text.splitlines() if line.count("|") == 2]
    facts = tuple(dict.fromkeys(fact for fact in found if fact is not None))
    if dropped and not facts:
        raise Unparsed("holds no triple of three items")
    if facts or any(_empty(group) for group in listed) or says_none(text):
        return Parsed(facts, tuple(dropped))
    if len(text) <= _SHORT and _NO_FACTS.search(text):
        return Parsed(())
    raise Unparsed("holds no triples, and does not say that there are none")


def without_example(
    found: Parsed[tuple[Item, ...]], example: Collection[Item], material: str
) -> Parsed[tuple[Item, ...]]:
    """Without the triples or names of the prompt's own example, which small models repeat as if
    they had read them.

    What names something that stands in the material stays.
    """
    words = f" {normalise_entity(material)} "
    left: list[Item] = []
    dropped = list(found.dropped)
    for item in found.value:
        names = (item,) if isinstance(item, str) else (item[0], item[2])
        if item in example and not any(f" {normalise_entity(name)} " in words for name in names):
            dropped.append(", ".join(names))
        else:
            left.append(item)
    return Parsed(tuple(left), tuple(dropped))


def at_least_one(found: Parsed[tuple[Item, ...]]) -> Parsed[tuple[Item, ...]]:
    """As it is; Unparsed where everything in it was dropped."""
    if found.dropped and not found.value:
        raise Unparsed(f"holds nothing of use, only {found.dropped[0]!r}")
    return found


def entities(reply: str) -> Parsed[tuple[str, ...]]:
    """The named entities of a reply that was to hold nothing else, each once."""
    text = spoken(reply)
    own = [group for group in groups(text) if group.own]
    if any(group.key in _ENTITIES for group in own):
        return named(reply)
    if own or says_none(text):
        return _names(own)
    items: list[str] = _ITEM.findall(text)
    if not items:
        raise Unparsed("holds no list of entities")
    return Parsed(tuple(dict.fromkeys(item.strip() for item in items)))


def named(reply: str) -> Parsed[tuple[str, ...]]:
    """The entities in a reply's list of that name, each once; none where it has no such list."""
    return _names([group for group in groups(spoken(reply)) if group.key in _ENTITIES])


def _names(listed: Iterable[Group]) -> Parsed[tuple[str, ...]]:
    names: list[str] = []
    dropped: list[str] = []
    for group in listed:
        items = values(group)
        if isinstance(items, dict):
            items = [
                next((items[name] for name in ("name", "entity", "text") if items.get(name)), "")
            ]
        names += filter(None, items or [])
        dropped += [] if items is not None and all(items) else [group.text.strip()]
    return Parsed(tuple(dict.fromkeys(names)), tuple(dropped))


def fields(text: str) -> dict[str, str]:
    """The fields of the flat objects in a reply, names lower-case with spaces for underscores; none
    where none are.
    """
    found: dict[str, str] = {}
    for group in groups(text):
        items = values(group) if group.kind == "{" else None
        if isinstance(items, dict):
            found |= {
                name.lower().replace("_", " ").strip(): value for name, value in items.items()
            }
    return found


def _sorted(listed: Iterable[Group]) -> tuple[list[Fact | None], list[str]]:
    """The groups that are triples, and the text of those that were meant to be."""
    found: list[Fact | None] = []
    dropped: list[str] = []
    for group in listed:
        items = values(group) if group.own else []
        fact = _fact(_sides(items) if isinstance(items, dict) else items or [])
        if fact:
            found.append(fact)
        elif group.own and group.text.strip():
            dropped.append(group.text.strip())
    return found, dropped


def _sides(items: dict[str, str]) -> list[str]:
    lower = {name.lower(): value for name, value in items.items()}
    return [next((lower[name] for name in side if lower.get(name)), "") for side in _SIDES]


def _fact(items: list[str]) -> Fact | None:
    """Three items with words in each, unless they are the form itself, written down again."""
    parts = [item.strip(" \t\"'“”`") for item in items]
    if len(parts) != 3 or not all(re.search(r"\w", part) for part in parts):
        return None
    fact = (parts[0], parts[1], parts[2])
    return None if tuple(part.lower() for part in fact) == _FORM else fact


def _empty(group: Group) -> bool:
    return group.kind != "{" and group.own and group.closed and not group.text.strip()
