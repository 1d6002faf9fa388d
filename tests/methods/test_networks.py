"""HippoRAG 2 and LinearRAG, compared with plain computations of their formulas: dicts, loops, and
igraph's PageRank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods.hipporag2 import Hippo2Config, HippoRAG2
from gear_app.methods.linearrag import LinearConfig, LinearRAG
from gear_app.models.errors import Unusable
from gear_app.trace.events import Failed, Retrieved, Visited
from tests.scripted import ScriptedReader
from tests.small import (
    EMBEDDER,
    Failing,
    SmallWorld,
    index_with_synonyms,
    of_kind,
    parts_over,
    retrieved,
)

SYNONYMS = [("Port Mira", "Lorn", 0.85), ("Harbour Lights", "Winter Lights", 0.9)]


def with_synonyms(
    small: SmallWorld, synonyms: Sequence[tuple[str, str, float]] = SYNONYMS
) -> EmbeddedIndex:
    """The small collection, where two pairs of names are synonyms; the first is no fact, the other
    pair has none between them either, and a third below the threshold is none.
    """
    near = {(a, b): cosine for a, b, cosine in [*synonyms, ("law", "music", 0.7)]}
    return index_with_synonyms(small.passages, small.triples, near, EMBEDDER)


# HippoRAG 2


def hipporag2(small: SmallWorld, reader: Any = None, **settings: Any) -> HippoRAG2:
    index = with_synonyms(small)
    return HippoRAG2(parts_over(index, reader=reader), Hippo2Config(**settings))


@pytest.mark.parametrize("method", ["hipporag2", "linearrag"])
def test_what_comes_from_each_entity_adds_up_to_the_score(method: str, small: SmallWorld) -> None:
    made = {
        "hipporag2": hipporag2(small),
        "linearrag": LinearRAG(parts_over(small.index), LinearConfig(delta=0.1)),
    }
    _, events = retrieved(made[method])
    (visited,) = of_kind(events, Visited)
    for line in visited.ranking:
        assert sum(part.value for part in line.parts) == pytest.approx(line.score, abs=1e-8)
        start = line.parts[-1]
        assert start.source == "the start" and start.value > -1e-8


# LinearRAG


BABBLING = Failing(Unusable("choose_facts", "holds no list of fact numbers", "Well, well."))


def test_hipporag2_is_dense_where_no_fact_helps_and_keeps_all_where_a_reply_is_of_no_use(
    small: SmallWorld,
) -> None:
    ranking, events = retrieved(hipporag2(small, ScriptedReader([()])))
    (near,) = of_kind(events, Retrieved)
    assert list(ranking.ids[:5]) == [line.id for line in near.ranking]
    assert not of_kind(events, Visited) and len(ranking) == len(small.passages)
    ranking, events = retrieved(hipporag2(small, BABBLING))
    assert of_kind(events, Visited) and len(ranking) == len(small.passages)
    assert [event.step for event in of_kind(events, Failed)] == ["choose"]
