"""Batches and reports of files in the tests of documents."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gear_app.core.types import Span
from gear_app.documents import read
from gear_app.documents.blocks import plain_document
from gear_app.documents.files import Origin, Source, opened
from gear_app.documents.items import Batch, FileReport, FileTally, Limits, derived_key
from gear_app.documents.passages import grouped_units
from gear_app.documents.questions import find_gold, resolve_gold


@dataclass(slots=True)
class Import(Batch):
    """All batches of an import as one, in which passages still name the documents of their own
    batch, and the reports as if everything were new.
    """

    reports: list[FileReport] = field(default_factory=list)


def joined(batches: Iterable[Batch]) -> Import:
    """Batches as one."""
    total, tallies, counts = Import(), list[FileTally](), list[list[int]]()
    for batch in batches:
        for name in ("documents", "passages", "questions"):
            getattr(total, name).extend(getattr(batch, name))
        for set_name, triples in batch.triples.items():
            total.triples.setdefault(set_name, []).extend(triples)
        total.gold |= batch.gold
        total.clues |= batch.clues
        total.notes.add(batch.notes)
        if batch.part < 2:
            tallies.append(FileTally(batch.name, batch.status, batch.read_as))
            counts.append([0, 0, 0])
        tallies[-1].add(batch)
        for number, items in enumerate((batch.documents, batch.passages, batch.questions)):
            counts[-1][number] += len(items)
    _resolve(total)
    for tally, count in zip(tallies, counts, strict=True):
        for noun, number in zip(("document", "passage", "question"), count, strict=True):
            tally.new.count(noun, "", number)
    total.reports = [tally.report() for tally in tallies]
    return total


def _resolve(total: Import) -> None:
    """Find the gold of the questions among the passages, as storing them does."""
    keys = {passage.key for passage in total.passages}
    passages = ((p.key or derived_key(p.title, p.text), p.title, p.text) for p in total.passages)
    result = {n: found for n, found in find_gold(total.clues, passages).items() if n not in keys}
    total.passages = list(dict.fromkeys(total.passages))
    for number, question in enumerate(total.questions):
        resolved = resolve_gold(question, result)
        grades = resolved.grades | total.gold.get(question.id, {})
        total.questions[number] = resolved.with_gold(grades)
    total.clues = {n: clue for n, clue in total.clues.items() if n not in result and n not in keys}


def read_path(path: Path, limits: Limits | None = None, **fields: str) -> Import:
    """Everything in the files of a path; `fields` have the roles of some."""
    return joined(read.read_origin(Origin(path=str(path), fields=tuple(fields.items())), limits))


def read_files(files: Iterable[tuple[str, bytes]], limits: Limits | None = None) -> Import:
    """Everything in files in memory."""
    given = [
        Source(name, len(content), len(content), partial(io.BytesIO, content))
        for name, content in files
    ]
    inside = (source for upload in given for source in opened(upload, limits or Limits()))
    return joined(batch for one in inside for batch in read.read_source(one, limits or Limits()))


def report(name: str, content: bytes, limits: Limits | None = None) -> FileReport:
    """The report of a file that is imported alone."""
    (only,) = read_files([(name, content)], limits).reports
    return only


def split(text: str, words: int = 100) -> list[Span]:
    """Passages of a plain text."""
    groups = grouped_units(plain_document(text), words)
    return [Span(units[0].span.start, units[-1].span.end) for units in groups]


def json_lines(*rows: Mapping[str, object]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def failure(name: str, content: bytes, limits: Limits | None = None) -> str:
    """The reason why a file is refused."""
    result = report(name, content, limits)
    assert result.status == "failed", result
    return result.message
