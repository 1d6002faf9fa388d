"""Labels as files: JSON lines, which can be imported again, and a table for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gear_app.annotation.codebook import Category
from gear_app.annotation.record import Record, from_row, to_row
from gear_app.core.errors import BadInput
from gear_app.core.text import count, csv_table

COLUMNS = (
    "question",
    "method",
    "settings",
    "run",
    "annotator",
    "at",
    "verdict",
    "category",
    "severity",
    "step",
    "note",
    "suggested",
    "confirmed",
    "adjudicates",
    "complete",
    "gold_in_first_5",
    "gold",
)


class LabelFile(NamedTuple):
    """The contents of a file of labels."""

    records: tuple[Record, ...]
    categories: tuple[Category, ...]  # people's own


class Imported(NamedTuple):
    """The result of an import: how many labels were added or replaced an earlier one, and how many
    questions of the file are not in the collection.
    """

    labels: int
    foreign: int = 0

    @property
    def words(self) -> str:
        """The result in a sentence or two."""
        result = "Nothing new."
        if self.labels:
            result = f"{count(self.labels, 'label')} added or replaced."
        if self.foreign:
            result += f" Questions of the file that are not in the collection: {self.foreign}."
        return result


def json_lines(records: Iterable[Record], categories: Sequence[Category]) -> Iterator[str]:
    """One object a line, told apart by `kind`: own categories, and labels."""
    for category in categories:
        yield _line(
            "category",
            {"key": category.key, "name": category.name, "definition": category.definition},
        )
    for record in records:
        yield _line("annotation", to_row(record))


def _line(kind: str, row: Mapping[str, Any]) -> str:
    return json.dumps({"kind": kind, **row}, ensure_ascii=False) + "\n"


def read(lines: Iterable[str]) -> LabelFile:
    """The labels and own categories of a file. Raises BadInput with the line's number."""
    records, categories = list[Record](), list[Category]()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            kind = row.get("kind", "annotation")
            if kind == "annotation":
                records.append(from_row(row))
            elif kind == "category":
                categories.append(_category(row))
        except BadInput as error:
            raise BadInput(f"Line {number} cannot be imported: {error}") from error
    return LabelFile(tuple(records), tuple(categories))


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise BadInput(
            "it is no JSON object. Import the JSON lines that an export writes; the table (CSV)"
            " cannot be imported."
        )
    return row


def _category(row: Mapping[str, Any]) -> Category:
    words = [row.get(part) for part in ("key", "name", "definition")]
    key, name, definition = (word if isinstance(word, str) else "" for word in words)
    if not (key and name and definition):
        raise BadInput("a category has a key, a name and a definition")
    return Category(key[:60], name[:60], definition[:300])


def table(
    records: Iterable[Record],
    names: Mapping[str, str],
    found: Mapping[str, tuple[int, int]],
) -> str:
    """The labels as CSV. `names` are those of categories by key; `found` has, by case, how many
    gold passages are among the first five, and how many there are.
    """
    rows: list[Sequence[object]] = [COLUMNS]
    for record in records:
        case, label = record.case, record.label
        confirmed = {None: "", True: "yes", False: "no"}[label.suggestion.confirmed]
        rows.append(
            (
                case.question,
                case.method,
                " ".join(f"{name}={value}" for name, value in case.settings),
                record.run,
                record.annotator,
                record.at,
                label.verdict,
                names.get(label.category, label.category),
                label.severity,
                label.step,
                label.note,
                label.suggestion.cause,
                confirmed,
                "yes" if record.adjudicates else "",
                "yes" if label.complete else "",
                *found.get(case.id, ("", "")),
            )
        )
    return csv_table(rows)
