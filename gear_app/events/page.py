"""docs/events.md, written from the docstrings: every kind of event and its parts, field by field.

python -m gear_app.events.page > docs/events.md
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from gear_app.events.base import Event, Part, RankedPassage, ShownTriple
from gear_app.events.rows import MODULES

HEAD = """# Events

A run is a list of events; each is a frozen value of [gear_app/events](../gear_app/events/), stored as one JSON object:
its `kind`, then its fields. Events carry the words they show and all terms of every score, so a run is drawn, compared
and exported without asking anything again. Ids count within a workspace; a key is a passage's name in its collection.

Every event has an `iteration`: the round it happened in, from 1; 0 before the first (`Started`) and after the last
(`Ranked`, `Answered`). Its step is the stop of the strip and the slider at which a run shows it.

This page is written from the docstrings, and a test compares the two. After a change of a kind write it anew:
`python -m gear_app.events.page > docs/events.md`. To add a kind add its class, and its name in `__all__`, to one of the
modules; a step is a `Verb` beside it. It is stored, told on the command line and shown as a step of the run from then
on. A card of its own is a function and a line in `CARDS` of `gear_app/views/cards`, which Explore and shared pages draw.
"""  # noqa: E501 - as wide as the other pages

PARTS = (RankedPassage, Part, ShownTriple)
ABOUT_PARTS = (
    "What events of several methods are made of: passages and triples with the words to draw them"
)


def page() -> str:
    """The whole page."""
    of_kinds = [_section(_docstring(module)[0], _exported(module)) for module in MODULES]
    return HEAD + "".join(of_kinds) + _section(ABOUT_PARTS, PARTS)


def fields(value: type) -> dict[str, str]:
    """What the docstring of a kind or a part says of each field, in its order there."""
    _, listed = _docstring(value)
    found: dict[str, str] = {}
    name = ""
    for line in listed.splitlines():
        begins = re.match(r" {4}(\w+): (.+)", line)
        if begins:
            name = begins[1]
        found[name] = begins[2] if begins else f"{found[name]} {line.strip()}"
    return found


def _docstring(value: Any) -> tuple[str, str]:  # noqa: ANN401
    """What it is, in one line, and the lines about its fields."""
    about, _, listed = (inspect.getdoc(value) or "").partition("\n\nAttributes:\n")
    return " ".join(about.split()), listed


def _exported(module: Any) -> list[type]:  # noqa: ANN401
    return [value for name, value in vars(module).items() if name in module.__all__]


def _section(about: str, values: Sequence[type]) -> str:
    described = ["\n".join(_lines(value)) for value in values if dataclasses.is_dataclass(value)]
    return f"\n## {about.rstrip('.')}\n\n" + "\n\n".join(described) + "\n"


def _lines(value: Any) -> Iterator[str]:  # noqa: ANN401
    verb = value.VERB if issubclass(value, Event) else None
    yield f"### {value.__name__}"
    yield _linked(_docstring(value)[0]) + (f" Step: `{verb.name}`." if verb else "")
    for name, words in fields(value).items():
        yield f"* `{name}`: {_linked(words)}"


def _linked(words: str) -> str:
    """The words with every page that they name as a link."""
    return re.sub(r"\bdocs/([\w/.-]+\.md)\b", r"[\1](\1)", words)


if __name__ == "__main__":
    sys.stdout.write(page())
