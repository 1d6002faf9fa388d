"""HippoRAG 2 and LinearRAG, compared with plain computations of their formulas: dicts, loops, and
igraph's PageRank.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import igraph
import numpy as np
import pytest

from gear_app.core.types import Ranking
from gear_app.index.embedded import EmbeddedIndex
from gear_app.language import mentions as find
from gear_app.methods.hipporag2 import Hippo2Config, HippoRAG2
from gear_app.methods.linearrag import Bridging, LinearConfig, LinearRAG
from gear_app.models.errors import Unusable
from gear_app.trace.events import Activated, Chosen, Failed, Retrieved, Visited
from tests.scripted import ScriptedReader
from tests.small import (
    EMBEDDER,
    QUESTION,
    Failing,
    SmallWorld,
    cosines,
    index_with_synonyms,
    of_kind,
    parts_over,
    retrieved,
)

Edges = dict[tuple[str, str], float]
SYNONYMS = [("Port Mira", "Lorn", 0.85), ("Harbour Lights", "Winter Lights", 0.9)]


def with_synonyms(
    small: SmallWorld, synonyms: Sequence[tuple[str, str, float]] = SYNONYMS
) -> EmbeddedIndex:
    """The small collection, where two pairs of names are synonyms; the first is no fact, the other
    pair has none between them either, and a third below the threshold is none.
    """
    near = {(a, b): cosine for a, b, cosine in [*synonyms, ("law", "music", 0.7)]}
    return index_with_synonyms(small.passages, small.triples, near, EMBEDDER)


def walk(edges: Edges, starts: dict[str, float]) -> dict[str, float]:
    """igraph's PageRank; parallel edges are summed in `edges`."""
    nodes = sorted({end for edge in edges for end in edge} | set(starts))
    graph = igraph.Graph()
    graph.add_vertices(len(nodes))
    graph.add_edges([(nodes.index(a), nodes.index(b)) for a, b in edges])
    found = graph.personalized_pagerank(
        damping=0.5,
        reset=[starts.get(node, 0.0) for node in nodes],
        weights=list(edges.values()),
        directed=False,
    )
    return dict(zip(nodes, found, strict=True))


def stretched(values: dict[Any, float]) -> dict[Any, float]:
    low, high = min(values.values()), max(values.values())
    return {key: (value - low) / (high - low) for key, value in values.items()}


def same(ranking: Ranking, expected: dict[int, float]) -> None:
    assert set(ranking.ids) == set(expected)
    for id_, score in ranking.hits:
        assert score == pytest.approx(expected[id_], abs=1e-6)
    assert list(ranking.ids) == sorted(expected, key=lambda id_: (-round(expected[id_], 9), id_))


# HippoRAG 2


def hipporag2_by_hand(small: SmallWorld, keep: Callable[[int], bool] = lambda n: True) -> Any:
    """Passages' probabilities by id, with the facts at these places kept."""
    edges: Edges = defaultdict(float)
    named_in = defaultdict(set)
    for triple in small.triples:
        edges[triple.subject, triple.object] += 2  # one in each direction
        for name in (triple.subject, triple.object):
            named_in[name].add(triple.passage_id)
    for one, other, cosine in SYNONYMS:
        assert (one, other) not in edges and (other, one) not in edges
        edges[one, other] = 2 * cosine
    for name, passages in named_in.items():
        for id_ in passages:
            edges[name, f"passage {id_}"] = 1
    scores = stretched(cosines(QUESTION, {t.id: t.text for t in small.triples}))
    best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:5]
    sums: dict[str, list[float]] = defaultdict(list)
    for place, id_ in enumerate(best):
        triple = small.triples[id_ - 1]
        for name in (triple.subject, triple.object) if keep(place) else ():
            sums[name].append(scores[id_] / len(named_in[name]))
    means = {name: sum(all_) / len(all_) for name, all_ in sums.items()}
    order = list(named_in)
    first = sorted(means, key=lambda name: (-means[name], order.index(name)))[:5]
    starts = {name: means[name] for name in first}
    near = stretched(cosines(QUESTION, {p.id: p.indexed for p in small.passages}))
    starts |= {f"passage {id_}": 0.05 * value for id_, value in near.items()}
    found = walk(edges, starts)
    return {p.id: found[f"passage {p.id}"] for p in small.passages}


def hipporag2(small: SmallWorld, reader: Any = None, **settings: Any) -> HippoRAG2:
    index = with_synonyms(small)
    return HippoRAG2(parts_over(index, reader=reader), Hippo2Config(**settings))


def test_hipporag2_is_what_its_formulas_come_to(small: SmallWorld) -> None:
    ranking, events = retrieved(hipporag2(small, filter="none"))
    same(ranking, hipporag2_by_hand(small))
    (chosen,) = of_kind(events, Chosen)
    assert not chosen.asked and all(fact.kept for fact in chosen.facts)
    assert chosen.facts[0].score == 1.0


def test_hipporag2_starts_from_the_facts_that_a_reader_keeps(small: SmallWorld) -> None:
    ranking, events = retrieved(hipporag2(small, ScriptedReader([(0, 2)])))
    same(ranking, hipporag2_by_hand(small, lambda place: place in (0, 2)))
    (chosen,) = of_kind(events, Chosen)
    assert [fact.kept for fact in chosen.facts] == [True, False, True, False, False]


