"""GraphRAG's local search, compared with a plain computation of its formulas: dicts and loops."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from gear_app.core.types import Ranking
from gear_app.methods.communities import Communities, CommunitiesConfig
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import Event, Gathered
from tests.small import (
    EMBEDDER,
    QUESTION,
    SmallWorld,
    cosines,
    of_kind,
    parts_over,
    retrieved,
)

SEL = "Which town lies on the river Sel?"  # that a later passage says in nearer words


def run(
    small: SmallWorld, reader: Any = None, question: str = QUESTION, **settings: Any
) -> tuple[Ranking, list[Event]]:
    reader = reader or LocalReader(EMBEDDER)
    config = CommunitiesConfig(**settings)
    return retrieved(Communities(parts_over(small.index, reader=reader), config), question)


def nearest(small: SmallWorld, question: str) -> list[tuple[str, float]]:
    """Entities by the mean cosine of the triples that name them."""
    near = cosines(question, {t.id: t.text for t in small.triples})
    of: dict[str, list[float]] = defaultdict(list)
    for triple in small.triples:
        for name in dict.fromkeys((triple.subject, triple.object)):
            of[name].append(near[triple.id])
    means = {name: round(sum(all_) / len(all_), 6) for name, all_ in of.items()}
    order = list(of)
    return sorted(means.items(), key=lambda one: (-one[1], order.index(one[0])))


@pytest.mark.parametrize("question", [QUESTION, SEL])
@pytest.mark.parametrize("most", [1, 3, 10])
def test_passages_are_in_the_order_of_entities_and_of_their_facts_there(
    most: int, question: str, small: SmallWorld
) -> None:
    first = nearest(small, question)[:most]
    near = cosines(question, {p.id: p.indexed for p in small.passages})
    scores: dict[int, float] = {}
    for place, (name, _) in enumerate(first):
        there = Counter(t.passage_id for t in small.triples if name in (t.subject, t.object))
        for id_, facts in there.items():
            scores.setdefault(id_, round(most - place + facts / (facts + 1), 6))
    by_meaning = sorted(near, key=lambda id_: (-near[id_], id_))
    expected = sorted(scores, key=lambda id_: (-scores[id_], by_meaning.index(id_)))
    expected += [id_ for id_ in by_meaning if id_ not in scores]
    ranking, events = run(small, question=question, entities=most)
    assert list(ranking.ids) == expected
    assert [hit.score for hit in ranking.hits] == [scores.get(id_, 0.0) for id_ in ranking.ids]
    (event,) = of_kind(events, Gathered)
    assert [one.name for one in event.entities] == [name for name, _ in first]
    assert [one.cosine for one in event.entities] == pytest.approx(
        [mean for _, mean in first], abs=2e-6
    )
    assert event.below == len(expected) - len(scores)
    for line in event.reached:
        assert sum(part.value for part in line.parts) == pytest.approx(line.score, abs=1e-6)
