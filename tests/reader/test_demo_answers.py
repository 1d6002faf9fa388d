"""The demo's questions as a regression set: how many GEAR answers rightly with the local reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gear_app.analysis.metrics import exact_match
from gear_app.embedders.cache import CachedEmbedder
from gear_app.events import Event, Reasoned
from gear_app.index.embedded import EmbeddedIndex
from gear_app.reader.local import LocalReader
from gear_app.retrievers import build
from gear_app.types import Passage, Triple

pytestmark = pytest.mark.models
DEMO = Path(__file__).parents[2] / "data" / "demo"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


def test_at_least_25_demo_answers_are_right_and_at_most_two_wrong(minilm: CachedEmbedder) -> None:
    passages = [
        Passage(i, row["id"], row["title"], row["text"])
        for i, row in enumerate(rows("corpus.jsonl"), start=1)
    ]
    ids = {passage.key: passage.id for passage in passages}
    triples = [
        Triple(i, ids[row["passage_id"]], row["subject"], row["predicate"], row["object"])
        for i, row in enumerate(rows("triples.curated.jsonl"), start=1)
    ]
    index = EmbeddedIndex(
        passages,
        triples,
        minilm.embed([passage.indexed for passage in passages]),
        minilm.embed([triple.text for triple in triples]),
        minilm,
    )
    gear = build("gear", index, LocalReader(minilm), minilm)
    right, wrong = [], []
    for question in rows("questions.jsonl"):
        events: list[Event] = []
        gear.retrieve(question["question"], 10, events.append)
        verdicts = [event.answer for event in events if isinstance(event, Reasoned)]
        if verdicts[-1]:
            agrees = bool(question["answers"]) and exact_match(verdicts[-1], question["answers"])
            (right if agrees else wrong).append(question["id"])
    assert len(right) >= 25
    assert len(wrong) <= 2, wrong
