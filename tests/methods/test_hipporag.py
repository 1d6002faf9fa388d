"""HippoRAG on collections small enough to follow: what is linked, where the walk goes, and that
every sum is shown.
"""

from __future__ import annotations

import json
import random
import zlib

import igraph
import numpy as np
import pytest

from gear_app.core.types import Passage, Ranking, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods import hipporag
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.methods.hipporag import EDGES, HippoConfig, HippoRAG
from gear_app.methods.steps.pagerank import pagerank
from gear_app.trace.events import Event, QueryEntity, Recognised, Walked, to_row
from tests.scripted import ScriptedReader
from tests.small import EMBEDDER, QUESTION, SmallWorld, index_over, parts_over, retrieved, top

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


def test_a_name_is_linked_to_itself_however_it_is_written(small: SmallWorld) -> None:
    _, events = run(small.index, "HARBOUR  lights")
    assert events[0] == Recognised(
        QUESTION, (QueryEntity("HARBOUR  lights", "Harbour Lights", 1.0, 1, 1.0),)
    )


def test_another_name_is_linked_to_the_nearest_and_ties_go_to_the_smaller_node(
    small: SmallWorld,
) -> None:
    """Hashed words: "Lights" is as near to Harbour Lights as to Winter Lights; "Ada Mary Quill"
    shares two of three.
    """
    _, events = run(small.index, "Lights", "Ada Mary Quill")
    assert isinstance(events[0], Recognised)
    assert [(e.node, e.cosine) for e in events[0].entities] == [
        ("Harbour Lights", pytest.approx(2**-0.5, abs=1e-6)),
        ("Ada Quill", pytest.approx(2 / 6**0.5, abs=1e-6)),
    ]


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


STORM = "Storm over Mira (1951 film)"


def titled_index(title: str = STORM) -> EmbeddedIndex:
    """Passage 1 has a title that none of its triples names; 2 shares a node with it, 3 has one."""
    texts = [
        Passage(1, "storm", title, "The film shows the harbour."),
        Passage(2, "quill", "Ada Quill", "Ada Quill saw the harbour."),
        Passage(3, "nothing", "Winter Storm", "Nothing is told here."),
    ]
    facts = [(1, "film", "harbour"), (1, "film", "1951"), (2, "Ada Quill", "harbour")]
    triples = [Triple(n, p, s, "is near", o) for n, (p, s, o) in enumerate(facts, start=1)]
    return index_over(texts, triples, EMBEDDER)


@pytest.mark.parametrize("title", [STORM, f"{STORM} › Making of it"])
def test_a_name_that_no_node_is_near_starts_from_the_entities_of_the_passage_with_that_title(
    title: str,
) -> None:
    """The three nodes of passage 1 share its weight of 1: 1/3 each; Ada Quill has 1 by herself."""
    index = titled_index(title)
    ranking, events = run(index, "The Storm over Mira", "Ada Quill")
    assert isinstance(events[0], Recognised)
    storm, quill = events[0].entities
    assert (storm.node, storm.title) == ("", title)
    assert storm.cosine < 0.6
    assert (storm.passages, storm.specificity) == (1, 1.0)
    assert (quill.node, quill.title, quill.cosine) == ("Ada Quill", "", 1.0)
    assert seeds(events) == {
        "Ada Quill": pytest.approx(0.5, abs=1e-6),
        "film": pytest.approx(1 / 6, abs=1e-6),
        "harbour": pytest.approx(1 / 6, abs=1e-6),
        "1951": pytest.approx(1 / 6, abs=1e-6),
    }
    assert ranking.ids[0] == 2 and walked(events).below == 2


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


def test_what_the_walk_reaches_no_more_than_one_from_anywhere_follows_as_hybrid_ranks_it(
    small: SmallWorld,
) -> None:
    """All but the festival hang together, so that the walk is a little everywhere."""
    ranking, events = run(small.index, "Harbour Lights")
    keys = [small.index.names([id_])[id_].key for id_ in ranking.ids]
    assert keys[:2] == ["harbour", "quill"] and len(keys) == 8
    below = walked(events).below
    assert 0 < below < 8 and len(walked(events).passages) == 8 - below
    rest = ranking.ids[-below:]
    (hybrid,) = Hybrid(parts_over(small.index)).search([BaseQuery(QUESTION, 8)])
    assert list(rest) == [id_ for id_ in hybrid.ranking.ids if id_ in rest]
    near = [id_ for id_ in top(small.index, QUESTION, 8, "dense").ids if id_ in rest]
    assert list(rest) != near  # nearness alone has another order
    assert {hit.score for hit in ranking.hits[-below:]} == {0.0}
    assert min(hit.score for hit in ranking.hits[:-below]) > 0.0


