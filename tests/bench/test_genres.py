"""The packs of further genres: the gold passages are there and hold the answers of the hops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.results.benchmark import HELD_OUT, OTHER
from tests.documents.reports import read_path

FOLDER = Path(__file__).parent
GENRES = sorted((*OTHER, *HELD_OUT))
SINGLE_SPAN = ("bridge", "time")  # types whose answers stand in a passage, word for word

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", GENRES)
def test_a_pack_has_twenty_questions_on_short_passages(name: str) -> None:
    batch = read_path(FOLDER / name)
    assert (len(batch.passages), len(batch.questions)) == (64, 20)
    assert all(40 <= len(passage.text.split()) <= 130 for passage in batch.passages)
    keys = {passage.key for passage in batch.passages}
    for question in batch.questions:
        assert 2 <= len(question.supporting_keys) <= 4
        assert keys.issuperset(question.supporting_keys)


@pytest.mark.parametrize("name", GENRES)
def test_every_hop_is_answered_by_its_passage(name: str) -> None:
    passages = {row["id"]: row for row in rows(FOLDER / name / "corpus.jsonl")}
    for row in rows(FOLDER / name / "questions.jsonl"):
        hops = row["decomposition"]
        assert [hop["supporting_id"] for hop in hops] == row["supporting_ids"]
        for hop in hops if row["type"] in SINGLE_SPAN else ():
            passage = passages[hop["supporting_id"]]
            assert hop["answer"] in f"{passage['title']}\n{passage['text']}", row["id"]
