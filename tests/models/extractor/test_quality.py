"""How often the answer of a hop can be reached by the triples of the local extractor."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gear_app.core.types import Passage
from gear_app.models.extractor.local import LocalExtractor
from gear_app.models.extractor.words import folded

DATA = Path(os.environ.get("GEAR_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(not (DATA / "musique_train2hop").exists(), reason="no shared data"),
]


class Needed(NamedTuple):
    """An answer, the words it is to be reached from, and the passages that may tell it."""

    answer: str
    known: str
    passages: tuple[str, ...]


def questions(pack: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / pack / "questions.jsonl").read_text("utf-8").splitlines()
    ]


def passages(pack: str, ids: set[str]) -> list[Passage]:
    with gzip.open(DATA / pack / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["id"] in ids]
    return [
        Passage(number, row["id"], row["title"], row["text"]) for number, row in enumerate(rows)
    ]


def first_hops(pack: str) -> Iterator[Needed]:
    for question in questions(pack):
        hop = question["decomposition"][0]
        yield Needed(
            hop["answer"], f"{hop['question']} {question['question']}", (hop["supporting_id"],)
        )


def bridges(pack: str) -> Iterator[Needed]:
    for question in questions(pack):
        subjects = {evidence[0] for evidence in question["evidences"]}
        for subject, _, answer in question["evidences"]:
            if answer in subjects:
                yield Needed(answer, subject, tuple(question["supporting_ids"]))


def reached(pack: str, needed: list[Needed]) -> float:
    keys = {key for item in needed for key in item.passages}
    texts = passages(pack, keys)
    triples = {
        p.key: e.triples for p, e in zip(texts, LocalExtractor().extract(texts), strict=True)
    }
    hits = 0
    for item in needed:
        sides = [(t.subject, t.object) for key in item.passages for t in triples[key]]
        hits += any(links(a, b, item) or links(b, a, item) for a, b in sides)
    return hits / len(needed)


def links(side: str, other: str, needed: Needed) -> bool:
    """One side is the answer, half of the other side's words are known."""
    words, known = folded(other), set(folded(needed.known))
    same = plain(side) == plain(needed.answer)
    return same and sum(word in known for word in words) * 2 >= len(words)


def plain(name: str) -> tuple[str, ...]:
    return tuple(w for w in folded(re.sub(r" \(.*", "", name)) if w not in ("the", "a", "an"))


def test_three_of_four_first_hops_of_musique_are_reached() -> None:
    assert reached("musique_train2hop", list(first_hops("musique_train2hop"))) >= 0.75


def test_bridges_of_2wiki_are_nearly_always_reached() -> None:
    assert reached("2wiki_train500", list(bridges("2wiki_train500"))[:60]) >= 0.95
