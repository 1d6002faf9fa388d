"""The worked example of docs/methods.md: every number in it is one of a real run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gear_app.core.config import ChainConfig
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.links import TERMS
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.methods.chain import Chain
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.trace.events import Event, Followed, RankedPassage, Retrieved
from tests.demo import ANSWERABLE, CORPUS, demo_passages
from tests.small import index_over, parts_over

pytestmark = pytest.mark.models
PAGE = (Path(__file__).parents[1] / "docs" / "methods.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Chain\n")[1].split("\n## ")[0]
WORDS = " ".join(SECTION.replace(">", " ").split())
(ASKED,) = (row for row in ANSWERABLE if row["id"] == "alien-artist")
GIGER, RIVAL = "h-r-giger", "alexandre-yersin"


@pytest.fixture(scope="module")
def index(minilm: CachedEmbedder) -> EmbeddedIndex:
    return index_over(demo_passages(), [], minilm)


@pytest.fixture(scope="module")
def events(index: EmbeddedIndex, minilm: CachedEmbedder) -> list[Event]:
    found: list[Event] = []
    Chain(parts_over(index, minilm)).retrieve(ASKED["question"], 15, found.append)
    return found


def followed(events: list[Event], number: int) -> Followed:
    return next(e for e in events if isinstance(e, Followed) and e.round == number)


def line(event: Followed, key: str) -> RankedPassage:
    return next(line for line in event.ranking if line.key == key)


def test_hybrid_misses_a_gold_passage_at_5_that_chain_has_at_2(
    index: EmbeddedIndex, events: list[Event]
) -> None:
    (base,) = Hybrid(parts_over(index)).search([BaseQuery(ASKED["question"], 200)])
    ranked = [CORPUS[id_ - 1]["id"] for id_ in base.ranking.ids]
    assert ASKED["supporting_ids"] == ["alien", GIGER]
    assert ranked.index("alien") == 0
    assert f"*H. R. Giger* at rank {ranked.index(GIGER) + 1}:" in WORDS
    assert [row.key for row in followed(events, 2).ranking[:2]] == ["alien", GIGER]
    assert f"{len(CORPUS)} passages" in WORDS
    assert ASKED["question"] in WORDS
    assert isinstance(events[0], Retrieved)


def test_the_sentences_and_the_cut_are_those_of_the_link(events: list[Event]) -> None:
    event = followed(events, 1)
    link = next(link for link in event.links if link.id == line(event, GIGER).id)
    assert CORPUS[link.start - 1]["id"] == "alien"
    assert f'"{link.mention}", which no third passage has' in WORDS and link.passages == 2
    plain = WORDS.replace("**", "")
    for title, end in (("Alien", link.start_sentence), ("H. R. Giger", link.end_sentence)):
        assert f"*{title}*: {end.text}" in plain
        assert f'"{end.part}"' in WORDS and f"{end.cosine:.3f})" in WORDS
    for mention in event.mentions:
        assert f"{mention.name} {mention.share:.3f}" in WORDS
    assert link.start_sentence.covers == ("artist", "designed", "creature", "alien")
    assert link.end_sentence.covers == ()


def test_the_table_has_every_term_times_its_weight_and_the_sums(events: list[Event]) -> None:
    table = {
        cells[0]: cells[2:]
        for row in re.findall(r"^\| (.+) \|$", SECTION, re.MULTILINE)
        if len(cells := [cell.strip(" *") for cell in row.split("|")]) == 7
    }
    one, other = (line(followed(events, number), key) for number, key in ((1, GIGER), (2, RIVAL)))
    terms = zip(TERMS, ChainConfig().weights, one.parts, other.parts, strict=True)
    for term, weight, part, rival in terms:
        assert part.score is not None and rival.score is not None
        assert table[term] == [
            f"{weight:g}",
            f"{part.score:.3f}",
            f"{part.value:.3f}",
            f"{rival.score:.3f}",
            f"{rival.value:.3f}",
        ]
    assert table["sum"] == ["", "", f"{one.score:.3f}", "", f"{other.score:.3f}"]
    for column, score in ((2, one.score), (4, other.score)):
        assert sum(float(table[term][column]) for term in TERMS) == pytest.approx(score, abs=2e-3)
