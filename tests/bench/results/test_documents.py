"""Packs bound into documents, with hashed vectors and the real extractor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.models.embedders.local import HashingEmbedder
from tests.bench.results.documents import documents, gold_parts, measure

ROWS = [{"id": f"p{n}", "title": f"Day {n}", "text": f"It rained in town {n}."} for n in range(8)]


def test_six_passages_are_a_document_with_their_titles_above_them() -> None:
    files = documents(ROWS, "headings marked")
    assert list(files) == ["papers 1.md", "papers 2.md"]
    assert files["papers 2.md"] == (
        "# Papers 2\n\n## Day 6\n\nIt rained in town 6.\n\n## Day 7\n\nIt rained in town 7."
    )
    assert documents(ROWS, "lines alone")["papers 2.txt"].startswith("Day 6\n\nIt rained")
    assert "Day" not in documents(ROWS, "no titles")["papers 1.txt"]


def test_gold_is_the_part_with_most_of_the_words_and_of_equal_ones_the_shortest() -> None:
    parts = {"a": "It rained in town 1 and town 2", "b": "rained in town 1 it", "c": "Elsewhere"}
    assert gold_parts(ROWS[1:3], parts) == {"p1": "b", "p2": "a"}


@pytest.mark.models
def test_a_pack_is_measured_as_the_documents_it_was_bound_into(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    texts = [f"Town {n} has a tower. " + "The rain went on and on all day. " * 14 for n in range(8)]
    corpus = [row | {"text": text} for row, text in zip(ROWS, texts, strict=True)]
    asked = {"question": "Which town has tower 7?", "supporting_ids": ["p7", "p6"]}
    for name, lines in (("corpus", corpus), ("questions", [asked])):
        (pack / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = measure(pack, "lines alone", ("hybrid", "chain"), HashingEmbedder())
    assert found.gold.tolist() == [2]
    assert {name: of.shape for name, of in found.by_method.items()} == {
        "hybrid": (1, 3),
        "chain": (1, 3),
    }
    assert found.by_method["hybrid"][0, 2] == 2  # of eight parts all are among the first fifteen
