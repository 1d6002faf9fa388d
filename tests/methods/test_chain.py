from __future__ import annotations

import math

import pytest

from gear_app.core.config import ChainConfig
from gear_app.index.embedded import EmbeddedIndex
from gear_app.language.mentions import singular
from gear_app.methods.chain import EXPLAINED, Chain
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event, Followed, Retrieved
from tests.demo import CORPUS, QUESTIONS, demo_passages
from tests.small import index_over, parts_over

ASKED = [row["question"] for row in QUESTIONS][:12]


@pytest.fixture(scope="module")
def index() -> EmbeddedIndex:
    return index_over(demo_passages(), [], HashingEmbedder())


def run(index: EmbeddedIndex, question: str, config: ChainConfig) -> tuple[list[Event], list[int]]:
    events: list[Event] = []
    ranking = Chain(parts_over(index, HashingEmbedder()), config).retrieve(
        question, 10, events.append
    )
    return events, list(ranking.ids)


def rounds(events: list[Event]) -> list[Followed]:
    return [event for event in events if isinstance(event, Followed)]


def passage(event: Followed, id_: int) -> str:
    row = CORPUS[id_ - 1]
    assert event.size == len(CORPUS)
    return f"{row['title']}\n{row['text']}"


@pytest.mark.parametrize("question", ASKED)
def test_every_number_of_a_ranking_recomputes_from_the_event(
    index: EmbeddedIndex, question: str
) -> None:
    events, ids = run(index, question, ChainConfig())
    assert [type(event) for event in events] == [Retrieved, Followed, Followed]
    for event in rounds(events):
        weights = [term.weight for term in event.weights]
        shares = {mention.name: mention.share for mention in event.mentions}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-4)
        links = {link.id: link for link in event.links}
        for line in [line for line in event.ranking if line.parts]:
            values = [part.score or 0.0 for part in line.parts]
            for part, weight, value in zip(line.parts, weights, values, strict=True):
                assert part.value == pytest.approx(weight * value, abs=1e-6)
            assert line.score == pytest.approx(sum(p.value for p in line.parts), abs=5e-6)
            rank = line.parts[0].rank
            assert values[0] == pytest.approx(10 / (5 + (rank - 1 if rank else 100)), abs=1e-6)
            link = links.get(line.id)
            assert values[1] == (link is None)  # every passage that is explained has its link
            if link is None:
                continue
            assert (
                values[2]
                == link.parts
                == pytest.approx(
                    (link.start_sentence.cosine + link.end_sentence.cosine) / 2, abs=2e-6
                )
            )
            kind = 1.5 if link.weight > math.log(65 / (link.passages + 0.5)) else 0.7
            assert (
                values[3]
                == link.weight
                == pytest.approx(kind * math.log(65 / (link.passages + 0.5)), abs=1e-6)
            )
            covered, new = (
                {*link.start_sentence.covers},
                {*link.end_sentence.covers} - {*link.start_sentence.covers},
            )
            assert values[4] == pytest.approx(sum(shares[name] for name in covered), abs=2e-5)
            assert values[5] == pytest.approx(sum(shares[name] for name in new), abs=2e-5)
            assert values[6] >= 0
            halves = {
                f"{link.start_sentence.part} {link.end_sentence.part}",
                f"{link.end_sentence.part} {link.start_sentence.part}",
            }
            assert (
                event.query.rstrip("?") in halves
                or link.start_sentence.part == link.end_sentence.part
            )
    last = rounds(events)[-1]
    assert [line.id for line in last.ranking] == ids[: len(last.ranking)]


@pytest.mark.parametrize("question", ASKED[:4])
def test_a_link_says_where_both_passages_hold_the_mention(
    index: EmbeddedIndex, question: str
) -> None:
    for event in rounds(run(index, question, ChainConfig())[0]):
        assert 0 < len(event.links) <= EXPLAINED
        for link in event.links:
            assert 2 <= link.passages <= event.limit
            assert link.id != link.start
            for end, id_ in ((link.start_sentence, link.start), (link.end_sentence, link.id)):
                assert end.text in passage(event, id_)
                title = CORPUS[id_ - 1]["title"].casefold()
                assert end.marks or singular(link.mention) in title
                for start, stop in end.marks:
                    assert link.mention.casefold()[:3] in end.text[start:stop].casefold()
