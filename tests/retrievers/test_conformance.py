"""What every method must do, whatever it is."""

from __future__ import annotations

import pytest

from gear_app.errors import BadInput, Unknown
from gear_app.events import Event, Fused, Ranked, Retrieved, from_row, to_row
from gear_app.index.embedded import EmbeddedIndex
from gear_app.models.embedder import HashingEmbedder
from gear_app.reader.local import LocalReader
from gear_app.retrievers import BASES, METHODS, answer, build, parse
from gear_app.types import Passage, Ranking
from tests.small import QUESTION, SmallWorld

NAMES = [f"{name}:{base}" if method.takes_base else name for name, method in METHODS.items() for base in BASES]
NAMES = list(dict.fromkeys(NAMES))


def run(name: str, world: SmallWorld, question: str = QUESTION, k: int = 4) -> tuple[Ranking, list[Event]]:
    events: list[Event] = []
    method = build(name, world.index, LocalReader(world.embedder), world.embedder)
    return answer(method, world.index, question, k, events.append), events


@pytest.mark.parametrize("name", NAMES)
def test_ranking_is_ordered_and_unique(name: str, small: SmallWorld) -> None:
    ranking, _ = run(name, small)
    assert len(set(ranking.ids)) == len(ranking.ids) > 0
    assert [hit.score for hit in ranking.hits] == sorted((hit.score for hit in ranking.hits), reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_trace_begins_with_retrieval_and_ends_with_the_ranking(name: str, small: SmallWorld) -> None:
    ranking, events = run(name, small)
    assert isinstance(events[0], Retrieved)
    assert events[0].query == QUESTION
    assert isinstance(events[-1], Ranked)
    assert tuple(line.id for line in events[-1].ranking) == ranking.ids
    assert [from_row(to_row(event)) for event in events] == events


@pytest.mark.parametrize("name", NAMES)
def test_the_same_question_twice_gives_the_same_trace(name: str, small: SmallWorld) -> None:
    assert run(name, small) == run(name, small)


@pytest.mark.parametrize("name", NAMES)
def test_terms_of_every_fused_score_add_up(name: str, small: SmallWorld) -> None:
    _, events = run(name, small)
    for event in events:
        if isinstance(event, Fused):
            for line in event.ranking:
                assert sum(part.value for part in line.parts) == pytest.approx(line.score, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_collection_gives_an_empty_ranking(name: str) -> None:
    embedder = HashingEmbedder()
    index = EmbeddedIndex([], [], embedder.embed([]), embedder.embed([]), embedder)
    ranking = answer(build(name, index, LocalReader(embedder), embedder), index, QUESTION, 5, lambda event: None)
    assert ranking == Ranking()


@pytest.mark.parametrize("name", NAMES)
def test_a_collection_without_triples_falls_back_on_the_base(name: str) -> None:
    embedder = HashingEmbedder()
    passages = [Passage(i, str(i), "Harbour", f"lights {i}") for i in range(1, 4)]
    vectors = embedder.embed([p.indexed for p in passages])
    index = EmbeddedIndex(passages, [], vectors, embedder.embed([]), embedder)
    ranking = answer(build(name, index, LocalReader(embedder), embedder), index, "harbour 2", 5, lambda event: None)
    assert ranking.ids[0] == 2


def test_names_that_do_not_exist_say_which_do() -> None:
    with pytest.raises(
        Unknown, match=r"Unknown method 'gaer'\. Available: bm25, dense, hybrid, naive_ge, sync_ge, gear"
    ):
        parse("gaer")
    with pytest.raises(BadInput, match=r"'gear' cannot be a base: it must be single-step\. Available: bm25, dense"):
        parse("sync_ge:gear")
    with pytest.raises(BadInput, match="bm25 is a base itself"):
        parse("bm25:dense")
    assert parse("gear") == ("gear", "hybrid")
    assert parse("sync_ge:bm25") == ("sync_ge", "bm25")
