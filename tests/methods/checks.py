"""What every method must do, whatever it is: each check takes a method's name and the small
collection.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gear_app.core.protocols import Index
from gear_app.core.types import Passage, Ranking
from gear_app.methods import ON_SINGLE_STEP, answer, build, method_of, parse
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.roles import Reader
from gear_app.trace.events import (
    Event,
    Failed,
    Fused,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    Recognised,
    Retrieved,
    Split,
    Stopped,
    Thought,
    Walked,
    from_row,
    to_row,
)
from tests.acting import Acting
from tests.small import QUESTION, SmallWorld, index_over

FIRST = {"hipporag": Recognised, "griever": Split}
HOSTILE = [
    "???",
    "من أخرج الفيلم؟",
    "<script>alert('Harbour Lights')</script> & \"Ada\" '; DROP TABLE passages; --",
    "Harbour Lights " * 300,
    "what",
]
Check = Callable[[str, SmallWorld], None]


def run(
    name: str, index: Index, question: str = QUESTION, k: int = 4, reader: Reader | None = None
) -> tuple[Ranking, list[Event]]:
    """The ranking and the events of a method that was made for this question."""
    events: list[Event] = []
    embedder = HashingEmbedder()
    method = build(name, index, reader or Acting(embedder), embedder)
    return answer(method, index, question, k, events.append), events


def begins_with(name: str) -> type[Event]:
    """The kind of a method's first event: an iterative one begins as the method it stands over."""
    method, base = parse(name)
    return (
        begins_with(base)
        if method_of(name).over in ON_SINGLE_STEP
        else FIRST.get(method, Retrieved)
    )


def is_ordered(ranking: Ranking) -> bool:
    """Ids unique, scores best first."""
    scores = [hit.score for hit in ranking.hits]
    return len(set(ranking.ids)) == len(ranking) and scores == sorted(scores, reverse=True)


def ranks_each_passage_once_best_first(name: str, small: SmallWorld) -> None:
    ranking, _ = run(name, small.index)
    assert len(ranking) > 0 and is_ordered(ranking)
    assert set(ranking.ids) <= {passage.id for passage in small.passages}


def begins_with_what_it_found_first_and_ends_with_the_ranking(name: str, small: SmallWorld) -> None:
    ranking, events = run(name, small.index)
    begun = next(event for event in events if not isinstance(event, Thought))
    assert type(begun) is begins_with(name)
    assert getattr(begun, "query", QUESTION) == QUESTION
    assert isinstance(events[-1], Ranked)
    assert [(line.id, line.score) for line in events[-1].ranking] == [
        tuple(hit) for hit in ranking.hits
    ]
    assert [line.key for line in events[-1].ranking] == [
        small.passages[id_ - 1].key for id_ in ranking.ids
    ]


def counts_its_iterations_and_stops_once(name: str, small: SmallWorld) -> None:
    _, events = run(name, small.index)
    iterations = [event.iteration for event in events[:-1] if event.iteration]
    assert set(iterations) == set(range(1, iterations[-1] + 1)) and iterations == sorted(iterations)
    assert events[-1].iteration == 0
    stops = [event for event in events if isinstance(event, Stopped)]
    assert stops == ([events[-2]] if len(iterations) and stops else [])
    assert iterations[-1] == 1 or stops


def says_the_same_every_time_and_after_being_stored(name: str, small: SmallWorld) -> None:
    once, again = run(name, small.index), run(name, small.index)
    assert once == again
    assert [from_row(json.loads(json.dumps(to_row(event)))) for event in once[1]] == once[1]


def shows_scores_that_add_up(name: str, small: SmallWorld) -> None:
    _, events = run(name, small.index)
    for event in events:
        match event:
            case Fused() | Retrieved():
                for line in (line for line in event.ranking if line.parts):
                    assert sum(part.value for part in line.parts) == pytest.approx(
                        line.score, abs=1e-5
                    )
            case Pooled():
                for line in event.ranking[: len(event.ranking) - event.below]:
                    assert max(part.value for part in line.parts) == pytest.approx(
                        line.score, abs=1e-5
                    )
            case Walked():
                for found in event.passages:
                    total = sum(
                        event.nodes[node].probability * count for node, count in found.terms
                    )
                    assert total == pytest.approx(found.score, abs=1e-5)
            case Matched():
                for match in event.matches:
                    found = match.mention_cosine * (match.relation_cosine + match.agreement)
                    assert found + match.title_weight * match.title_cosine == pytest.approx(
                        match.score, abs=1e-5
                    )
            case Promoted():
                assert event.threshold == pytest.approx(event.mean + event.deviation, abs=1e-5)


def an_empty_collection_gives_an_empty_ranking(name: str, small: SmallWorld) -> None:
    embedder = HashingEmbedder()
    index = index_over([], [], embedder)
    assert run(name, index)[0] == Ranking()


def a_collection_without_triples_falls_back_on_its_passages(name: str, small: SmallWorld) -> None:
    embedder = HashingEmbedder()
    passages = [Passage(i, str(i), "Harbour", f"lights {i}") for i in range(1, 4)]
    index = index_over(passages, [], embedder)
    assert run(name, index, "harbour 2")[0].ids[0] == 2


def any_question_whatever_gets_a_ranking(name: str, small: SmallWorld) -> None:
    for question in HOSTILE:
        ranking, events = run(name, small.index, question)
        assert is_ordered(ranking), question
        assert isinstance(events[-1], Ranked) and not [
            event for event in events if isinstance(event, Failed)
        ]
        assert [from_row(to_row(event)) for event in events] == events


def any_k_gets_a_ranking(name: str, small: SmallWorld) -> None:
    for k in (1, 1000):
        ranking, _ = run(name, small.index, k=k)
        assert len(ranking) > 0 and is_ordered(ranking)


CHECKS: tuple[Check, ...] = (
    ranks_each_passage_once_best_first,
    begins_with_what_it_found_first_and_ends_with_the_ranking,
    counts_its_iterations_and_stops_once,
    says_the_same_every_time_and_after_being_stored,
    shows_scores_that_add_up,
    an_empty_collection_gives_an_empty_ranking,
    a_collection_without_triples_falls_back_on_its_passages,
    any_question_whatever_gets_a_ranking,
    any_k_gets_a_ranking,
)
