"""Relevance judgments ("qrels") as BEIR and TREC write them: which passages are a question's gold.

* BEIR: a table apart by tabs, `query-id`, `corpus-id`, `score`, with or without these column names.
* TREC: lines of question, iteration (not used), passage, relevance, apart by white space. White
  space and `%` in an id are percent-encoded there, as our own files have them.

A relevance above 0 is gold, of that grade; one of 0 or below says that a passage is not. Judgments
say nothing of the questions' words, so they are joined with questions by id: those of the same
import, else those that the collection has.
"""

from __future__ import annotations

import csv
from pathlib import PurePosixPath
from urllib.parse import unquote

from gear_app.errors import BadInput, Refused
from gear_app.ingest.contents import Contents
from gear_app.ingest.decode import storable
from gear_app.ingest.rows import MOST_ROWS, Row, first, grade

SUFFIXES = (".tsv", ".txt", ".qrels")
_BEIR, _TREC = 3, 4  # columns
# What objects call them.
_FIELDS = (
    ("query-id", "query_id", "qid"),
    ("corpus-id", "corpus_id", "docid", "doc_id", "pid"),
    ("score", "relevance", "label"),
)


def is_qrels(path: PurePosixPath) -> bool:
    """Whether a file is one of judgments by its name, as `qrels/test.tsv`, `qrels.dev.tsv`."""
    named = path.suffix.lower() == ".qrels" or "qrels" in (
        path.parent.name.lower(),
        *path.stem.lower().replace("-", ".").replace("_", ".").split("."),
    )
    return named and path.suffix.lower() in SUFFIXES


def is_queries(path: PurePosixPath) -> bool:
    """Whether a file is one of questions by its name or its folder's, as `test_queries.jsonl`:
    BEIR's look like passages.
    """
    names = path.name.partition(".")[0], path.parent.name
    return any("queries" in name.lower().replace("-", "_").split("_") for name in names)


def is_judgment(row: Row) -> bool:
    """Whether an object is a judgment, as in Parquet and JSON lines."""
    return all(first(row, names) for names in _FIELDS)


def add_judgment(contents: Contents, row: Row, _: str) -> None:
    """Add what an object judges."""
    question, passage, relevance = (first(row, names) for names in _FIELDS)
    contents.gold.setdefault(question, []).append((passage, grade(relevance)))


def read_qrels(text: str) -> Contents:
    """The judgments of each question. Raises BadInput where no line is one, Refused where there are
    too many.
    """
    contents = Contents()
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_ROWS:
        raise Refused(f"it has more than {MOST_ROWS:,} lines; split it")
    wrong: list[int] = []
    for number, line in enumerate(lines, start=1):
        judgment = _judgment(line)
        if judgment is None:
            wrong += [number] if number > 1 else []  # the first may hold the columns' names
            continue
        question, passage, relevance = judgment
        contents.gold.setdefault(question, []).append((passage, relevance))
    if not contents.gold:
        raise BadInput(
            "it is called judgments (qrels), but no line has question, passage and relevance"
        )
    other = sum(found <= 0 for judged in contents.gold.values() for _, found in judged)
    contents.notes.count("passage", "judged not relevant", other)
    for number in wrong:
        contents.notes.count("line", "not a judgment", place=number)
    return contents


def _judgment(line: str) -> tuple[str, str, int] | None:
    """Question, passage and relevance; None for what is none. BEIR's ids may hold blanks, and tabs
    in quotes.
    """
    text = storable(line)
    try:
        cells = [cell.strip() for cell in next(csv.reader([text], delimiter="\t"))]
        if len(cells) not in (_BEIR, _TREC):
            cells = text.split()
        if len(cells) == _TREC:
            cells = [unquote(cells[0]), unquote(cells[2]), cells[3]]
        question, passage, relevance = cells
        return question, passage, grade(relevance)
    except (ValueError, csv.Error):  # another number of columns, or no whole number
        return None
