"""The collection garden."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gear_app.core.types import Passage
from gear_app.documents.files import Origin
from gear_app.documents.items import derived_key
from gear_app.documents.read import read_origin
from gear_app.methods import build, config_for
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import ignore
from tests.documents.reports import joined
from tests.small import index_over

GARDEN = Path(__file__).parent.parent / "data" / "garden"

Row = dict[str, Any]

BATCHES = list(read_origin(Origin(path=str(GARDEN))))
BATCH = joined(BATCHES)
PASSAGES = [
    Passage(n, p.key or derived_key(p.title, p.text), p.title, p.text)
    for n, p in enumerate(BATCH.passages, start=1)
]
BY_KEY = {passage.key: passage for passage in PASSAGES}
QUESTIONS: list[Row] = [
    json.loads(line)
    for line in (GARDEN / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERABLE = [row for row in QUESTIONS if row["type"] != "unanswerable"]
of_every_answerable = pytest.mark.parametrize(
    "question", ANSWERABLE, ids=[row["id"] for row in ANSWERABLE]
)


def _holds(key: str, words: str) -> bool:
    passage = BY_KEY[key]
    return words.casefold() in f"{passage.title}\n{passage.text}".casefold()


def test_every_file_is_read_and_gives_a_document() -> None:
    files = [path for path in (GARDEN / "documents").rglob("*") if path.is_file()]
    assert len(files) == len(BATCH.documents) == 60
    assert {batch.status for batch in BATCHES} == {"accepted"}
    assert Counter(path.suffix for path in files) == {".txt": 35, ".md": 17, ".html": 6, ".csv": 2}
    assert len(BY_KEY) == len(PASSAGES) == 109
    assert max(len(passage.text.split()) for passage in PASSAGES) <= 125


def test_the_import_has_all_questions_with_their_gold() -> None:
    assert [(q.id, list(q.supporting_keys)) for q in BATCH.questions] == [
        (row["id"], row["supporting_ids"]) for row in QUESTIONS
    ]
    assert len({row["id"] for row in QUESTIONS}) == 12
    assert len({row["question"].casefold() for row in QUESTIONS}) == 12
    assert len({tuple(row["supporting_ids"]) for row in QUESTIONS}) == 12
    assert Counter(row["type"] for row in QUESTIONS) == {
        "bridge": 10,
        "comparison": 1,
        "unanswerable": 1,
    }
    assert Counter(row["hops"] for row in QUESTIONS) == {0: 1, 2: 8, 3: 2, 4: 1}
    assert [row["id"] for row in QUESTIONS if row.get("featured")] == ["resting-bench"]


@of_every_answerable
def test_gold_passages_are_there_under_their_titles(question: Row) -> None:
    # A passage's id follows from its words: who changes a document finds the new id here.
    now = {p.key: p.title for p in PASSAGES if p.title in question["supporting_titles"]}
    missing = set(question["supporting_ids"]) - set(BY_KEY)
    assert not missing, f"{missing} are of an earlier wording; passages with these titles: {now}"
    titles = [BY_KEY[key].title for key in question["supporting_ids"]]
    assert titles == question["supporting_titles"]
    assert question["hops"] == len(titles) >= 2


@of_every_answerable
def test_every_answer_stands_in_its_gold_passage(question: Row) -> None:
    hops = question["decomposition"]
    assert list(dict.fromkeys(hop["supporting_id"] for hop in hops)) == question["supporting_ids"]
    assert [hop for hop in hops if not _holds(hop["supporting_id"], hop["answer"])] == []
    for answer in question["answers"]:
        assert any(_holds(key, answer) for key in question["supporting_ids"])
        assert answer.casefold() not in question["question"].casefold()


@pytest.fixture(scope="module")
def missed(minilm: CachedEmbedder) -> dict[str, dict[str, int]]:
    """How many gold passages are not among the first five, by method and question."""
    index = index_over(PASSAGES, [], minilm)
    counts: dict[str, dict[str, int]] = {}
    for method in ("hybrid", "chain"):
        retriever = build(method, index, LocalReader(minilm), minilm, config_for(method))
        counts[method] = {
            row["id"]: len(
                set(row["supporting_ids"])
                - {
                    PASSAGES[id_ - 1].key
                    for id_ in retriever.retrieve(row["question"], 15, ignore).ids[:5]
                }
            )
            for row in ANSWERABLE
        }
    return counts


@pytest.mark.models
def test_chain_finds_what_hybrid_misses_without_any_triples(
    missed: dict[str, dict[str, int]],
) -> None:
    hybrid, chain = missed["hybrid"], missed["chain"]
    assert sum(map(bool, hybrid.values())) >= 7
    assert sum(not count for count in chain.values()) >= 7
    assert sum(chain.values()) <= sum(hybrid.values()) / 2
    assert (hybrid["resting-bench"], chain["founders-cake"]) == (1, 0)
