"""A collection as a BEIR data set: corpus.jsonl, queries.jsonl and qrels/test.tsv."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gear_app.analysis.metrics import document_key
from gear_app.types import Passage, Question

HEAD = ("query-id", "corpus-id", "score")


def corpus_line(passage: Passage) -> str:
    """A passage as a line of corpus.jsonl; its id is its key."""
    return _json({"_id": passage.key, "title": passage.title, "text": passage.text})


def query_lines(questions: Iterable[Question]) -> Iterator[str]:
    """Questions as lines of queries.jsonl; `metadata` has the answers, type and hops known."""
    for question in questions:
        known = {"answers": question.answers, "type": question.type, "hops": question.hops}
        metadata = {name: value for name, value in known.items() if value}
        yield _json({"_id": question.id, "text": question.question, "metadata": metadata})


def qrels_lines(questions: Iterable[Question], parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The gold passages with their grades as lines of a BEIR table, its heading first; gold that is
    not in the collection is left out.

    `parts` are the keys in the collection by document key (`parts_of`): where gold names a document
    that was cut, each of its parts is gold.
    """
    yield _row(HEAD)
    for question in questions:
        for key, grade in question.grades.items():
            for part in parts.get(key, ()):
                yield _row((question.id, part, str(grade)))


def parts_of(keys: Iterable[str]) -> dict[str, list[str]]:
    """Which passages a gold key stands for: itself, or the parts of the document that it names."""
    parts: dict[str, list[str]] = {}
    for key in keys:
        for name in {key, document_key(key)}:
            parts.setdefault(name, []).append(key)
    return parts


def _row(cells: Sequence[str]) -> str:
    return "\t".join(" ".join(cell.split("\t")) for cell in cells) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
