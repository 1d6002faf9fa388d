"""The demo's questions as a regression set: how many GEAR answers rightly with the local reader."""

from __future__ import annotations

import pytest

from gear_app.analysis.metrics import exact_match
from gear_app.embedders.cache import CachedEmbedder
from gear_app.events import Event, Reasoned
from gear_app.reader.local import LocalReader
from gear_app.retrievers import build
from tests.demo import QUESTIONS, demo_passages, demo_triples
from tests.small import index_over

pytestmark = pytest.mark.models


def test_at_least_25_demo_answers_are_right_and_at_most_two_wrong(minilm: CachedEmbedder) -> None:
    index = index_over(demo_passages(), demo_triples(), minilm)
    gear = build("gear", index, LocalReader(minilm), minilm)
    right, wrong = [], []
    for question in QUESTIONS:
        events: list[Event] = []
        gear.retrieve(question["question"], 10, events.append)
        verdicts = [event.answer for event in events if isinstance(event, Reasoned)]
        if verdicts[-1]:
            agrees = bool(question["answers"]) and exact_match(verdicts[-1], question["answers"])
            (right if agrees else wrong).append(question["id"])
    assert len(right) >= 25
    assert len(wrong) <= 2, wrong
