"""Judgements as files: JSON lines that can be imported again, and a table for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from gear_app.annotate.codebook import Category
from gear_app.annotate.history import current
from gear_app.annotate.record import Record, from_row, to_row
from gear_app.errors import BadInput
from gear_app.text import harmless

MOST_LINES, LONGEST_LINE = 1_000_000, 100_000
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


class Handed(NamedTuple):
    """What a file holds: its records and its own categories."""

    records: tuple[Record, ...]
    categories: tuple[Category, ...]


def json_lines(
    records: Iterable[Record],
    categories: Sequence[Category],
    runs: Iterable[Mapping[str, Any]] = (),
) -> Iterator[str]:
    """One object a line, told apart by `kind`: own categories, the runs that were judged, and every
    record of the history, undone ones included.
    """
    for category in categories:
        yield _line({"kind": "category", **asdict(category)})
    for run in runs:
        yield _line({"kind": "run", **run})
    for record in records:
        yield _line({"kind": "annotation", **to_row(record)})


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def read(lines: Iterable[str]) -> Handed:
    """Records and own categories; runs are facts for a reader and are skipped. Raises BadInput with
    the line's number.
    """
    records, categories = list[Record](), list[Category]()
    for number, line in enumerate(lines, start=1):
        if number > MOST_LINES:
            raise BadInput(f"There are more than {MOST_LINES:,} lines. Split the file.")
        if len(line) > LONGEST_LINE:
            raise BadInput(f"Line {number} is longer than any that gear-app writes.")
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            kind = row.get("kind", "annotation")
            if kind == "annotation":
                records.append(from_row(row))
            elif kind == "category":
                key, name, about = (str(row[part]) for part in ("key", "name", "definition"))
                categories.append(Category(key[:60], name[:60], about[:300]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BadInput) as error:
            raise BadInput(f"Line {number} cannot be imported: {error}") from error
    return Handed(tuple(records), tuple(categories))


def table(
    records: Iterable[Record],
    names: Mapping[str, str],
    found: Mapping[str, tuple[int, int]] | None = None,
) -> str:
    """What everybody says now, as CSV, a row for each case and annotator. `names` are those of
    categories; `found` tells by case how many gold passages are in the first five, of how many.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in current(records).values():
        case, label = record.case, record.label
        hits = (found or {}).get(case.id, ("", ""))
        said = label.suggestion.confirmed
        row = (
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
            "" if said is None else ("yes" if said else "no"),
            "yes" if record.adjudicates else "",
            "yes" if label.complete else "",
            *hits,
        )
        writer.writerow([harmless(str(cell)) for cell in row])
    return out.getvalue()
