"""What people changed in triples, as sentences and tables; and how two extractions of a passage
differ.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from gear_app.text import count, cut
from gear_app.types import ExtractedTriple, Triple
from gear_app.views.labels import readable_time
from gear_app.views.markup import Html, join, tag

if TYPE_CHECKING:
    from gear_app.workspace import Edit, TripleChange, TripleDifference, TriplesSince

LONGEST = 160  # characters of a triple in a sentence
TURNS = {"undo": "Undid", "redo": "Did again"}


def triple_words(triple: Triple | ExtractedTriple) -> str:
    """A triple in a line."""
    return cut(f"{triple.subject} · {triple.predicate} · {triple.object}", LONGEST)


def edit_sentence(edit: Edit) -> str:
    """What a step did, in a sentence."""
    row, size = edit.row, count(edit.size, "triple")
    if row.kind in TURNS:
        return f"{TURNS[row.kind]} step {row.of}: {size}."
    if row.kind == "merge":
        return f"{_names(row.entities)} became “{row.name}”: {size}."
    if row.entities:
        return f"Deleted {_names(row.entities)}: {size}."
    if edit.size > 1:
        return f"{'Added' if row.kind == 'add' else 'Deleted'} {size}."
    return change_sentence(edit.changes[0]) if edit.changes else ""


def change_sentence(change: TripleChange) -> str:
    """What became of a triple."""
    before, after = change
    if before and after:
        return f"Changed “{triple_words(before)}” to “{triple_words(after)}”."
    if after:
        return f"Added “{triple_words(after)}”."
    return f"Deleted “{triple_words(before)}”." if before else ""


def history_rows(edits: Collection[Edit]) -> list[dict[str, Any]]:
    """A line for every step."""
    return [
        {
            "step": one.row.number,
            "what": edit_sentence(one),
            "": "" if one.row.stands else "undone",
            "who": one.row.author,
            "when": readable_time(one.row.at),
        }
        for one in edits
    ]


def changed_since(since: TriplesSince, used: Collection[int], triples: str) -> str:
    """What is different from what a run saw; `used` are the ids of triples in its steps."""
    gone = [one for one in since.gone if one.id in used]
    parts = []
    if since.gone:
        parts.append(f"{count(len(since.gone), 'triple')} that it saw {_was(since.gone)} changed")
    if since.new:
        parts.append(f"{count(len(since.new), 'triple')} {_is(since.new)} new")
    if not parts:
        return ""
    sentence = f" The triples “{triples}” were changed after this run: {' and '.join(parts)}."
    if gone:
        which = f"“{triple_words(gone[0])}”" if len(gone) == 1 else count(len(gone), "of them")
        return f"{sentence} In its steps: {which}."
    return f"{sentence} None of the changed ones is in its steps." if since.gone else sentence


def difference_table(found: TripleDifference, in_set: str, extractor: str) -> Html:
    """Both lists side by side in the order of the text: = in both, − only in the set, + only
    found.
    """
    head = tag("tr", *(tag("th", words, scope="col") for words in ("", in_set, extractor)))
    rows = [_line(mine, other) for mine, other in found.lines]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="gear-table gear-diff")


def difference_sentence(found: TripleDifference, in_set: str, extractor: str) -> str:
    """How many are in both and in either alone."""
    return (
        f"{len(found.same)} in both, {len(found.only_set)} only in “{in_set}”,"
        f" {len(found.only_found)} only found by {extractor}."
    )


def _line(mine: Triple | None, other: ExtractedTriple | None) -> Html:
    kind, sign, words = "same", "=", "in both"
    if not other:
        kind, sign, words = "gone", "−", "only in the set"
    elif not mine:
        kind, sign, words = "new", "+", "only found"
    cells = [tag("td", _parts(one) if one else "", dir="auto") for one in (mine, other)]
    mark = tag("td", tag("span", sign, role="img", aria_label=words, title=words))
    return tag("tr", mark, *cells, class_=f"gear-diff-{kind}")


def _parts(triple: Triple | ExtractedTriple) -> Html:
    return join(
        [
            triple.subject,
            tag("span", f" {triple.predicate} ", class_="gear-diff-verb"),
            triple.object,
        ]
    )


def _names(names: Collection[str]) -> str:
    return ", ".join(f"“{cut(name, 60)}”" for name in names)


def _was(items: Collection[object]) -> str:
    return "was" if len(items) == 1 else "were"


def _is(items: Collection[object]) -> str:
    return "is" if len(items) == 1 else "are"
