"""GraphRAG's local search, compared with a plain computation of its formulas: dicts and loops."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import networkx
import pytest

from gear_app.core.types import Ranking
from gear_app.methods import answer, build
from gear_app.methods import communities as module
from gear_app.methods.communities import Communities, CommunitiesConfig
from gear_app.methods.steps.community import communities
from gear_app.models.errors import Unusable
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import ReportRequest
from gear_app.trace.events import Event, Failed, Gathered
from gear_app.trace.lost import Cause, PassageFacts, why_not
from tests.scripted import ScriptedReader
from tests.small import (
    EMBEDDER,
    QUESTION,
    Failing,
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


def gathered(small: SmallWorld, reader: Any = None, **settings: Any) -> Gathered:
    (event,) = of_kind(run(small, reader, **settings)[1], Gathered)
    return event


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


def cut(graph: networkx.Graph, level: int) -> Sequence[Sequence[int]]:
    edges = {(min(ends), max(ends)): weight for *ends, weight in graph.edges.data("weight", 1)}
    return communities(len(graph), edges, level)


def test_communities_have_more_weight_among_their_nodes_than_to_others() -> None:
    """Two rings of four whose nodes are joined by heavy edges, with a light one between; a node
    without edges is a community of its own.
    """
    graph = networkx.Graph([(n, (n + 1) % 4, {"weight": 5}) for n in range(4)])
    graph.add_edges_from((4 + n, 4 + (n + 1) % 4, {"weight": 5}) for n in range(4))
    graph.add_edges_from((n, 4 + n, {"weight": 0.5}) for n in range(4))
    graph.add_node(8)
    expected = [[0, 1, 2, 3], [4, 5, 6, 7], [8]]
    assert cut(graph, 0) == cut(graph, 2) == expected
    for n in range(4):
        graph.edges[n, 4 + n]["weight"] = 50  # now what was cut holds together
    assert all((n in group) == (4 + n in group) for group in cut(graph, 0) for n in range(4))
    assert communities(0, {}, 2) == []


def test_a_community_that_is_too_large_is_cut_on_the_next_level() -> None:
    """Two cliques of eight, joined by many edges, are one community among others until it is cut
    by itself.
    """
    graph = networkx.complete_graph(8)
    graph = networkx.disjoint_union(graph, networkx.complete_graph(8))
    graph.add_edges_from((n, 8 + (n + shift) % 8) for n in range(8) for shift in (0, 1))
    far = networkx.complete_graph(40)
    whole = networkx.disjoint_union(graph, far)
    first, second = cut(whole, 0), cut(whole, 1)
    assert list(range(16)) in [list(group) for group in first]
    assert [list(range(8)), list(range(8, 16))] == [list(group) for group in second[:2]]


def test_those_with_most_of_the_entities_are_reported_on_first(small: SmallWorld) -> None:
    event = gathered(small, reports=2)
    counts = Counter(one.community for one in event.entities)
    shown = [one.number for one in event.communities]
    places = [one.community for one in event.entities]
    assert shown == sorted(counts, key=lambda n: (-counts[n], places.index(n)))[:2]
    assert gathered(small, reports=0).communities == ()


def test_a_report_has_the_facts_of_the_community_with_the_most_linked_ends_first(
    small: SmallWorld,
) -> None:
    event = gathered(small, reports=3)
    network = small.index.entities()
    edges = {
        (a, b): network.facts[a, b] for a, b in zip(*network.facts.nonzero(), strict=True) if a < b
    }
    groups = communities(len(network.names), edges, 2)
    links = Counter(name for t in small.triples for name in (t.subject, t.object))
    for one in event.communities:
        names = {network.names[node] for node in groups[one.number]}
        assert one.size == len(names) and set(one.names) <= names
        assert [links[name] for name in one.names] == sorted(
            (links[name] for name in names), reverse=True
        )[: len(one.names)]
        facts = [t for t in small.triples if {t.subject, t.object} <= names]
        facts.sort(key=lambda t: (-links[t.subject] - links[t.object], t.passage_id, t.id))
        assert one.report == " ".join(f"{t.text}." for t in facts[:5])


def test_what_is_computed_of_a_graph_is_computed_once(
    small: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []

    class Counted(module._Graph):
        def __init__(self, facts: Any) -> None:
            computed.append(facts)
            super().__init__(facts)

    monkeypatch.setattr(module, "_Graph", Counted)
    assert gathered(small, reports=3) == gathered(small, reports=3)
    assert len(computed) <= 1


def test_a_reader_writes_the_reports_without_the_question(small: SmallWorld) -> None:
    reader = ScriptedReader(["A harbour.", "A law.", "A town."])
    event = gathered(small, reader, reports=3)
    assert [one.report for one in event.communities] == ["A harbour.", "A law.", "A town."][
        : len(event.communities)
    ]
    for request in reader.requests:
        assert isinstance(request, ReportRequest) and QUESTION not in request.prompt.text


def test_a_report_that_cannot_be_used_changes_no_rank(small: SmallWorld) -> None:
    ranking, events = run(small, Failing(Unusable("report", "is empty", "")), reports=1)
    assert ranking == run(small)[0]
    assert [one.step for one in of_kind(events, Failed)] == ["gather"]
    (event,) = of_kind(events, Gathered)
    assert [one.report for one in event.communities] == [""]


def test_facts_between_two_of_the_entities_come_first(small: SmallWorld) -> None:
    event = gathered(small, entities=4)
    names = [one.name for one in event.entities]
    places = [
        [names.index(name) for name in (fact.subject, fact.object) if name in names]
        for fact in event.facts
    ]
    assert all(places) and places == sorted(places, key=lambda one: (len(one) < 2, min(one)))


def test_why_not_tells_what_names_no_entity_near_from_what_is_ranked_below(
    small: SmallWorld,
) -> None:
    events: list[Event] = []
    method = build("communities", small.index, LocalReader(EMBEDDER), EMBEDDER)
    answer(method, small.index, QUESTION, 8, events.append)
    (event,) = of_kind(events, Gathered)
    below, unreached = event.reached[-1], event.ranking[-1]
    assert len(event.reached) < len(event.ranking)
    for line, cause in ((below, Cause.BELOW_CUT), (unreached, Cause.NOT_REACHED)):
        found = why_not(events, line.key, PassageFacts((line.id,), line.title), 3)
        assert (found.cause, found.lost and found.lost.step) == (cause, "gather")
    assert event.came_by(below.key).startswith("it names") and not event.came_by(unreached.key)