@pytest.mark.parametrize("restart", [0.3, 0.5])
def test_probabilities_are_igraphs(small: SmallWorld, restart: float) -> None:
    _, events = run(small.index, "Harbour Lights", "Lorn", config=HippoConfig(restart=restart))
    names = list(dict.fromkeys(name for t in small.triples for name in (t.subject, t.object)))
    peer = igraph.Graph(
        len(names), [(names.index(t.subject), names.index(t.object)) for t in small.triples]
    )
    reset = [{"Harbour Lights": 1.0, "Lorn": 1 / 3}.get(name, 0.0) for name in names]
    expected = dict(
        zip(names, peer.personalized_pagerank(damping=1 - restart, reset=reset), strict=True)
    )
    shown = {node.name: node.probability for node in walked(events).nodes}
    assert len(shown) == 7
    assert shown == pytest.approx({name: expected[name] for name in shown}, abs=1e-6)


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
    across = next(edge for edge in walked(events).edges if edge.cosine > 0)
    assert (across.weight, across.facts, across.cosine) == (0.894427, 0, 0.894427)
    for cut in (
        HippoConfig(synonymy=False, chance=False),
        HippoConfig(threshold=0.9, chance=False),
    ):
        _, events = run(index_of(BRIDGED), "Ada", config=cut)
        assert [passage.id for passage in walked(events).passages] == [1]


def test_the_alternatives_to_the_walk_stop_at_the_seeds_and_at_their_neighbours(
    small: SmallWorld,
) -> None:
    def keys(spread: str) -> set[str]:
        ranking, events = run(small.index, "Harbour Lights", config=HippoConfig(spread=spread))  # type: ignore[arg-type]
        assert walked(events).spread == spread
        assert len(ranking) == 8
        return {passage.key for passage in walked(events).passages}

    assert keys("seeds") == {"harbour"}
    assert keys("neighbours") == {"harbour", "quill"}


# The ensemble


def test_an_uncertain_link_brings_in_the_dense_scores() -> None:
    index = index_of([(1, "Ada", "law"), (2, "law", "music")], passages=4)
    config = HippoConfig(ensemble="uncertainty")
    certain, events = run(index, "Ada", config=config)
    assert not walked(events).ensembled and certain == run(index, "Ada")[0]
    ranking, events = run(index, "Ada", "law school", config=config, query="words 4")
    event = walked(events)
    assert event.ensembled and event.uncertain == "law school"
    assert set(ranking.ids) == {1, 2, 3, 4}, "dense ranks them all"
    walk = {passage.id: passage.score for passage in event.passages}
    cosines = {hit.id: hit.score for hit in top(index, "words 4", 4, "dense").hits}
    for line in event.ranking:
        normal = walk.get(line.id, 0.0) / max(walk.values())
        normal += (cosines[line.id] - min(cosines.values())) / (
            max(cosines.values()) - min(cosines.values())
        )
        assert line.score == pytest.approx(normal / 2, abs=2e-6)
        assert sum(part.value for part in line.parts) == pytest.approx(line.score, abs=1e-6)
        assert {part.source for part in line.parts} == (
            {"walk", "dense"} if line.id in walk else {"dense"}
        )


def test_names_exactly_as_near_as_the_threshold_are_synonyms() -> None:
    for threshold, found in ((0.894427, (1, 2)), (0.894428, (1,))):
        _, events = run(
            index_of(BRIDGED), "Ada", config=HippoConfig(threshold=threshold, chance=False)
        )
        assert tuple(passage.id for passage in walked(events).passages) == found


# The picture


def large() -> EmbeddedIndex:
    chance = random.Random(4)
    names = [
        f"{a} {b}"
        for a in "amber birch cedar delta ember fjord".split()
        for b in map(str, range(60))
    ]
    return index_of([(n // 6 + 1, chance.choice(names), chance.choice(names)) for n in range(2400)])


def test_a_deep_ranking_fits_its_event_and_every_edge_tells_what_crosses_it() -> None:
    index = large()
    ranking, events = run(index, "amber 1", "fjord 7", config=AS_IN_THE_PAPER)
    event = walked(events)
    assert len(ranking) == 200 == len(event.passages)
    assert len(event.edges) == EDGES
    assert len(zlib.compress(json.dumps(to_row(event)).encode())) < 100_000
    graph = index.entities()
    weights = (graph.facts + graph.synonymy).toarray()
    nodes = [graph.find(node.name) for node in event.nodes]
    for edge in event.edges:
        source, target = nodes[edge.source], nodes[edge.target]
        crossing = (
            0.5
            * event.nodes[edge.source].probability
            * weights[source, target]
            / weights[source].sum()
        )
        assert edge.flow == pytest.approx(crossing, abs=1e-8)
        assert (
            edge.weight
            == pytest.approx(edge.facts + edge.cosine)
            == pytest.approx(weights[source, target])
        )
    assert len({frozenset((edge.source, edge.target)) for edge in event.edges}) == EDGES


def drawn(event: Walked) -> list[tuple[str, str]]:
    return [(event.nodes[edge.source].name, event.nodes[edge.target].name) for edge in event.edges]


def test_a_way_never_turns_back_however_much_comes_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Five roads lead from Ada to Mira, and twenty triples from Mira to Sel: what returns is the
    largest flow.
    """
    monkeypatch.setattr(hipporag, "EDGES", 0)
    roads = [(1, "Ada", f"road {name}") for name in "abcde"] + [
        (1, f"road {name}", "Mira") for name in "abcde"
    ]
    index = index_of([*roads, *[(2, "Mira", "Sel")] * 20])
    event = walked(run(index, "Ada", config=AS_IN_THE_PAPER)[1])
    assert drawn(event) == [("road a", "Mira"), ("Ada", "road a")]
    walk = pagerank(index.entities().facts, np.eye(len(index.entities().names))[0], restart=0.5)
    road, mira, sel = (index.entities().find(name) for name in ("road a", "Mira", "Sel"))
    assert walk.flow[sel, mira] > walk.flow[road, mira], "or this would test nothing"