BABBLING = Failing(Unusable("choose_facts", "holds no list of fact numbers", "Well, well."))


def test_hipporag2_is_dense_where_no_fact_helps_and_keeps_all_where_a_reply_is_of_no_use(
    small: SmallWorld,
) -> None:
    ranking, events = retrieved(hipporag2(small, ScriptedReader([()])))
    (near,) = of_kind(events, Retrieved)
    assert list(ranking.ids[:5]) == [line.id for line in near.ranking]
    assert not of_kind(events, Visited) and len(ranking) == len(small.passages)
    ranking, events = retrieved(hipporag2(small, BABBLING))
    same(ranking, hipporag2_by_hand(small))
    assert [event.step for event in of_kind(events, Failed)] == ["choose"]


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


def said(small: SmallWorld) -> Any:
    """By place, which is a passage's id and a number: sentences as they are encoded, and the names
    in them; and by passage how often it has each name.
    """
    read = {p.id: find.read(p.title, p.text) for p in small.passages}
    small_written = {m.name for one in read.values() for m in one.mentions if m.lower}
    sentences: dict[tuple[int, int], str] = {}
    named: dict[tuple[int, int], set[str]] = {}
    counts: dict[int, dict[str, int]] = {p.id: defaultdict(int) for p in small.passages}
    for passage in small.passages:
        one = read[passage.id]
        for number, span in enumerate(one.sentences, start=1):
            place = passage.id, number
            sentences[place] = find.sentence_text(
                passage.title, passage.text[span.start : span.end]
            )
            named[place] = {m.name for m in one.mentions if m.sentence == number} - small_written
        for name in {(m.sentence, m.name) for m in one.mentions if m.name not in small_written}:
            counts[passage.id][name[1]] += 1
    return sentences, named, counts


def linearrag_by_hand(small: SmallWorld, config: LinearConfig) -> dict[int, float]:
    """Passages' probabilities, by loops over sentences as words."""
    sentences, named, counts = said(small)
    near = cosines(QUESTION, sentences)
    known = {name for of in named.values() for name in of}
    seeds = ["harbour lights"]  # "harbour" and "lights" are parts of it
    assert known >= set(seeds)
    active = dict.fromkeys(seeds, (1.0, 1))
    resets = dict.fromkeys(seeds, 1.0)
    current = dict.fromkeys(seeds, 1.0)
    used = set()
    for tier in range(2, config.bridges + 2):
        reached: dict[str, float] = {}
        for name, value in current.items():
            if value < config.delta:
                continue
            open_ = [place for place in sentences if name in named[place] and place not in used]
            for place in sorted(open_, key=lambda s: (-near[s], s))[: config.sentences]:
                used.add(place)
                for other in sorted(named[place]):
                    carried = value * near[place]
                    if carried >= config.delta:
                        resets[other] = resets.get(other, 0) + carried
                        active[other] = (carried, tier)
                        reached[other] = carried
        current = reached
    own = stretched(cosines(QUESTION, {p.id: p.indexed for p in small.passages}))
    starts = {f"name {name}": value for name, value in resets.items()}
    edges: Edges = {}
    for id_, of in counts.items():
        bonus = sum(a * math.log(1 + of.get(e, 0)) / tier for e, (a, tier) in active.items())
        starts[f"passage {id_}"] = 0.05 * (config.nearness * own[id_] + math.log(1 + bonus))
        for name, number in of.items():
            edges[f"name {name}", f"passage {id_}"] = number / sum(of.values())
    found = walk(edges, starts)
    return {p.id: found[f"passage {p.id}"] for p in small.passages}


@pytest.mark.parametrize(
    "config",
    [
        LinearConfig(),
        LinearConfig(delta=0.05),
        LinearConfig(delta=0.02, bridges=4, sentences=3, nearness=0.05),
    ],
    ids=["as it is", "lower", "as for MuSiQue"],
)
def test_linearrag_is_what_its_formulas_come_to(config: LinearConfig, small: SmallWorld) -> None:
    ranking, events = retrieved(LinearRAG(parts_over(small.index), config))
    same(ranking, linearrag_by_hand(small, config))
    (activated,) = of_kind(events, Activated)
    assert activated.names[0].source == "Harbour Lights" and activated.names[0].tier == 1


def test_a_name_keeps_its_last_activation_and_starts_with_the_sum_of_all() -> None:
    from scipy import sparse

    # Sentence 0 names a and b, sentence 1 names b and a, sentence 2 names b and c.
    named = sparse.csr_array(np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]], float))
    config = LinearConfig(delta=0.3, sentences=2)
    bridging = Bridging.run(named, np.array([0.8, 0.5, 0.9]), config, {0: 1.0})
    # Round 2: a goes by both its sentences, by the nearer first; b keeps 0.5, the last.
    # Round 3: b goes by the one that is left: 0.5 × 0.9.
    assert bridging.starts() == pytest.approx([1 + 0.8 + 0.5, 0.8 + 0.5 + 0.45, 0.45])
    counts = sparse.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]))
    last = {0: 0.5 / 2, 1: 0.45 / 3, 2: 0.45 / 3}
    assert bridging.bonus(counts) == pytest.approx(
        [
            math.log1p(last[0] * math.log(2) + last[1] * math.log(3)),
            math.log1p(last[2] * math.log(4)),
        ]
    )
