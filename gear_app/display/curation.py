"""What people changed in triples, in words."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from gear_app.core.text import count, cut
from gear_app.core.types import Triple
from gear_app.display.labels import readable_time
from gear_app.display.markup import Html, join, tag

if TYPE_CHECKING:
    from gear_app.store.triples import TriplesSince
    from gear_app.workspace.collections.curation import Edit, TripleChange

LONGEST = 160  # characters of a triple in a sentence


def triple_words(triple: Triple) -> str:
    """A triple in a line."""
    return cut(f"{triple.subject} · {triple.predicate} · {triple.object}", LONGEST)


def edit_sentence(edit: Edit) -> str:
    """Sentence for an edit step."""
    row, size = edit.row, count(edit.size, "triple")
    if row.kind == "merge":
        return f"{_names(row.entities)} became “{row.name}”: {size}."
    if row.entities:
        return f"Deleted {_names(row.entities)}: {size}."
    if edit.size > 1:
        return f"{'Added' if row.kind == 'add' else 'Deleted'} {size}."
    return change_sentence(edit.changes[0]) if edit.changes else ""


def change_sentence(change: TripleChange) -> str:
    """Sentence for the change of a triple."""
    before, after = change
    if before and after:
        return f"Changed “{triple_words(before)}” to “{triple_words(after)}”."
    if after:
        return f"Added “{triple_words(after)}”."
    return f"Deleted “{triple_words(before)}”." if before else ""


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
    if edit.size < 2:
        return line
    more = edit.size - len(edit.changes)
    changes = [tag("li", change_sentence(change), dir="auto") for change in edit.changes]
    changes += [tag("li", f"and {more:,} more")] if more > 0 else []
    return Html(line + tag("details", tag("summary", "Triple by triple"), tag("ul", *changes)))


def triple_list(triples: Collection[Triple]) -> Html:
    """A passage's triples, a line each."""
    lines = [tag("li", _parts(triple), dir="auto") for triple in triples]
    return tag("ul", *lines, class_="gear-triple-list")


def changed_since(since: TriplesSince, used: Collection[int], triples: str) -> str:
    """What is different from what a run saw, as the end of a sentence; `used` are the ids of the
    triples in its steps. "" where no triple is different.
    """
    parts = []
    if since.gone:
        were = "was" if len(since.gone) == 1 else "were"
        parts.append(f"{count(len(since.gone), 'triple')} that it saw {were} changed or deleted")
    if since.new:
        are = "is" if len(since.new) == 1 else "are"
        parts.append(f"{count(len(since.new), 'triple')} {are} new")
    if not parts:
        return ""
    sentence = f": of the triples “{triples}”, {' and '.join(parts)}"
    gone = [triple for triple in since.gone if triple.id in used]
    if len(gone) == 1:
        return f"{sentence}. Its steps show one of these: “{triple_words(gone[0])}”"
    if gone:
        return f"{sentence}. Its steps show {len(gone):,} of these"
    return f"{sentence}. None that was changed is in its steps" if since.gone else sentence


def _parts(triple: Triple) -> Html:
    return join(
        [
            triple.subject,
            tag("span", f" {triple.predicate} ", class_="gear-predicate"),
            triple.object,
        ]
    )


def _names(names: Collection[str]) -> str:
    return ", ".join(f"“{cut(name, 60)}”" for name in names)
