"""HippoRAG on collections small enough to follow: what is linked, where the walk goes, and that
every sum is shown.
"""

from __future__ import annotations

import pytest

from gear_app.core.types import Passage, Ranking, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods.hipporag import HippoConfig, HippoRAG
from gear_app.trace.events import Event, Recognised, Walked
from tests.scripted import ScriptedReader
from tests.small import EMBEDDER, QUESTION, SmallWorld, index_over, parts_over, retrieved

AS_IN_THE_PAPER = HippoConfig(chance=False)  # whatever the walk touches is in its ranking


def index_of(facts: list[tuple[int, str, str]], passages: int = 0) -> EmbeddedIndex:
    """Triples (passage, subject, object) over passages 1 to `passages`, or as many as are named."""
    ids = range(1, max([passages, *(passage for passage, _, _ in facts)]) + 1)
    texts = [Passage(id_, f"p{id_}", f"Title {id_}", f"words {id_}") for id_ in ids]
    triples = [
        Triple(n, passage, s, "is near", o) for n, (passage, s, o) in enumerate(facts, start=1)
    ]
    return index_over(texts, triples, EMBEDDER)


def run(
    index: EmbeddedIndex, *entities: str, config: HippoConfig | None = None, query: str = QUESTION
) -> tuple[Ranking, list[Event]]:
    reader = ScriptedReader([entities])
    method = HippoRAG(parts_over(index, reader=reader), config)
    return retrieved(method, query)


def walked(events: list[Event]) -> Walked:
    (event,) = (event for event in events if isinstance(event, Walked))
    return event


def seeds(events: list[Event]) -> dict[str, float]:
    return {node.name: node.seed for node in walked(events).nodes if node.seed > 0}


# Linking


@pytest.mark.parametrize(
    ("name", "node"),
    [("15 April", "Monday 15 April"), ("April", "14 April"), ("15 March", ""), ("16 April", "")],
)
def test_a_name_with_a_number_or_a_month_is_linked_to_those_that_have_it(
    name: str, node: str
) -> None:
    index = index_of([(1, "14 April", "gel A"), (2, "Monday 15 April", "gel B")])
    _, events = run(index, name)
    assert isinstance(events[0], Recognised)
    assert [entity.node for entity in events[0].entities] == [node]


def test_seeds_are_specific_and_each_counts_once(small: SmallWorld) -> None:
    """Lorn is named in three passages, Bo Hale in two: 1/3 and 1/2, so 2/5 and 3/5."""
    _, events = run(small.index, "Lorn", "Bo Hale", "lorn!")
    assert isinstance(events[0], Recognised)
    assert [(e.node, e.passages, e.specificity) for e in events[0].entities] == [
        ("Lorn", 3, 0.333333),
        ("Bo Hale", 2, 0.5),
        ("Lorn", 3, 0.333333),
    ]
    assert seeds(events) == {
        "Lorn": pytest.approx(0.4, abs=1e-6),
        "Bo Hale": pytest.approx(0.6, abs=1e-6),
    }
    _, without = run(small.index, "Lorn", "Bo Hale", config=HippoConfig(specificity=False))
    assert seeds(without) == {"Lorn": 0.5, "Bo Hale": 0.5}


# The walk and the passages


BRIDGED = [
    (1, "Ada", "old stone bridge of Mira"),
    (2, "stone bridge of Mira", "Vane"),
    (3, "Hale", "Lorn"),
]


def test_synonyms_carry_the_walk_across_and_the_ablation_cuts_them() -> None:
    """Four of five words: cosine 4 / √20 = 0.894."""
    ranking, events = run(index_of(BRIDGED), "Ada", config=AS_IN_THE_PAPER)
    assert ranking.ids == (1, 2, 3)
    assert [passage.id for passage in walked(events).passages] == [1, 2]
    for cut in (
        HippoConfig(synonymy=False, chance=False),
        HippoConfig(threshold=0.9, chance=False),
    ):
        _, events = run(index_of(BRIDGED), "Ada", config=cut)
        assert [passage.id for passage in walked(events).passages] == [1]


# The ensemble


# The picture
