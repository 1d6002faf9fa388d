"""The demo collection as it lies in data/demo: its rows, and the same as passages and triples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gear_app.core.types import Passage, Triple

Row = dict[str, Any]
DEMO = Path(__file__).parents[1] / "data" / "demo"


def _rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


CORPUS = _rows("corpus.jsonl")
QUESTIONS = _rows("questions.jsonl")
TRIPLES = _rows("triples.curated.jsonl")
ANSWERABLE = [question for question in QUESTIONS if question["type"] != "unanswerable"]


def demo_passages() -> list[Passage]:
    """Ids count from 1, in the file's order."""
    return [Passage(n, row["id"], row["title"], row["text"]) for n, row in enumerate(CORPUS, 1)]


def demo_triples() -> list[Triple]:
    """The curated ones; ids count from 1, in the file's order."""
    ids = {row["id"]: n for n, row in enumerate(CORPUS, start=1)}
    return [
        Triple(n, ids[row["passage_id"]], row["subject"], row["predicate"], row["object"])
        for n, row in enumerate(TRIPLES, start=1)
    ]
