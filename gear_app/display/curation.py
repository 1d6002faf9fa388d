"""What people changed in triples, in words."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from gear_app.core.text import count, cut
from gear_app.core.types import Triple
from gear_app.display.labels import readable_time
from gear_app.display.markup import Html, tag

if TYPE_CHECKING:
    from gear_app.store.triples import TriplesSince
    from gear_app.workspace.collections.curation import Edit, TripleChange

LONGEST = 160  # characters of a triple in a sentence


def triple_words(triple: Triple) -> str:
    """A triple in a line."""
    return cut(f"{triple.subject} · {triple.predicate} · {triple.object}", LONGEST)


def edit_sentence(edit: Edit) -> str:
    """Sentence for an edit step."""
    row, size = edit.row, count(len(edit.row.swaps), "triple")
    names = ", ".join(f"“{cut(name, 60)}”" for name in row.entities)
    if row.kind == "merge":
        return f"{names} became “{row.name}”: {size}."
    if names:
        return f"Deleted {names}: {size}."
    if len(edit.row.swaps) == 1:
        return change_sentence(edit.changes[0])
    return f"{'Added' if row.kind == 'add' else 'Deleted'} {size}."


def change_sentence(change: TripleChange) -> str:
    """Sentence for the change of a triple."""
    before, after = (f"“{triple_words(triple)}”" if triple else "" for triple in change)
    if before and after:
        return f"Changed {before} to {after}."
    return f"Added {after}." if after else f"Deleted {before}."


def step_line(edit: Edit) -> Html:
    """A step in a line: its number, what it did, and beside that who and when; struck through
    where it was undone.
    """
    row = edit.row
    aside = " · ".join(
        filter(None, ["undone" if row.undone else "", row.author, readable_time(row.at)])
    )
    words = tag("s" if row.undone else "span", edit_sentence(edit), dir="auto")
    number = tag("b", f"{row.number}")
    line = tag("div", number, " ", words, tag("small", aside), class_="gear-step-line")
    if len(edit.row.swaps) < 2:
        return line
    more = len(edit.row.swaps) - len(edit.changes)
    changes = [tag("li", change_sentence(change), dir="auto") for change in edit.changes]
    changes += [tag("li", f"and {more:,} more")] if more > 0 else []
    return Html(line + tag("details", tag("summary", "Triple by triple"), tag("ul", *changes)))


def triple_list(triples: Collection[Triple]) -> Html:
    """A passage's triples, a line each."""
    lines = []
    for triple in triples:
        predicate = tag("span", f" {triple.predicate} ", class_="gear-predicate")
        lines.append(tag("li", triple.subject, predicate, triple.object, dir="auto"))
    return tag("ul", *lines, class_="gear-triple-list")


def changed_since(since: TriplesSince, triples: str) -> str:
    """Difference from what a run saw, as the end of a sentence; "" for nothing."""
    numbers = {"changed or deleted": len(since.removed), "new": len(since.new)}
    words = " and ".join(f"{number:,} {change}" for change, number in numbers.items() if number)
    return f": of the triples “{triples}”, {words}" if words else ""
